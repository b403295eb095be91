// `npm run faults`: lets hubs meet one fault after the other, with real PostgreSQL, Caddy and Prometheus, and prints what readers, publishers and the alarms noticed. First two hubs of several machines, then one with a git repository of its own.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { poll } from '../e2e/client.ts'
import { FAULTS, type Fault } from '../github/faults.ts'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { startCaddy } from '../host/programs.ts'
import { type Machine, openMachines } from '../hubs/machines.ts'
import { startPostgres } from '../hubs/postgres.ts'
import { freePort, isServingFiles, signalGroup } from '../hubs/processes.ts'
import { setup as makePages } from '../make-pages.ts'
import { removeTemporaryFolders, temporaryFolder } from '../temporary-folder.ts'
import { startLoad } from './fault-load.ts'
import { openDatabaseProxy, startPrometheus } from './fault-watch.ts'

/** Begins a fault. @returns what ends it */
type Begin = () => Promise<() => unknown>
/** A fault, and whether nothing works again after it. */
type Met = readonly [name: string, begin: Begin, isLast?: 'last']

const WITHIN_MS = 240_000
const SETTINGS = {
  SITE_URL: 'https://hub.example.org',
  CONTENT_POLL_SECONDS: '4',
  RATE_LIMIT_PER_MINUTE: '0',
  TRUSTED_PROXIES: 'loopback',
  METRICS: 'on',
  LOG_REQUESTS: 'off',
}
const FIRST = '---\npublished_at: 2026-11-01T00:00:00Z\npublished_by: octocat\n---\nText\n'
const FIRST_PATH = 'content/acme/first/versions/1.0.0.md'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' }, only: { type: 'string' } } })
makePages()
const opened = openMachines()
let wrong = 0
try {
  await severalMachines()
  await oneMachine()
} finally {
  opened.close()
  removeTemporaryFolders()
}
process.exit(wrong === 0 ? 0 : 1)

async function severalMachines(): Promise<void> {
  const standIn = await startGitHubStandIn()
  const [place, postgres] = await Promise.all([standIn.createRepository(), startPostgres()])
  await standIn.commitOutside(place, { [FIRST_PATH]: FIRST })
  const direct = await postgres.createDatabase()
  const database = await openDatabaseProxy(direct)
  const settings = {
    ...SETTINGS,
    DATABASE_URL: database.url,
    GITHUB_REPOSITORY: place.repository,
    GITHUB_TOKEN: place.token,
    GITHUB_API_URL: standIn.url,
    SESSION_SECRET: 'the same secret on each of the machines',
  }
  const hubs = await Promise.all([openHub(opened.make(settings)), openHub(opened.make(settings))])
  // The proxy is in this process, which waits for that command.
  const operator = opened.make({ ...settings, DATABASE_URL: direct })
  const meet = async (on: 'any' | 'mutation', fault: Fault, every = 1) => {
    let count = 0
    standIn.script({ on, times: Number.POSITIVE_INFINITY, when: () => ++count % every === 0, fault })
    return standIn.forget
  }
  const toDatabase = async (mode: 'hole' | 'late') => {
    database.set(mode)
    return () => database.set('through')
  }
  await meetAll('Two hubs, PostgreSQL and GitHub', hubs, operator, [
    ['nothing', async () => () => {}],
    [
      'a hub is killed, and starts again',
      async () => {
        hubs[0]!.kill()
        return hubs[0]!.start
      },
    ],
    [
      'each hub is stopped and started, one after the other',
      async () => {
        for (const hub of hubs) await hub.restart()
        return () => {}
      },
    ],
    ['PostgreSQL is stopped', () => postgres.stop().then(() => postgres.start)],
    ['PostgreSQL swallows everything', () => toDatabase('hole')],
    ['PostgreSQL answers 1.6 s late', () => toDatabase('late')],
    ['GitHub cannot be reached', () => meet('any', FAULTS.cut(false))],
    ['GitHub refuses the token', () => meet('any', FAULTS.badCredentials())],
    ['GitHub answers 502', () => meet('any', FAULTS.badGateway(false))],
    ['GitHub loses the answer to each second commit', () => meet('mutation', FAULTS.cut(true), 2)],
    ['the tokens are gone', () => loseTokens(direct).then(() => () => {}), 'last'],
  ])
  database.close()
  await Promise.all([postgres.close(), standIn.close()])
}

async function loseTokens(url: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query("DELETE FROM prompt_hub_state WHERE convert_from(key, 'UTF8') LIKE 'tokens/%'")
  await client.end()
}

