// Runs the tests of how the libraries deal with hubs, networks and the results of tests.
// They share a process, because each that loads the code of the tests takes half a second of processor time.
import { describe } from 'vitest'

describe('faults', async () => void (await import('./faults.ts')))
describe('waiting', async () => void (await import('./waiting.ts')))
describe('redirects', async () => void (await import('./redirects.ts')))
describe('proxies', async () => void (await import('./proxies.ts')))
describe('runtimes', async () => void (await import('./runtimes.ts')))
describe('workers', async () => void (await import('./workers.ts')))
describe('outcome', async () => void (await import('./outcome.ts')))
