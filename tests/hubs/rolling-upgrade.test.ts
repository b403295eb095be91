// Checks an upgrade without downtime: two hubs behind Caddy are replaced one after the other with other code, as the
// guide describes, while pages, the API and downloads are read.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GitHubStandIn, startGitHubStandIn } from '../github/stand-in.ts'
import { isInstalled, type Running, startCaddy } from '../host/programs.ts'
import { type Machine, type Machines, openMachines } from './machines.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { freePort, type Run } from './processes.ts'

const PROMPT = '---\npublished_at: 2026-11-01T00:00:00Z\npublished_by: octocat\nchangelog: Made.\n---\nThe first.\n'
const isReady = async (base: string) => (await fetch(`${base}/readyz?exclude=state`)).ok
/** What a page says before and after the upgrade. The hub's name is in the repository on GitHub. */
const [OLD, NEW] = ['Acme Prompts is a prompt registry.', 'Acme Prompts is a registry with other code.']
const PATHS = [
  ...['/', '/acme', '/acme/first', '/acme/first/v/1.0.0', '/search?q=first', '/docs', '/docs/cli', '/feed.xml'],
  ...['/api/v1/repos/acme/first', '/api/v1/repos/acme/first/raw', '/data/v1/tags.json', '/cli/hubcli'],
]

describe.skipIf(!isInstalled('caddy'))('two hubs', () => {
  let standIn: GitHubStandIn
  let postgres: PostgresServer
  let opened: Machines
  let machines: Machine[]
  let hubs: { base: string; run: Run }[]
  let ports: number[]
  let caddy: Running
  let front: string
  beforeAll(async () => {
    ;[standIn, postgres] = await Promise.all([startGitHubStandIn(), startPostgres()])
    const place = await standIn.createRepository()
    await standIn.commitOutside(place, {
      'content/site.yml': 'name: Acme Prompts\n',
      'content/acme/first/versions/1.0.0.md': PROMPT,
    })
    opened = openMachines()
    const settings = {
      SITE_URL: 'https://hub.example',
      TRUSTED_PROXIES: 'loopback',
      DATABASE_URL: await postgres.createDatabase(),
      GITHUB_REPOSITORY: place.repository,
      GITHUB_TOKEN: place.token,
      GITHUB_API_URL: standIn.url,
      GITHUB_OAUTH_URL: standIn.url,
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_REQUESTS: 'off',
    }
    machines = [opened.make(settings), opened.make(settings)]
    ports = [await freePort(), await freePort()]
    hubs = await Promise.all(machines.map((machine, at) => machine.start({ PORT: String(ports[at]) }, isReady)))
    const frontPort = await freePort()
    front = `http://localhost:${frontPort}`
    const caddyfile = readFileSync('deploy/Caddyfile', 'utf8')
      .replace('{$SITE_HOST} {', 'hub.example.org {')
      .replace('hub1:8888 hub2:8888', ports.map((port) => `localhost:${port}`).join(' '))
    caddy = await startCaddy(frontPort, caddyfile)
  }, 600_000)
  afterAll(async () => {
    await caddy?.stop()
    await Promise.all((hubs ?? []).map(({ run }) => run.end()))
    opened?.close()
    await Promise.all([postgres?.close(), standIn?.close()])
  })

  test('no read of a page, the API or a download fails while they are upgraded', async () => {
    let isOver = false
    let reads = 0
    const failed: string[] = []
    const seen = { old: 0, new: 0 }
    const read = async (start: number) => {
      for (let at = start; !isOver; at++) {
        const path = PATHS[at % PATHS.length]!
        const answer = await fetch(front + path).catch((error) => error as Error)
        const text = answer instanceof Error ? String(answer.cause) : await answer.text()
        reads += 1
        if (answer instanceof Error || answer.status !== 200)
          failed.push(`${path}: ${answer instanceof Error ? '' : answer.status} ${text.slice(0, 200)}`)
        if (path === '/docs' && text.includes(OLD)) seen.old += 1
        if (path === '/docs' && text.includes(NEW)) seen.new += 1
        await new Promise((resolve) => setTimeout(resolve, 150))
      }
    }
    const reading = Promise.all([read(0), read(4), read(8)])
    for (const [number, machine] of machines.entries()) {
      machine.upgrade({
        'src/site/components/layout.astro': (text) =>
          text.replace('is a prompt registry.', 'is a registry with other code.'),
      })
      await hubs[number]!.run.end()
      hubs[number] = await machine.start({ PORT: String(ports[number]) }, isReady)
    }
    isOver = true
    await reading
    expect(failed).toEqual([])
    expect(reads).toBeGreaterThan(3 * PATHS.length)
    expect([seen.old > 0, seen.new > 0]).toEqual([true, true])
    for (const { base } of hubs) expect(await (await fetch(`${base}/docs`)).text()).toContain(NEW)
  }, 600_000)
})
