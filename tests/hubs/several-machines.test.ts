// Checks that several machines form one hub: two machines share one PostgreSQL server and one GitHub repository, and
// survive kills, restarts, outages, and an upgrade without downtime, as the guide describes it.
// tests/publish/shared-turns.test.ts has the turns of three; tests/host/follow-github.test.ts, what each machine does.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { poll as pollOften } from '../e2e/client.ts'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { isInstalled, type Running, startCaddy } from '../host/programs.ts'
import { AUDIENCE } from '../oidc/issuer.ts'
import { type Machine, type Machines, openMachines } from './machines.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { freePort, isServingFiles, type Run, signalGroup } from './processes.ts'

const PUBLISHES = 6
const WITHIN = 60_000
/** Seldom, because the machines of this test share few processors. */
const poll = <T>(what: string, milliseconds: number, look: () => Promise<T | undefined>) =>
  pollOften(what, milliseconds, look, 250)

const isReady = async (base: string) => (await fetch(`${base}/readyz?exclude=state`)).ok
const { version: OLD } = JSON.parse(readFileSync('package.json', 'utf8'))
const NEW = '9.9.9'
const PATHS = [
  ...['/', '/acme', '/acme/first', '/acme/first/v/1.0.0', '/search?q=first', '/docs', '/docs/cli', '/feed.xml'],
  ...['/api/v1/repos/acme/first', '/api/v1/repos/acme/first/raw', '/data/v1/tags.json', '/cli/hubcli'],
]

let standIn: GitHubStandIn
let place: StandInRepository
let postgres: PostgresServer
let opened: Machines
let machines: Machine[]
let hubs: { base: string; run: Run }[]
let token: string
beforeAll(async () => {
  standIn = await startGitHubStandIn({ redirectUris: [`${AUDIENCE}/auth/callback`] })
  ;[place, postgres] = await Promise.all([standIn.createRepository(), startPostgres()])
  await standIn.commitOutside(place, versionFile('acme/first', '1.0.0', 'The first.\n'))
  opened = openMachines()
  const settings = {
    SITE_URL: AUDIENCE,
    TRUSTED_PROXIES: 'loopback',
    DATABASE_URL: await postgres.createDatabase(),
    GITHUB_REPOSITORY: place.repository,
    GITHUB_TOKEN: place.token,
    GITHUB_API_URL: standIn.url,
    GITHUB_OAUTH_URL: standIn.url,
    GITHUB_CLIENT_ID: standIn.oauth.clientId,
    GITHUB_CLIENT_SECRET: standIn.oauth.clientSecret,
    SESSION_SECRET: 'the same secret on each of the machines',
    CONTENT_POLL_SECONDS: '4',
    // As long as two checks of Caddy take.
    DRAIN_SECONDS: '4',
    RATE_LIMIT_PER_MINUTE: '100000',
    LOG_REQUESTS: 'off',
  }
  machines = [opened.make(settings), opened.make(settings)]
  hubs = await Promise.all(machines.map((machine) => machine.start({}, isServingFiles)))
  token = machines[0]!.makeToken('acme')
})
afterAll(async () => {
  for (const { run } of hubs ?? []) signalGroup(run.child, 'SIGKILL')
  await Promise.all((hubs ?? []).map(({ run }) => run.end()))
  if (process.env.SHOW_LOGS) for (const { run } of hubs) console.log(run.log())
  opened?.close()
  await Promise.all([postgres?.close(), standIn?.close()])
})

