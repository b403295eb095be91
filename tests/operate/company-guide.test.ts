// Tests the guide to a private hub by following its steps for a company: a real provider, PostgreSQL, and two hubs behind Caddy with
// the guide's settings and commands, from the first sign-in to the day somebody leaves.
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstalled, type Running, startCaddy } from '../host/programs.ts'
import { type Machine, type Machines, openMachines } from '../hubs/machines.ts'
import { type PostgresServer, startPostgres } from '../hubs/postgres.ts'
import { freePort, plainEnvironment, type Run } from '../hubs/processes.ts'
import { CLIENT, type OpenIdProvider, startOpenIdProvider } from '../oidc/provider.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { blocksOf } from './follow-guide.ts'
import { startCommands } from './loaded-commands.ts'

const [owner, doctor, token, read, mcp, leave, forget, ...more] = blocksOf('hosting-private', 'sh') as [
  ...[string, string, string, string, string, string, string],
]
const [settings = '', ...moreSettings] = blocksOf('hosting-private', 'ini')
const [caddyfile = '', ...moreCaddy] = blocksOf('hosting-private', 'caddyfile')

describe.skipIf(!isInstalled('caddy'))('a hub for a company (needs caddy)', () => {
  const closing: (() => unknown)[] = []
  let front: string
  let machine: Machine
  let environment: Record<string, string>
  let provider: OpenIdProvider
  let hubs: { base: string; run: Run }[]
  let localise: (text: string) => string
  let commands: Awaited<ReturnType<typeof startCommands>>

  /** Runs code blocks of the guide in one shell. @returns what they print, also on standard error */
  const run = (blocks: readonly string[], more: Record<string, string> = {}) => {
    const script = `set -euo pipefail\n${commands.functions}npm() { shift; npm_run "$@"; }\n${blocks.map(localise).join('\n')}`
    const env = { ...plainEnvironment(), ...more } as NodeJS.ProcessEnv
    return new Promise<{ isDone: boolean; stdout: string; stderr: string }>((done) => {
      execFile('bash', ['-c', script], { env, encoding: 'utf8' }, (error, stdout, stderr) =>
        done({ isDone: error === null, stdout, stderr }),
      )
    })
  }

  beforeAll(async () => {
    commands = await startCommands()
    closing.push(() => commands.close())
    const frontPort = await freePort()
    const catalogue = temporaryFolder('prompt-hub-company-')
    closing.push(() => rmSync(catalogue, { recursive: true, force: true }))
    const postgres: PostgresServer = await startPostgres()
    closing.push(() => postgres.close())
    const database = await postgres.createDatabase()
    front = `http://localhost:${frontPort}`
    provider = await startOpenIdProvider([`${front}/auth/callback/oidc`], {
      claimsOf: (login) => ({ email: `${login}@${login === 'eve' ? 'evil' : 'acme'}.example`, email_verified: true }),
    })
    closing.push(() => provider.close())
    const machines: Machines = openMachines()
    closing.push(() => machines.close())
    machine = machines.make({})
    const words = {
      'https://prompts.acme.example': front,
      'https://login.acme.example': provider.issuer,
      'from-your-provider': CLIENT.clientSecret,
      'postgresql://hub@localhost/hub': database.replace(/:[^:@/]*@/, '@'),
      'of-your-choice': 'of-this-test',
      '/srv/catalogue': catalogue,
      // In quotes, because the path to this checkout may contain spaces.
      '/srv/prompt-hub': `'${machine.folder}'`,
      '/etc/prompt-hub.env': join(catalogue, 'prompt-hub.env'),
      // The guide is for root, and here everything belongs to one user.
      'runuser -u prompt-hub -- ': '',
    }
    localise = (text) => Object.entries(words).reduce((changed, [word, other]) => changed.replaceAll(word, other), text)
    writeFileSync(join(catalogue, 'prompt-hub.env'), localise(settings))
    environment = Object.fromEntries(
      localise(settings)
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
  }, 300_000)
  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  test('has these code blocks', () => {
    expect(mcp).toContain('claude mcp add')
    // The last ones are for a hub in a private network: tests/operate/private-guide.ts. The invitation is in examples-table.ts.
    expect([more.length, moreSettings.length, moreCaddy.length]).toEqual([2, 1, 1])
  })

  test('starts two hubs with the first owner, and the doctor passes', async () => {
    // A second run changes nothing.
    expect(await run([owner, owner])).toMatchObject({ isDone: true, stderr: '' })
    expect((await run([doctor])).stdout).toMatch(/All checks passed/)
    const isReady = async (base: string) => (await fetch(`${base}/readyz`)).ok
    hubs = []
    for (let number = 0; number < 2; number++) {
      const hub = await machine.start(environment, isReady)
      hubs.push(hub)
      closing.push(() => hub.run.end())
    }
    const [one, two] = hubs.map(({ base }) => new URL(base).host)
    const site = caddyfile
      .replace('prompts.acme.example', 'hub.example.org')
      .replace('localhost:8888', one!)
      .replace('localhost:8889', two!)
    const caddy: Running = await startCaddy(Number(new URL(front).port), site)
    closing.push(() => caddy.stop())
  }, 600_000)

  /** Signs in through the front. @returns the last answer, and the session's cookie if there is one */
  async function signIn(login: string) {
    const begun = await fetch(`${front}/auth/sign-in`, { redirect: 'manual' })
    const note = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const back = await provider.signIn(new URL(begun.headers.get('location') ?? ''), login)
    const ended = await fetch(back, { headers: { cookie: note, accept: 'text/html' }, redirect: 'manual' })
    const cookie = ended.headers
      .getSetCookie()
      .find((one) => one.startsWith('session='))
      ?.split(';')[0]
    return { status: ended.status, text: await ended.text(), cookie }
  }
  const settingsOn = (cookie: string) =>
    Promise.all(hubs.map(async ({ base }) => (await fetch(`${base}/settings`, { headers: { cookie } })).text()))

  test('signs in whom READERS admits, on both hubs, and nobody else', async () => {
    const ada = await signIn('ada')
    expect(ada.status).toBe(303)
    for (const page of await settingsOn(ada.cookie ?? '')) {
      expect(page).toContain('Signed in as <strong>ada-acme</strong>')
      expect(page).toContain('<a href="/acme">acme</a>')
    }
    const eve = await signIn('eve')
    expect([eve.status, eve.cookie]).toEqual([403, undefined])
    expect(eve.text).toContain('Ask the operator of this hub to add you to its readers')
  })

  test('gives CI a token that reads', async () => {
    const made = (await run([token])).stdout.trim()
    expect(made).toMatch(/^hub_[0-9A-Za-z]{38}$/)
    expect(JSON.parse((await run([read], { HUB_URL: front, HUB_TOKEN: made })).stdout)).toMatchObject({
      data: { handle: 'acme' },
    })
  })

  test('ends everything of somebody who leaves, on both hubs, from the next request on', async () => {
    const { cookie = '' } = await signIn('ada')
    const left = await run([leave])
    expect(left.stdout).toMatch(/ada-acme +oidc-[0-9a-f]{32} +ada@acme\.example/)
    expect(left.stdout).toMatch(/Blocked: ada-acme\./)
    expect(left.stderr).toContain('"event":"person_blocked","login":"ada-acme"')
    for (const page of await settingsOn(cookie)) expect(page).not.toContain('Signed in as')
    const again = await signIn('ada')
    expect([again.status, again.cookie]).toEqual([403, undefined])
    const forgotten = await run([forget])
    expect(forgotten.stdout).toMatch(/Unblocked: ada-acme[\s\S]*Forgotten: ada-acme/)
    expect((await run([leave.replace(/^.* block .*$/m, '')])).stdout).not.toContain('ada')
    expect((await signIn('ada')).status).toBe(303)
  })

  test('wrote an audit line for each sign-in and refusal', () => {
    const lines = hubs.flatMap(({ run }) => run.log().split('\n')).filter((line) => line.includes('"level":"audit"'))
    const events = lines.map((line) => JSON.parse(line).event)
    expect(events.filter((event) => event === 'sign_in')).toHaveLength(3)
    expect(events.filter((event) => event === 'sign_in_refused')).toHaveLength(2)
    expect(lines.join('\n')).not.toMatch(/@acme\.example|eyJ|hub_/)
  })
})
