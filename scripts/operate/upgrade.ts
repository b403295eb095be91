// `npm run upgrade -- VERSION` and `npm run rollback`: replaces the code of a hub that systemd runs, and goes back by itself if the new code does not start.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../run-command.ts'
import { run } from './backup-file.ts'

const USAGE = `Usage: npm run upgrade -- VERSION | BRANCH | FILE.tar.gz
       npm run rollback

Run it as root, in the folder of the code, after reading the new CHANGELOG.md. The new code is installed beside the present one before the hub stops for a few seconds. If the hub is not ready within two
minutes, the present code runs again. A file is a release with its packages, which needs no registry.

Every running unit with the folder as its WorkingDirectory stops and starts with it. Hubs that share a database and have
folders of their own are upgraded one after the other, without a pause.

  --service NAME  the systemd unit; default: prompt-hub`

/** Tests shorten the wait, and have no systemd. */
const { UPGRADE_READY_MS, UPGRADE_UNITS } = process.env
const READY_MS = Number(UPGRADE_READY_MS ?? 120_000)
const LOOK_MS = 500
const UNITS = UPGRADE_UNITS ?? '/etc/systemd/system'

const options = { rollback: { type: 'boolean' }, service: { type: 'string', default: 'prompt-hub' } } as const
await runCommand({ help: USAGE, options, allowPositionals: true }, async ({ positionals, values }) => {
  const [version, ...more] = positionals
  const { rollback = false, service } = values
  if (more.length > 0 || (version === undefined) !== rollback) throw new Error('expected one version')
  const code = realpathSync('.')
  const services = [service, ...findOthers(service, code)]
  const places = { code, next: `${code}-next`, before: `${code}-before`, services }
  const addresses = services.map(readinessOf)
  // The folder is about to be renamed.
  const given = version === undefined ? undefined : resolve(version)
  process.chdir('/')
  if (version === undefined || given === undefined) {
    if (!existsSync(places.before)) throw new Error(`There is no ${places.before} to go back to.`)
    await swap(places, places.before, places.next, addresses)
    console.log(`The code from before the upgrade runs. The other is in ${places.next}.`)
    return
  }
  rmSync(places.next, { recursive: true, force: true })
  if (existsSync(given) && statSync(given).isFile()) unpackRelease(given, places.next)
  else install(version, places)
  rmSync(places.before, { recursive: true, force: true })
  try {
    await swap(places, places.next, places.before, addresses)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error} Going back.`)
    await swap(places, places.before, places.next, addresses)
    throw new Error(
      `The hub runs the code from before. The new code is in ${places.next}: journalctl ${services.map((name) => `--unit ${name}`).join(' ')} has the reason.`,
    )
  }
  console.log(`The hub runs ${versionOf(code)}. To go back: npm run rollback`)
})

interface Places {
  code: string
  next: string
  before: string
  /** The units that run the code. */
  services: readonly string[]
}

/** Clones a version with a tag, or a branch, and installs its packages. */
function install(version: string, { code, next }: Places): void {
  const origin = run('git', ['-C', code, 'remote', 'get-url', 'origin']).trim()
  const names = /^\d+\.\d+\.\d+/.test(version) ? [`v${version}`, version] : [version]
  const found = names.find((name) => run('git', ['ls-remote', origin, name]) !== '')
  if (found === undefined) throw new Error(`${origin} has no version or branch ${version}.`)
  run('git', ['clone', '--quiet', '--branch', found, origin, next])
  // Debian 12 has an older Node and npm.
  const { status } = spawnSync(
    'npx',
    ['--yes', '--package=node@24', '--package=npm@11', '--', 'npm', 'ci', '--omit=dev'],
    {
      cwd: next,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  if (status !== 0) throw new Error(`The packages of ${version} were not installed. The hub was not changed.`)
}

function unpackRelease(file: string, next: string): void {
  mkdirSync(next)
  run('tar', ['--extract', '--no-same-owner', '--strip-components=1', `--file=${file}`, `--directory=${next}`])
  if (!existsSync(join(next, 'node_modules'))) throw new Error(`${file} is not a release with its packages.`)
}

/** Stops the hubs, moves their state to other code, and starts that. @param to where the code goes that runs now @throws Error if one of them is not ready in time */
async function swap({ code, services }: Places, from: string, to: string, addresses: readonly string[]): Promise<void> {
  run('systemctl', ['stop', ...services])
  if (to !== from) rmSync(to, { recursive: true, force: true })
  renameSync(join(code, '.hub'), join(from, '.hub'))
  renameSync(code, to)
  renameSync(from, code)
  replaceUnits(code, join(to, 'deploy/systemd'), join(code, 'deploy/systemd'))
  run('systemctl', ['daemon-reload'])
  // A request to the socket of the service may have started the code that runs from its old place.
  run('systemctl', ['restart', ...services])
  const endsMs = Date.now() + READY_MS
  for (const address of addresses) await waitUntilReady(address, endsMs)
}

async function waitUntilReady(address: string, endsMs: number): Promise<void> {
  for (; ; await sleep(LOOK_MS)) {
    const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    if (answer?.ok) return
    if (Date.now() > endsMs) throw new Error(`The hub was not ready within ${READY_MS / 1000} s.`)
  }
}

/** Replaces the installed units, except those of another folder and those that somebody edited: they have other text than the code that comes before. */
function replaceUnits(code: string, before: string, now: string): void {
  const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)
  for (const name of readdirSync(now)) {
    const installed = textOf(join(UNITS, name))
    const next = textOf(join(now, name))
    if (installed === undefined || installed === next) continue
    if ((folderOf(installed) ?? code) !== code) continue
    if (installed === textOf(join(before, name))) copyFileSync(join(now, name), join(UNITS, name))
    else
      console.error(
        `${join(UNITS, name)} was edited and stays as it is. The new one is deploy/systemd/${name}. Edits of a drop-in stay beside it: systemctl edit ${name}`,
      )
  }
}

/** Lists the other units that run the code now. A unit that runs once, such as the backup, is no hub. */
function findOthers(service: string, code: string): string[] {
  return readdirSync(UNITS)
    .filter((file) => file.endsWith('.service') && file !== `${service}.service`)
    .filter((file) => {
      const text = readFileSync(join(UNITS, file), 'utf8')
      return folderOf(text) === code && !/^Type=oneshot$/m.test(text)
    })
    .map((file) => file.slice(0, -'.service'.length))
    .filter((name) => spawnSync('systemctl', ['is-active', '--quiet', name]).status === 0)
}

/** Returns the folder that a unit runs in; undefined if it names none that exists. */
function folderOf(unit: string): string | undefined {
  const named = /^WorkingDirectory="?([^"\n]+?)"?$/m.exec(unit)?.[1]
  return named !== undefined && existsSync(named) ? realpathSync(named) : undefined
}

/** Returns where the hub says that it is ready, with the port in the settings of its unit. */
function readinessOf(service: string): string {
  const unit = join(UNITS, `${service}.service`)
  if (!existsSync(unit)) throw new Error(`There is no ${unit}. Replace the code as you installed it, and move .hub.`)
  const file = /^EnvironmentFile=-?(.+)$/m.exec(readFileSync(unit, 'utf8'))?.[1]
  const settings = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : ''
  const port = /^PORT="?(\d+)"?$/m.exec(settings)?.[1] ?? '8888'
  return `http://localhost:${port}/readyz?exclude=state`
}

function versionOf(code: string): string {
  return String(JSON.parse(readFileSync(join(code, 'package.json'), 'utf8')).version)
}
