// Tests the files for several machines: the settings in deploy/compose.yaml open a real database with any password, and
// the health checks and routes of its Caddyfile are right.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readConfig } from '../../src/config.ts'
import { openPostgresState } from '../../src/state/state-postgres.ts'
import { poll } from '../e2e/client.ts'
import { isInstalled, startCaddy } from '../host/programs.ts'
import { type PostgresServer, startPostgres } from '../hubs/postgres.ts'
import { freePort } from '../hubs/processes.ts'

const Service = z.object({
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  image: z.string(),
})
const compose = z
  .object({ services: z.record(z.string(), Service) })
  .parse(parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }))

/** Returns a hub's settings as Compose passes them: `${NAME:?message}` is replaced by the variable, as it is. */
const settingsWith = (variables: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(compose.services.hub1?.environment ?? {}).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, variable: string) => variables[variable] ?? ''),
    ]),
  )

describe('deploy/compose.yaml', () => {
  let postgres: PostgresServer
  let admin: Client
  let database: URL
  beforeAll(async () => {
    postgres = await startPostgres()
    database = new URL(await postgres.createDatabase())
    admin = new Client({ connectionString: database.href })
    await admin.connect()
    await admin.query('CREATE ROLE hub LOGIN; GRANT CREATE ON SCHEMA public TO hub')
  })
  afterAll(async () => {
    await admin?.end()
    await postgres?.close()
  })
  /** Returns the settings with the address of this test's database. */
  const settingsHere = (password: string) => {
    const { DATABASE_URL = '', ...settings } = settingsWith({ POSTGRES_PASSWORD: password })
    expect(DATABASE_URL).toBe('postgresql://hub@database/hub')
    return { ...settings, DATABASE_URL: `postgresql://hub@${database.host}${database.pathname}` }
  }
  const setPassword = (password: string) => admin.query(`ALTER ROLE hub PASSWORD ${admin.escapeLiteral(password)}`)

  test.each(['5Zk+8/x1N0a+Yg/7Q2c=', 'p@ss:w/o?r#d%41', '/', '@'])(
    'opens the database with the password %s',
    async (password) => {
      await setPassword(password)
      const url = readConfig(settingsHere(password)).databaseUrl
      const state = await openPostgresState(url ?? '')
      await state.set('test/compose', password)
      expect(await state.get('test/compose')).toMatchObject({ value: password })
      await state.close()
    },
  )

  test.skipIf(!isInstalled('caddy'))('Caddy hides the metrics, and sends reads to the hub that is ready', async () => {
    const hubs = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const state = { isReady: true }
        const server = createServer(({ url }, response) => {
          response.statusCode = state.isReady ? 200 : 503
          response.end(url === '/metrics' ? 'secret figures' : name)
        })
        await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
        return { server, state, place: `127.0.0.1:${(server.address() as { port: number }).port}` }
      }),
    )
    const caddyfile = readFileSync('deploy/Caddyfile', 'utf8')
      .replace('{$SITE_HOST} {', 'hub.example.org {')
      .replace('hub1:8888 hub2:8888', hubs.map(({ place }) => place).join(' '))
    const caddy = await startCaddy(await freePort(), caddyfile)
    const read = async (path: string) => {
      const answer = await fetch(caddy.url.replace('127.0.0.1', 'localhost') + path)
      return [answer.status, await answer.text()]
    }
    for (const path of ['/metrics', '/metrics/', '//metrics', '/%6detrics', '/a/%2e%2e/metrics'])
      expect([path, String(await read(path))]).toEqual([path, expect.not.stringContaining('secret figures')])
    hubs[0]!.state.isReady = false
    await poll('Caddy avoids the first hub', 60_000, async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => read('/x')))
      return answers.every(([status, text]) => status === 200 && text === 'two') ? true : undefined
    })
    await caddy.stop()
    for (const { server } of hubs) server.close()
  })

  test('Caddy starts once the hubs are ready, and asks them for readiness', () => {
    expect(compose.services.caddy?.depends_on).toEqual({
      hub1: { condition: 'service_healthy' },
      hub2: { condition: 'service_healthy' },
    })
    expect(readFileSync('deploy/Caddyfile', 'utf8')).toContain('health_uri /readyz?exclude=state\n')
    expect(readFileSync('scripts/healthy.ts', 'utf8')).toContain('READY_ADDRESS')
  })
})
