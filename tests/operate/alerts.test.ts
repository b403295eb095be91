// Checks the sample rules and the dashboard: Prometheus accepts them, and each metric and label in them is one that a hub reports.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { GitStore } from '../../src/git/git-store.ts'
import { STARTING } from '../../src/hosts/node/health.ts'
import { openMetrics } from '../../src/hosts/node/metrics.ts'
import type { Search } from '../../src/search/search.ts'
import type { StateStore } from '../../src/state/state-store.ts'

const FILE = 'deploy/prometheus-alerts.yml'
const RECORDING = 'deploy/prometheus-recording.yml'
const DASHBOARD = 'deploy/grafana-dashboard.json'
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined

interface Rule {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: { summary: string; description: string }
}

test('each metric and label in the rules and the dashboard is in /metrics, and each recorded one is recorded', async () => {
  const metrics = openMetrics('0123abc')
  const health = {
    ...STARTING,
    counts: { repositories: 1, versions: 1, owners: 1 },
    fetch: { at: '2026-11-25T12:00:00.000Z', age_seconds: 1, failure: null },
    state: { kind: 'file', problem: null },
  } as const
  metrics.countRequest({ method: 'GET', path: '/', status: 500, ms: 1, bytes: 1, cache: null, id: 'x' })
  metrics.noteFailedBuild()
  // These have no lines before the first call.
  const nothing = async () => undefined
  await metrics.countGit({ readFolder: nothing } as unknown as GitStore).readFolder({} as never, {} as never)
  await metrics.timeState({ get: nothing } as unknown as StateStore).get('tokens/x')
  await metrics.timeSearch({ find: nothing } as unknown as Search).find({} as never)
  const response = await metrics.respond({
    healthOf: () => health,
    checkAll: async () => [],
    queueOf: () => ({ length: 0, oldestMs: 0 }),
    factsOf: async () => ({ tokens: 1, skew: { git: 0 }, backupAgeSeconds: 1, credentialExpiresSeconds: 1 }),
  })
  const text = await response.text()
  const { groups }: { groups: { rules: Rule[] }[] } = parse(readFileSync(FILE, 'utf8'))
  const rules = groups.flatMap((group) => group.rules)
  const recording: { groups: { rules: { record: string; expr: string }[] }[] } = parse(readFileSync(RECORDING, 'utf8'))
  const recorded = recording.groups.flatMap((group) => group.rules)
  const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(readFileSync(DASHBOARD, 'utf8'))
  const shown = dashboard.panels.flatMap(({ targets }) => targets)
  const names = shown.flatMap(({ expr }) => expr.match(/\bhub:[\w:]+/g) ?? [])
  expect(names.filter((name) => !recorded.some(({ record }) => record === name))).toEqual([])
  const found = [...rules, ...recorded, ...shown].flatMap(({ expr }) => [
    ...expr.matchAll(/\b((?:hub|prompt_hub|nodejs|process)_\w+)(?:\{(\w+)(=~|!=|=)"([^"]*)"\})?/g),
  ])
  expect(new Set(found.map(([, name]) => name)).size).toBeGreaterThan(8)
  for (const [, name = '', label, operator, value = ''] of found) {
    const lines = text.split('\n').filter((line) => RegExp(`^${name}(?:\\{| )`).test(line))
    expect(lines, name).not.toEqual([])
    // Prometheus itself adds the job.
    if (label === undefined || label === 'job') continue
    const values = lines.map((line) => RegExp(`${label}="([^"]*)"`).exec(line)?.[1])
    const isMet = operator === '=~' ? (one = '') => RegExp(`^(?:${value})$`).test(one) : (one = '') => one === value
    expect(values.some(isMet), `${name}{${label}="${value}"}`).toBe(true)
  }
  for (const { alert, labels, annotations } of rules)
    expect([labels.severity, annotations.summary, annotations.description], alert).toEqual([
      expect.stringMatching(/^(?:page|ticket)$/),
      expect.any(String),
      expect.any(String),
    ])
})

test.skipIf(!hasPromtool)('promtool accepts the rules', () => {
  const said = execFileSync('promtool', ['check', 'rules', FILE, RECORDING], { encoding: 'utf8' })
  expect(said.match(/SUCCESS: \d+ rules found/g)).toHaveLength(2)
})

test.skipIf(!hasPromtool)('the rules ring when nobody can publish, and only then', () => {
  expect(execFileSync('promtool', ['test', 'rules', 'tests/operate/alerts.yml'], { encoding: 'utf8' })).toMatch(
    /SUCCESS/,
  )
})
