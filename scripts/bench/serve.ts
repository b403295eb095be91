// Measures the requests per second of the Node server: of a public hub, and of a private one with a token and with a session.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { openState } from '../../src/hosts/node/open-state.ts'
import { openPeople } from '../../src/state/sessions.ts'
import { createToken } from '../../src/state/tokens.ts'
import { pick, seedRandom } from '../content/random.ts'
import { type Measurement, quantile } from './measure.ts'
import { PROJECT_DIR, parametersOf, runNode, startNode } from './processes.ts'
import type { BenchSite } from './site.ts'

const CONNECTIONS = 8
const SECONDS = 4
const ROUNDS = 5
/** The number of prompts requested in turn. */
const DETAILS = 500

/** A private hub serves at least 0.8 of the requests of a public one. The ratio of rates is inverted. */
const MAX_RATIO = 1 / 0.8

/** Without a name on loopback, a public hub does not check where its requests come from. */
const PUBLIC = { SITE_URL: 'https://hub.example', RATE_LIMIT_PER_MINUTE: '0', LOG_REQUESTS: 'off' }

/** A hub with readers. Its people sign in with GitHub, but none of these settings is used. */
const PRIVATE = {
  ...PUBLIC,
  READ_ACCESS: 'members',
  READERS: 'github:octocat',
  SESSION_SECRET: 'x'.repeat(32),
  GITHUB_CLIENT_ID: 'bench',
  GITHUB_CLIENT_SECRET: 'bench',
}

/** The load generator, in a process of its own. https://github.com/mcollina/autocannon */
const AUTOCANNON = join(PROJECT_DIR, 'tests/node_modules/autocannon/autocannon.js')
const Load = z.object({ requests: z.object({ average: z.number() }), errors: z.literal(0), non2xx: z.literal(0) })
const BUILD_SERVER = fileURLToPath(new URL('build-server.ts', import.meta.url))

/** Measures the Node server under load, in the site's folder, which contains everything it needs. */
export async function measureServe(site: BenchSite): Promise<Measurement[]> {
  const random = seedRandom(13)
  const chosen = Array.from({ length: DETAILS }, () => pick(random, site.catalogue.listed.top).full_name)
  const { token, session } = await makeReader(site.dir)
  const withBearer = ['-H', `Authorization=Bearer ${token}`]
  const hubs = [
    // The public hub gets the header too, because the load generator takes longer with one.
    { settings: PUBLIC, header: withBearer, rates: [] as number[] },
    { settings: PRIVATE, header: withBearer, rates: [] as number[] },
    { settings: PRIVATE, header: ['-H', `Cookie=__Host-session=${session}`], rates: [] as number[] },
  ]
  for (let round = 0; round < ROUNDS; round++) {
    for (const { settings, header, rates } of hubs) {
      const server = await startNode([...parametersOf('start').slice(0, -1), BUILD_SERVER], {
        cwd: site.dir,
        settings: { ...site.settings, ...settings },
      })
      try {
        const hub = `http://127.0.0.1:${server.port}`
        const requests = chosen.map((name) => ({ method: 'GET', url: `${hub}/api/v1/repos/${name}`, headers: [] }))
        const har = join(site.dir, 'requests.har')
        writeFileSync(har, JSON.stringify({ log: { entries: requests.map((request) => ({ request })) } }))
        // The first responses include compilation.
        for (const seconds of [1, SECONDS]) {
          const flags = ['--json', '-c', String(CONNECTIONS), '-d', String(seconds), '--har', har, ...header]
          const { log } = await runNode([AUTOCANNON, ...flags, hub], { cwd: site.dir }, (SECONDS + 30) * 1_000)
          if (seconds === SECONDS) rates.push(Load.parse(JSON.parse(log)).requests.average)
        }
      } finally {
        await server.stop()
      }
    }
  }
  const [open, withToken, withSession] = hubs.map(({ rates }) => quantile(rates, 0.5)) as [number, number, number]
  const inPrivate = (reader: string, measured: number): Measurement => ({
    name: `serve: repository, private hub, ${reader}`,
    unit: 'requests/s',
    measured,
    floor: open,
    limit: { of: 'ratio', most: MAX_RATIO },
    note: 'floor: a public hub in the same run',
  })
  return [
    {
      name: 'serve: repository',
      unit: 'requests/s',
      measured: open,
      limit: { of: 'measured', least: 2_000 },
      note: `${CONNECTIONS} connections, ${DETAILS} addresses in turn`,
    },
    inPrivate('token', withToken),
    inPrivate('session', withSession),
  ]
}

async function makeReader(dir: string): Promise<{ token: string; session: string }> {
  const state = await openState({ databaseUrl: undefined }, dir)
  const now = new Date()
  const octocat = { user_id: '583231', login: 'octocat' }
  const people = openPeople(state)
  await people.bindLogin(octocat)
  const session = await people.openSession(octocat, now)
  const wish = {
    holder: { kind: 'operator' },
    name: 'bench',
    scope: 'bench/*',
    permissions: ['read'],
    days: 1,
  } as const
  const { token } = await createToken(state, wish, now)
  await state.close()
  return { token, session }
}
