// Runs the tests of what hubcli does with any command: answers, arguments, text, hubs, signals.
// They share a process, because each that loads the code of the tests takes half a second of processor time.
import { describe } from 'vitest'

describe('answers', async () => void (await import('./answers.ts')))
describe('before-sending', async () => void (await import('./before-sending.ts')))
describe('hostile-text', async () => void (await import('./hostile-text.ts')))
describe('hub', async () => void (await import('./hub.ts')))
describe('trust', async () => void (await import('./trust.ts')))
describe('redirects', async () => void (await import('./redirects.ts')))
describe('interrupted', async () => void (await import('./interrupted.ts')))
