// Runs the conformance suite against the Node server, as tests/e2e/read-start.test.ts runs the official clients. The
// baselines list the expected failures with their reasons.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { freePort, launch } from '../hubs/processes.ts'
import { serveSite } from '../hubs/serve-site.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const home = temporaryFolder('hub-mcp-home-')
const port = await freePort()
const base = `http://localhost:${port}`
const server = await serveSite({
  settings: { CONTENT_DIR: resolve('content'), SITE_URL: base },
  serving: { port },
})
afterAll(() => server.stop())

async function run(program: string, parameters: readonly string[]) {
  const started = launch('node', [resolve('tests/node_modules', program), ...parameters], { HOME: home })
  const { code } = await started.closed
  await started.end()
  return { code, log: started.log() }
}

const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }))

/** Reads the result of each check from a suite's report file. */
function readChecks(results: string) {
  return readdirSync(results).flatMap((scenario) =>
    Checks.parse(JSON.parse(readFileSync(join(results, scenario, 'checks.json'), 'utf8'))),
  )
}

describe.concurrent('the conformance suite', () => {
  //  revision      scenarios that must pass
  test.each([
    [
      '2025-11-25',
      [
        ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'],
        ...['server-session-lifecycle', 'server-sse-polling'],
      ],
    ],
    [
      '2026-07-28',
      [
        ...['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection', 'caching'],
        ...['http-header-validation', 'server-sse-multiple-streams', 'sep-2164-resource-not-found'],
        ...['input-required-result-unsupported-methods', 'input-required-result-validate-input'],
      ],
    ],
  ] as const)('%s', async (revision, mustPass) => {
    const results = mkdtempSync(join(home, 'results-'))
    const { code, log } = await run('conformance-0.2/dist/index.js', [
      ...['server', '--url', `${base}/mcp`, '--timeout', '8000', '--requirements', revision],
      ...['--output-dir', results, '--expected-failures', resolve(`tests/mcp/baseline-${revision}.yml`)],
    ])
    expect(log).toContain('Baseline check passed: all failures are expected.')
    expect(code).toBe(0)
    for (const scenario of mustPass) expect(log).toMatch(new RegExp(`✓ ${scenario}: \\d+ passed, 0 failed`))
    // Every message matches the schema in the specification, even if a fixture is missing.
    const verdicts = readChecks(results).filter(({ id }) => id === 'wire-schema-valid')
    expect(verdicts.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
    expect(verdicts.length).toBeGreaterThan(20)
  })
})

// In this process, which has loaded what it needs.
describe('http', async () => void (await import('./http.ts')))
