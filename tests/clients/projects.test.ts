// Runs the tests of the projects that both command lines write: whole, in trouble, and of private hubs.
// They share a process, because each that loads the code of the tests takes half a second of processor time.
import { describe } from 'vitest'

describe('one-lock', async () => void (await import('./one-lock.ts')))
describe('private-hub', async () => void (await import('./private-hub.ts')))
describe('skill-kills', async () => void (await import('./skill-kills.ts')))
describe('silent-hub', async () => void (await import('./silent-hub.ts')))
