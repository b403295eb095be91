// Starts a complete hub as a target: `npm start` with default limits and its own catalogue, in a separate folder.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundlePlaceOf, ensureBundle } from '../../src/hosts/node/builds/pages-bundle.ts'
import { generateContent } from '../content/generate-content.ts'
import { PROJECT_DIR, parametersOf, startNode } from './processes.ts'

/** Generated files, and files that the hub replaces with its own version; these are not linked from the project. */
const OWN = new Set(['.git', '.hub', 'build', 'content', 'dist', 'tests'])
const BUILD_MS = 300_000

/** A running hub. */
export interface HostileHub {
  port: number
  dir: string
  /** A prompt in the catalogue, as `owner/name`. */
  prompt: string
  /** A token for all repositories of the owner `attacker`. */
  token: string
  /** Makes a token for all repositories of an owner, or returns the one that it made before. */
  tokenOf(owner: string): string
  isAlive(): boolean
  /** The memory used by the hub's process, and by the kernel for its connections. */
  heldBytes(): number
  /** Returns whether the site shows a version of a prompt. */
  shows(name: string, version: string): Promise<boolean>
  stop(): Promise<void>
}

/** Starts a hub and waits until its site is built. @param dir new folder @param addContent adds to the content folder */
export async function startHostileHub(
  dir: string,
  prompts: number,
  addContent: (contentDir: string) => void = () => {},
): Promise<HostileHub> {
  mkdirSync(dir, { recursive: true })
  for (const name of readdirSync(PROJECT_DIR))
    if (!OWN.has(name) && !name.startsWith('.')) symlinkSync(join(PROJECT_DIR, name), join(dir, name))
  // The pages are bundled once for all hubs.
  await ensureBundle(bundlePlaceOf(PROJECT_DIR))
  symlinkSync(join(PROJECT_DIR, '.pages'), join(dir, '.pages'))
  const content = join(dir, 'content')
  generateContent({ repositories: prompts, versions: 2, seed: 1, dir: content })
  mkdirSync(join(content, 'attacker'), { recursive: true })
  writeFileSync(join(content, 'attacker/index.md'), '---\nname: Attacker\n---\n')
  addContent(content)
  const git = (...command: string[]) => execFileSync('git', command, { cwd: dir, stdio: 'pipe' })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'bench')
  git('config', 'user.email', 'bench@example.com')
  git('add', 'content')
  git('commit', '-q', '-m', 'Content')
  const settings = { CONTENT_DIR: content, LOG_REQUESTS: 'off' }
  const hub = await startNode(parametersOf('start'), { cwd: dir, settings })
  const url = `http://127.0.0.1:${hub.port}`
  const isThere = async (path: string) => {
    const response = await fetch(url + path)
    await response.arrayBuffer()
    return response.status === 200
  }
  for (
    const end = performance.now() + BUILD_MS;
    !((await isThere('/data/v1/index.json')) && (await isThere('/docs')));
    await sleep(200)
  ) {
    if (performance.now() < end) continue
    await hub.stop()
    throw new Error('The hub to be attacked was not built in time.')
  }
  const index = (await (await fetch(`${url}/data/v1/index.json`)).json()) as { data: { full_name: string }[] }
  const script = [join(PROJECT_DIR, 'scripts/token.ts')]
  const tokens = new Map<string, string>()
  const tokenOf = (owner: string) => {
    const token =
      tokens.get(owner) ??
      execFileSync(process.execPath, [...script, owner], { cwd: dir, env: { ...process.env, ...settings } })
        .toString()
        .trim()
    tokens.set(owner, token)
    return token
  }
  return {
    port: hub.port,
    dir,
    tokenOf,
    prompt: index.data[0]!.full_name,
    stop: hub.stop,
    token: tokenOf('attacker'),
    isAlive() {
      try {
        return process.kill(hub.pid, 0)
      } catch {
        return false
      }
    },
    heldBytes: () => residentBytes(hub.pid) + kernelBytes(hub.port),
    shows: (name, version) => isThere(`/data/v1/repos/${name}/versions/${version}.json`),
  }
}

/** Returns the bytes that the kernel keeps for the connections of a port: those that clients have not received yet, and those that the process has not read. The clients' own buffers are on other machines, outside of a benchmark. https://docs.kernel.org/networking/proc_net_tcp.html */
function kernelBytes(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').trim().split('\n').slice(1))
  const queues = rows.map((row) => row.trim().split(/\s+/)).filter(([, local]) => local?.endsWith(suffix))
  return queues
    .flatMap(([, , , , both = '']) => both.split(':'))
    .reduce((sum, hex) => sum + Number.parseInt(hex, 16), 0)
}

/** Returns the memory used by a process, including its threads. */
function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}
