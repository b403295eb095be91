// Runs the tests of what the Python program of hubcli decides.
// They share a process, because each that loads the code of the tests takes half a second of processor time.
import { describe } from 'vitest'

describe('which-version', async () => void (await import('./which-version.ts')))
describe('sentences', async () => void (await import('./sentences.ts')))
describe('skill', async () => void (await import('./skill.ts')))
describe('shared-tables', async () => void (await import('./shared-tables.ts')))
describe('release', async () => void (await import('./release.ts')))
