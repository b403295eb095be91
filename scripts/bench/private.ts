// Measures the reads of a private hub, with a token and with a session, compared with those of a public hub in the same run.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openState } from '../../packages/node-server/open-state.ts'
import { openPeople } from '../../packages/stores/state/sessions.ts'
import { createToken } from '../../packages/stores/state/tokens.ts'
import { pick, seedRandom } from '../content/random.ts'
import { type Measurement, quantile } from './measure.ts'
import { load, serveHub } from './serve.ts'
import type { BenchSite } from './site.ts'

const ROUNDS = 5
/** The number of prompts requested in turn. */
const DETAILS = 500

/** A private hub serves at least 0.8 of the requests of a public one. The ratio of rates is inverted. */
const MAX_RATIO = 1 / 0.8

/** Without a name on loopback, a public hub does not check where its requests come from. */
const PUBLIC = { SITE_URL: 'https://hub.example' }

/** A hub with readers. Its people sign in with GitHub, but none of these settings is used. */
const PRIVATE = {
  ...PUBLIC,
  ...{ READ_ACCESS: 'members', READERS: 'github:octocat', SESSION_SECRET: 'x'.repeat(32) },
  ...{ GITHUB_CLIENT_ID: 'bench', GITHUB_CLIENT_SECRET: 'bench' },
}

/** Measures the requests per second of a public hub, and of a private one. */
export async function measurePrivate(site: BenchSite): Promise<Measurement[]> {
  const random = seedRandom(13)
  const chosen = Array.from({ length: DETAILS }, () => pick(random, site.catalogue.listed.top))
  const paths = join(site.dir, 'addresses.txt')
  writeFileSync(paths, chosen.map(({ owner, name }) => `/api/v1/repos/${owner}/${name}`).join('\n'))
  const { token, session } = await makeReader(site.dir)
  const hubs = [
    { name: 'public', settings: PUBLIC, header: '', rates: [] as number[] },
    { name: 'token', settings: PRIVATE, header: `Authorization: Bearer ${token}`, rates: [] as number[] },
    { name: 'session', settings: PRIVATE, header: `Cookie: __Host-session=${session}`, rates: [] as number[] },
  ]
  for (let round = 0; round < ROUNDS; round++) {
    for (const { settings, header, rates } of hubs) {
      const server = await serveHub(site, settings)
      try {
        rates.push(await load(server.port, paths, site.dir, header))
      } finally {
        await server.stop()
      }
    }
  }
  const [open, ...closed] = hubs.map(({ name, rates }) => ({ name, rate: quantile(rates, 0.5) }))
  return closed.map(({ name, rate }) => ({
    name: `private: repository, ${name}`,
    unit: 'requests/s',
    measured: rate,
    floor: open!.rate,
    limit: { of: 'ratio', most: MAX_RATIO },
    note: 'floor: a public hub in the same run',
  }))
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