const versionFile = (name: string, version: string, content: string) => ({
  [`content/${name}/versions/${version}.md`]: `---\npublished_at: 2026-11-01T00:00:00Z\npublished_by: octocat\nchangelog: Made.\n---\n${content}`,
})
const bases = () => hubs.map(({ base }) => base)
const publish = (base: string, name: string, body: object, bearer = token) =>
  fetch(`${base}/api/v1/repos/${name}/versions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ changelog: 'Made.', ...body }),
  })
/** Publishes as the clients do, with retries if the response asks for them. */
const publishPatiently = async (base: string, name: string, body: object) => {
  for (;;) {
    const answer = await publish(base, name, body)
    if (answer.status !== 503) return answer
    await sleep(200 + 300 * Math.random())
  }
}
const readRaw = async (base: string, name: string, version?: string) => {
  const answer = await fetch(`${base}/api/v1/repos/${name}/raw${version ? `?version=${version}` : ''}`)
  return answer.ok ? await answer.text() : answer.status
}
const servedContent = async (base: string, name: string) => {
  const content = await readRaw(base, name)
  return typeof content === 'string' ? content : undefined
}
const health = async (base: string) => (await fetch(`${base}/healthz`)).json()

/** Returns a browser that sends its requests to the hub chosen by the load balancer. */
const openBrowser = () => {
  const cookies = new Map<string, string>()
  return async (base: string, path: string) => {
    const answer = await fetch(base + path, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return answer
  }
}
/** Approves the sign-in on GitHub. @returns the callback URL on the hub */
const agreeAtGitHub = async (answer: Response): Promise<string> => {
  const address = new URL(answer.headers.get('location') ?? '')
  await fetch(address)
  const { redirect_uri = '', state = '', client_id = '' } = Object.fromEntries(address.searchParams)
  const body = new URLSearchParams({ login: 'alice', redirect_uri, scope: '', state, client_id })
  const back = await fetch(`${standIn.url}/login/oauth/callback`, { method: 'POST', body, redirect: 'manual' })
  const { pathname, search } = new URL(back.headers.get('location') ?? '')
  return pathname + search
}

describe('a hub on two machines', () => {
  test('concurrent publishes get consecutive versions, each readable at once on every machine', async () => {
    const versions: string[] = []
    const lost: string[] = []
    const bumps = ['patch', 'minor', 'patch', 'major'] as const
    const queue = Array.from({ length: PUBLISHES }, (_, number) => number)
    const publishAll = async () => {
      for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
        const content = `Number ${number}.\n`
        const answer = await publishPatiently(bases()[number % 2]!, 'acme/many', { content, bump: bumps[number % 4] })
        expect([answer.status, await answer.clone().text()]).toEqual([201, expect.any(String)])
        const { version } = (await answer.json()).data
        versions.push(version)
        for (const base of bases()) {
          const read = await readRaw(base, 'acme/many', version)
          if (read !== content) lost.push(`${version} at ${base}: ${read}`)
          const listed = await (await fetch(`${base}/api/v1/repos/acme/many/versions`)).json()
          if (!listed.data.some((one: { version: string }) => one.version === version))
            lost.push(`${version} in the list`)
        }
      }
    }
    await Promise.all(Array.from({ length: 6 }, publishAll))
    expect(lost).toEqual([])
    expect(new Set(versions).size).toBe(PUBLISHES)
    const numbers = versions.map((version) => version.split('.').map(Number) as [number, number, number])
    numbers.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
    for (const [at, [major, minor, patch]] of numbers.slice(1).entries()) {
      const [x, y, z] = numbers[at]!
      expect([`${x + 1}.0.0`, `${x}.${y + 1}.0`, `${x}.${y}.${z + 1}`]).toContain(`${major}.${minor}.${patch}`)
    }
  }, 600_000)

  test('sign-in starts on one machine, finishes on the other and is valid on both', async () => {
    const ask = openBrowser()
    const [one = '', two = ''] = bases()
    const way = await agreeAtGitHub(await ask(one, '/auth/sign-in'))
    expect((await ask(two, way)).status).toBe(303)
    // A page returns 503 until the hub has opened the page bundle.
    const page = await poll('the page is there', WITHIN, async () => {
      const answer = await ask(one, '/settings')
      return answer.status === 200 ? await answer.text() : undefined
    })
    expect(page).toContain('Signed in as <strong>alice</strong>')
  })

  test('the publish rate limit is shared by all machines, and a revoked token is rejected by each', async () => {
    const limited = machines[1]!.makeToken('limited')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        publish(bases()[number % 2]!, 'limited/x', { content: 'x\n', dry_run: true }, limited),
      ),
    )
    const counts = Map.groupBy(answers, ({ status }) => status)
    // A busy machine answers 503 to what it has counted.
    expect([...counts.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([])
    expect(counts.get(429)).toHaveLength(10)
    for (const { headers } of counts.get(429)!) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    machines[1]!.revokeTokens('limited')
    for (const base of bases()) expect((await publish(base, 'limited/x', { content: 'y\n' }, limited)).status).toBe(401)
  })

  test('the other machine keeps serving and publishing when one is killed while it publishes', async () => {
    const lost = Array.from({ length: 3 }, (_, number) =>
      publish(bases()[1]!, 'acme/lost', { content: `Lost ${number}.\n` }).catch(() => undefined),
    )
    await poll('the second machine publishes', WITHIN, async () => servedContent(bases()[0]!, 'acme/lost'))
    signalGroup(hubs[1]!.run.child, 'SIGKILL')
    await hubs[1]!.run.closed
    await Promise.all(lost)
    const answer = await publishPatiently(bases()[0]!, 'acme/first', { content: 'After the kill.\n' })
    expect(answer.status).toBe(201)
    expect(await readRaw(bases()[0]!, 'acme/first')).toBe('After the kill.\n')
  })

  test('without the database: reads work, publish and sign-in return 503, and both recover', async () => {
    const ask = openBrowser()
    // The other machine was killed.
    const base = bases()[0]!
    const way = await agreeAtGitHub(await ask(base, '/auth/sign-in'))
    const published = await publishPatiently(base, 'acme/first', { content: 'Before the loss.\n' })
    expect(published.status).toBe(201)
    const { commit } = (await published.json()).data
    // Until then, the copy in the database has it: a busy machine answers before its build does.
    await poll('a build has it', WITHIN, async () => ((await health(base)).commit === commit.sha ? true : undefined))
    await postgres.stop()
    const endsMs = Date.now() + 1_000
    const refusals = await Promise.all([publish(base, 'acme/first', { content: 'Lost.\n' }), ask(base, way)])
    expect(refusals.map(({ status }) => status)).toEqual([503, 503])
    for (const { headers } of refusals) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    while (Date.now() < endsMs) {
      expect(await readRaw(base, 'acme/first')).toBe('Before the loss.\n')
      await sleep(200)
    }
    const problem = expect.stringContaining('The database in DATABASE_URL does not respond (ECONNREFUSED).')
    await expect
      .poll(() => health(base), { timeout: WITHIN })
      .toMatchObject({ status: 'degraded', state: { kind: 'database', problem } })
    const ready = await fetch(`${base}/readyz`)
    expect([ready.status, (await ready.json()).unready]).toEqual([503, [{ part: 'state', reason: problem }]])
    expect((await fetch(`${base}/readyz?exclude=state`)).status).toBe(200)
    // The machine that was killed starts now, with a new version of the code, and serves the content from git.
    machines[1]!.upgrade(NEW)
    hubs[1] = await machines[1]!.start()
    await poll('it has followed', WITHIN, async () =>
      (await servedContent(bases()[1]!, 'acme/first')) === 'Before the loss.\n' ? true : undefined,
    )
    expect((await publish(bases()[1]!, 'acme/first', { content: 'Lost.\n' })).status).toBe(503)
    await postgres.start()
    const after = await poll('publishing works', WITHIN, async () => {
      const answer = await publish(bases()[1]!, 'acme/first', { content: 'After the loss.\n' })
      return answer.status === 503 ? undefined : answer.status
    })
    expect(after).toBe(201)
    for (const base of bases())
      await poll('it is read', WITHIN, async () =>
        (await readRaw(base, 'acme/first')) === 'After the loss.\n' ? true : undefined,
      )
    for (const base of bases())
      await poll('health is well', WITHIN, async () => ((await health(base)).state.problem === null ? true : undefined))
    const again = openBrowser()
    const back = await agreeAtGitHub(await again(bases()[0]!, '/auth/sign-in'))
    expect((await again(bases()[1]!, back)).status).toBe(303)
  })
})

describe.skipIf(!isInstalled('caddy'))('an upgrade of one machine after the other (needs caddy)', () => {
  let caddy: Running
  let front: string
  beforeAll(async () => {
    const frontPort = await freePort()
    front = `http://localhost:${frontPort}`
    const caddyfile = readFileSync('deploy/Caddyfile', 'utf8')
      .replace('{$SITE_HOST} {', 'hub.example.org {')
      .replace(
        'hub1:8888 hub2:8888',
        bases()
          .map((base) => new URL(base).host)
          .join(' '),
      )
    caddy = await startCaddy(frontPort, caddyfile)
  })
  afterAll(() => caddy?.stop())

  test('no read of a page, the API or a download fails while the last of them is upgraded', async () => {
    let isOver = false
    let reads = 0
    const failed: string[] = []
    const seen = new Set<string | null>()
    const read = async (start: number) => {
      for (let at = start; !isOver; at++) {
        const path = PATHS[at % PATHS.length]!
        const answer = await fetch(front + path).catch((error) => error as Error)
        const text = answer instanceof Error ? String(answer.cause) : await answer.text()
        reads += 1
        if (answer instanceof Error || answer.status !== 200)
          failed.push(`${path}: ${answer instanceof Error ? '' : answer.status} ${text.slice(0, 200)}`)
        else seen.add(answer.headers.get('x-prompt-hub-version'))
        // Seldom, because the machines of this test share few processors.
        await sleep(400)
      }
    }
    const reading = Promise.all([read(0), read(4), read(8)])
    // The other machine was upgraded after it was killed.
    machines[0]!.upgrade(NEW)
    await hubs[0]!.run.end()
    hubs[0] = await machines[0]!.start({ PORT: new URL(bases()[0]!).port }, isReady)
    isOver = true
    await reading
    expect(failed).toEqual([])
    expect(reads).toBeGreaterThan(3 * PATHS.length)
    expect(seen).toEqual(new Set([OLD, NEW]))
    for (const { base } of hubs) expect((await fetch(`${base}/docs`)).headers.get('x-prompt-hub-version')).toBe(NEW)
  }, 600_000)
})