async function oneMachine(): Promise<void> {
  const folder = temporaryFolder('hub-faults-')
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' })
  /** The hub may have locked the index for a publish. */
  const retry = (...args: string[]) =>
    poll(`git ${args.join(' ')}`, WITHIN_MS, async () => {
      try {
        git(...args)
        return true
      } catch {
        return undefined
      }
    })
  mkdirSync(join(folder, dirname(FIRST_PATH)), { recursive: true })
  writeFileSync(join(folder, FIRST_PATH), FIRST)
  git('init', '-b', 'main')
  git('add', '.')
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-m', 'First')
  const machine = opened.make({ ...SETTINGS, CONTENT_DIR: join(folder, 'content') })
  const hub = await openHub(machine)
  await meetAll('One hub and a git repository of its own', [hub], machine, [
    ['nothing', async () => () => {}],
    [
      'somebody checks out a commit',
      async () => {
        await retry('checkout', '--detach')
        return () => retry('checkout', 'main')
      },
    ],
    [
      'a git command has left its lock',
      async () => {
        const lock = join(folder, '.git/index.lock')
        writeFileSync(lock, '')
        utimesSync(lock, new Date(), new Date(Date.now() - 120_000))
        return () => rmSync(lock, { force: true })
      },
    ],
    [
      'the state file is gone',
      async () => {
        for (const end of ['', '-wal', '-shm']) rmSync(join(hub.folder, `.hub/state.db${end}`), { force: true })
        return () => {}
      },
      'last',
    ],
  ])
}

/** A hub on a machine, which can be started again at the same port. */
type FaultHub = Awaited<ReturnType<typeof openHub>>

async function openHub(machine: Machine) {
  let { base, run } = await machine.start({}, isServingFiles)
  const { port } = new URL(base)
  const start = async () => {
    ;({ base, run } = await machine.start({ PORT: port }, isServingFiles))
  }
  return {
    port,
    folder: machine.folder,
    start,
    kill: () => signalGroup(run.child, 'SIGKILL'),
    async restart() {
      await run.end()
      await start()
    },
    end: () => run.end(),
  }
}

async function meetAll(
  what: string,
  hubs: readonly FaultHub[],
  operator: Machine,
  faults: readonly Met[],
): Promise<void> {
  const ports = hubs.map(({ port }) => port)
  const caddyfile = readFileSync('deploy/Caddyfile', 'utf8')
    .replace('{$SITE_HOST} {', 'hub.example.org {')
    .replace('hub1:8888 hub2:8888', ports.map((port) => `localhost:${port}`).join(' '))
  const port = await freePort()
  const caddy = await startCaddy(port, caddyfile)
  const tokens = [operator.makeToken('acme'), operator.makeToken('acme')]
  const prometheus = await startPrometheus(ports)
  const load = startLoad(`http://localhost:${port}`, tokens)
  console.log(`\n${what}\n`)
  console.log(
    '| Fault | GET: failed of all, slowest | MCP: failed of all | Publishes: done, tried again | Alarms, after s |',
  )
  console.log('|---|---|---|---|---|')
  for (const [name, begin, isLast] of faults) {
    if (values.only !== undefined && !RegExp(values.only).test(name)) continue
    const listened = await prometheus.listen()
    const noticed = load.next()
    const endsMs = Date.now() + Number(values.seconds) * 1_000
    const end = await begin()
    await sleep(Math.max(0, endsMs - Date.now()))
    await end()
    // The hub counts its tokens once a minute.
    if (isLast) await poll(`an alarm rings after: ${name}`, WITHIN_MS, async () => listened.rang.size > 0 || undefined)
    listened.end()
    const alarms = Array.from(listened.rang, ([alarm, seconds]) => `${alarm} ${seconds}`)
    if (isLast === undefined) await settle(name, ports, () => noticed.published)
    const { reads, failed, slowestMs, calls, failedCalls, published, triedAgain } = noticed
    console.log(
      `| ${name} | ${failed.length} of ${reads}, ${Math.round(slowestMs)} ms | ${failedCalls.length} of ${calls} | ${published}, ${triedAgain} | ${alarms.join(', ')} |`,
    )
    for (const one of new Set([...failed, ...failedCalls])) console.log(`  ${one}`)
  }
  const { acknowledged, lost, doubled } = await load.end()
  console.log(`\n${acknowledged} acknowledged publishes: ${lost.length} lost, ${doubled.length} doubled.`)
  wrong += lost.length + doubled.length
  prometheus.stop()
  await caddy.stop()
  await Promise.all(hubs.map((hub) => hub.end()))
}

/** Waits until everything works again. */
async function settle(name: string, ports: readonly string[], countPublished: () => number): Promise<void> {
  await poll(`all hubs are ready after: ${name}`, WITHIN_MS, async () => {
    const answers = await Promise.all(
      ports.map((port) => fetch(`http://localhost:${port}/readyz`).catch(() => undefined)),
    )
    return answers.every((answer) => answer?.ok) || undefined
  })
  const before = countPublished()
  await poll(`something is published after: ${name}`, WITHIN_MS, async () => countPublished() > before || undefined)
}
