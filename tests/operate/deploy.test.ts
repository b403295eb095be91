// Tests the files in deploy/: the settings in compose.yaml open a real database with any password, the health checks and
// routes of its Caddyfile are right, Kubernetes accepts the objects, and Prometheus the sample rules; each metric and label
// in the rules and the dashboard is one that a hub reports.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readConfig } from '../../src/config.ts'
import type { GitStore } from '../../src/git/git-store.ts'
import { STARTING } from '../../src/hosts/node/health.ts'
import { openMetrics } from '../../src/hosts/node/metrics.ts'
import type { Search } from '../../src/search/search.ts'
import { SETTINGS } from '../../src/settings.ts'
import { openPostgresState } from '../../src/state/state-postgres.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import { poll } from '../e2e/client.ts'
import { isInstalled, startCaddy } from '../host/programs.ts'
import { type PostgresServer, startPostgres } from '../hubs/postgres.ts'
import { freePort } from '../hubs/processes.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'

describe('several machines and Kubernetes', () => {
  const Service = z.object({
    environment: z.record(z.string(), z.string()).optional(),
    depends_on: z.union([z.array(z.string()), z.record(z.string(), z.object({ condition: z.string() }))]).optional(),
    cap_drop: z.array(z.string()).optional(),
    logging: z.object({ options: z.record(z.string(), z.string()) }),
    mem_limit: z.string(),
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

    test.skipIf(!isInstalled('caddy'))(
      'Caddy hides the metrics, and sends reads to the hub that is ready',
      async () => {
        const hubs = await Promise.all(
          ['one', 'two'].map(async (name) => {
            const state = { isReady: true }
            const server = createServer(({ url }, response) => {
              response.statusCode = state.isReady ? 200 : 503
              response.end(url === '/metrics' ? 'secret figures' : name)
            })
            return { server, state, place: new URL(await listen(server)).host }
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
      },
    )

    test('Caddy waits for no hub, and asks them for readiness', () => {
      expect(compose.services.caddy?.depends_on).toEqual(['hub1', 'hub2'])
      expect(readFileSync('deploy/Caddyfile', 'utf8')).toContain('health_uri /readyz?exclude=state\n')
      expect(readFileSync('scripts/healthy.ts', 'utf8')).toContain('READY_ADDRESS')
    })

    test.each(Object.entries(compose.services))(
      '%s cannot fill the disk with its log, and has few rights',
      (name, service) => {
        expect(service.logging.options).toEqual({ 'max-size': '10m', 'max-file': '5' })
        expect(service.mem_limit).toMatch(/^\d+[mg]$/)
        // The image of PostgreSQL starts as root, and changes its user.
        expect(service.cap_drop).toEqual(name === 'database' ? undefined : ['ALL'])
      },
    )
  })

  describe('deploy/kubernetes', () => {
    const FOLDER = 'deploy/kubernetes'
    const documents = (path: string) =>
      readFileSync(join(FOLDER, path), 'utf8')
        .split(/^---$/m)
        .map((text) => parse(text))
    const one = documents('single/kustomization.yaml')[0]
    const two = documents('cluster/kustomization.yaml')[0]
    const [hub] = documents('single/hub.yaml')
    const [hubs] = documents('cluster/hubs.yaml')
    const [container] = hub.spec.template.spec.containers

    test('each secret is a file that its setting names, and each other setting exists', () => {
      const files = [...one.secretGenerator, ...two.secretGenerator].flatMap(({ files }) => files)
      const named = [...container.env, ...hubs.spec.template.spec.containers[0].env]
      expect(named.map(({ name }: { name: string }) => name.replace(/_FILE$/, ''))).toEqual(
        files.map((path: string) => path.replace('secrets/', '')),
      )
      for (const { name, value } of named) expect(value).toBe(`/run/secrets/prompt-hub/${name.replace(/_FILE$/, '')}`)
      const literals: string[] = [...one.configMapGenerator, ...two.configMapGenerator].flatMap(
        ({ literals }) => literals,
      )
      for (const name of [...literals, ...files.map((path: string) => path.replace('secrets/', ''))])
        expect(Object.keys(SETTINGS)).toContain(name.split('=')[0])
      expect(() =>
        readConfig(Object.fromEntries(literals.map((line) => line.split(/=(.*)/s).slice(0, 2)))),
      ).not.toThrow()
    })

    test('a hub has probes, few rights and one writer; two hubs are never down together', () => {
      expect([container.startupProbe, container.livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
        '/healthz',
        '/healthz',
      ])
      expect(container.readinessProbe.httpGet.path).toBe('/readyz?exclude=state')
      expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
      expect([hub.kind, hub.spec.replicas, hubs.spec.replicas]).toEqual(['StatefulSet', 1, 2])
      const [budget] = documents('cluster/disruptions.yaml')
      expect([budget.spec.minAvailable, budget.spec.selector]).toEqual([1, hub.spec.selector])
      const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
      expect(mounts).toEqual(expect.arrayContaining(['/hub/.hub', '/catalogue', '/tmp']))
    })

    test('each object has the fields that Kubernetes defines, and no other', () => {
      const places: Record<string, string> = {
        Namespace: 'core/v1',
        Service: 'core/v1',
        StatefulSet: 'apps/v1',
        PodDisruptionBudget: 'policy/v1',
      }
      const isTyped = (type: string, object: object) => {
        const { kind } = object as { kind: string }
        const from = resolve(`tests/node_modules/kubernetes-types/${places[kind]}`)
        return `{ const object: ${type.replace('KIND', `import('${from}').${kind}`)} = ${JSON.stringify(object)} }`
      }
      const whole = ['single/namespace.yaml', 'single/hub.yaml', 'cluster/disruptions.yaml'].flatMap(documents)
      const checks = [
        'type Part<T> = T extends object ? { [K in keyof T]?: Part<T[K]> } : T',
        ...whole.map((object) => isTyped('KIND', object)),
        isTyped('Part<KIND>', hubs),
        // Without this, a check that finds nothing would pass.
        isTyped('Part<KIND>', { ...hubs, spec: { replicaz: 2 } }),
      ]
      const file = join(temporaryFolder('hub-kubernetes-types-'), 'objects.ts')
      writeFileSync(file, checks.join('\n'))
      const tsc = ['tests/node_modules/typescript-7/bin/tsc', '--ignoreConfig', '--strict', '--noEmit', '--lib', 'es5']
      const { stdout } = spawnSync(process.execPath, [...tsc, file], { encoding: 'utf8' })
      expect(stdout.match(/error TS.*/g)).toEqual([expect.stringContaining('replicaz')])
    })

    test.skipIf(!isInstalled('kubectl'))('kubectl builds both', () => {
      const copy = temporaryFolder('hub-kubernetes-')
      cpSync(FOLDER, copy, { recursive: true })
      const build = (name: 'cluster' | 'single') => {
        const { secretGenerator } = documents(`${name}/kustomization.yaml`)[0]
        mkdirSync(join(copy, name, 'secrets'), { recursive: true })
        for (const path of secretGenerator[0].files) writeFileSync(join(copy, name, path), 'x')
        return execFileSync('kubectl', ['kustomize', join(copy, name)], { encoding: 'utf8' })
          .split(/^---$/m)
          .map((text) => parse(text))
      }
      const kinds = ['Namespace', 'ConfigMap', 'Secret', 'Service', 'StatefulSet']
      expect(build('single').map(({ kind }) => kind)).toEqual(kinds)
      const built = build('cluster')
      expect(built.map(({ kind }) => kind)).toEqual([...kinds, 'PodDisruptionBudget'])
      const [, config, secret, , { spec }] = built
      const [{ image, env, envFrom }] = spec.template.spec.containers
      expect([spec.replicas, image, env.length]).toEqual([2, 'registry.example.org/prompt-hub:1.0.0', 4])
      expect([envFrom[0].configMapRef.name, config.data.CONTENT_DIR]).toEqual([config.metadata.name, ''])
      expect(Object.keys(secret.data)).toHaveLength(4)
    })
  })
})

describe('alerts', () => {
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
    const recording: { groups: { rules: { record: string; expr: string }[] }[] } = parse(
      readFileSync(RECORDING, 'utf8'),
    )
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
})
