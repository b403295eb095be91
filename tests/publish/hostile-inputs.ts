// Opens a hub for hostile input, and checks the errors and the state afterwards.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Hub, openHub, REPOSITORY, type Sending } from '../hubs/publishing.ts'
import { gitOf, openLocalWorld, type World } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { judgeHistory } from './history.ts'

/**
 * These variables are set before the first test of a file runs, and importers see the current values. `canary` is a
 * file that would be written only if content were executed.
 */
export let world: World
export let hub: Hub
export let canary: string
/** The hub's log during this test. */
export let logged: string[]
const fetched: string[] = []

/** Opens one hub for all tests in a file. After each test, the log must be empty. */
export function openForInputs(): void {
  beforeAll(async () => {
    canary = join(temporaryFolder('hub-canary-'), 'executed')
    world = openLocalWorld({
      'content/acme/code-review/versions/1.0.0.md':
        '---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: acme\n---\nOld\n',
    })
    hub = await openHub(world)
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      fetched.push(String(input))
      throw new Error('nothing is ever fetched')
    })
  })
  afterAll(async () => {
    vi.restoreAllMocks()
  })
  beforeEach(() => {
    logged = []
    for (const method of ['log', 'warn', 'error'] as const)
      vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => {
        const line = parts.join(' ')
        // The first use of a token writes an audit line.
        if (!line.includes('"level":"audit"')) logged.push(line)
      })
  })
  afterEach(() => {
    // Rejected input is the caller's mistake, so it must log nothing, and above all no stack trace.
    expect(logged).toEqual([])
  })
}

/** Runs git in the repository that the hub publishes to. */
export const git = (...args: string[]) => gitOf(world, ...args)
/** Reads the head of the branch without a process, because tests compare it before and after each request. */
export const head = async () => readFileSync(join(await world.gitFolder(), 'refs/heads/main'), 'utf8')

/** Checks that a rejection has the expected status and code and a printable message, and writes nothing. */
export async function expectRefusal(
  body: unknown,
  sending: Sending,
  [status, code, says]: readonly [number, string, (string | RegExp)?],
): Promise<void> {
  const before = await head()
  const answer = await hub.publish(body, sending)
  expect([answer.status, answer.code]).toEqual([status, code])
  expect(answer.message.length).toBeGreaterThan(10)
  expect(answer.message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(answer.message).not.toMatch(/node_modules|\/src\/|at \w+ \(|Error:/)
  if (typeof says === 'string') expect(answer.message).toContain(says)
  if (says instanceof RegExp) expect(answer.message).toMatch(says)
  expect(answer.headers.get('Cache-Control')).toBe('no-store')
  expect(await head()).toBe(before)
}

/** Returns deeply nested JSON as text, because JSON.stringify cannot write it. */
export const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
/** Returns an object with the given number of keys. */
export const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
/** Returns a body of unknown length. */
export const stream = (chunks: number, bytes: number) =>
  new ReadableStream({
    start(controller) {
      for (let chunk = 0; chunk < chunks; chunk++) controller.enqueue(new Uint8Array(bytes).fill(0x20))
      controller.close()
    },
  })

/**
 * Adds a final test that checks the repository and the machine. @param least the minimum number of successful publishes
 */
export function judgeAfterwards(least: number): void {
  test('afterwards: one file per commit, nothing outside content/acme, nothing fetched, nothing executed', async () => {
    const added = await judgeHistory(world)
    expect(added.length).toBeGreaterThanOrEqual(least)
    const paths = (await git('ls-tree', '-r', '--name-only', 'main')).trim().split('\n')
    for (const path of paths)
      expect(path).toMatch(/^(?:README\.md|content\/acme\/[a-z0-9-]+\/(?:index\.md|versions\/\d+\.\d+\.\d+\.md))$/)
    const contentDir = await world.contentDir()
    expect(readdirSync(join(contentDir, '..')).sort()).toEqual(['.git', 'README.md', 'content'])
    expect(runSync('git', ['status', '--porcelain'], { cwd: contentDir, encoding: 'utf8' })).toBe('')
    expect(fetched).toEqual([])
    expect(existsSync(canary)).toBe(false)
    expect(readFileSync(join(contentDir, REPOSITORY, 'versions/1.0.0.md'), 'utf8')).toContain('Old\n')
  })
}
