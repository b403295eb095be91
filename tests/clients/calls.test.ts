// Runs the tests of programs that use the libraries, as their guides say: with SDKs, traces and types.
// They share a process, because each that loads the code of the tests takes half a second of processor time.
import { describe } from 'vitest'

describe('sdks', async () => void (await import('./sdks.ts')))
describe('traces', async () => void (await import('./traces.ts')))
describe('examples', async () => void (await import('./examples.ts')))
describe('python-types', async () => void (await import('./python-types.ts')))
