// Checks this machine: Node, git, content, stores, port and disk.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { buildRecordPath, searchIndexPath } from '../host/builds/serve-sites.ts'
import { openState } from '../host/open-state.ts'
import { createGit } from '../stores/git/git-command.ts'
import { openLocalGit } from '../stores/git/git-store-local.ts'
import { reviewContent } from '../stores/review/review-content.ts'
import { type Check, type Finding, fail, warn } from './checks.ts'

/** A checkout of this project on a machine, with its settings. */
export interface Machine {
  /** Absolute path of the checkout. */
  root: string
  config: Config
  environment: Readonly<Record<string, string | undefined>>
  /** Node's version as it reports it, without the `v`. */
  nodeVersion: string
  /** Returns the number of free bytes on a folder's disk. */
  freeBytes: (folder: string) => Promise<number>
  /** Returns how many folders the system can watch for one user, or undefined if there is no such limit. */
  maxWatches: () => number | undefined
}

/** The oldest supported git. `git maintenance`, added in 2.29, keeps a busy repository small. docs/notes/git.md section 4 */
const OLDEST_GIT = [2, 30] as const
const MEBIBYTE = 1024 * 1024
/** With less free space, even a build of the starter catalogue may fail. */
const MIN_FREE = 100 * MEBIBYTE
const GOOD_FREE = 1024 * MEBIBYTE

/** Checks for a hub that runs, or will run, on this machine. */
export const MACHINE_CHECKS: readonly Check<Machine>[] = [
  { name: 'node', about: 'this is the Node version that the project requires', run: checkNode },
  { name: 'git', about: 'git is installed and new enough', run: checkGit },
  {
    name: 'content',
    about: 'the content is readable and valid',
    // The `clone` check covers a clone.
    applies: ({ config }) => !config.keepsClone,
    run: checkContent,
  },
  {
    name: 'content-git',
    about: 'git can publish to the content',
    needs: ['git', 'content'],
    applies: ({ config }) => config.gitStore.kind === 'local',
    run: checkContentGit,
  },
  {
    name: 'watching',
    about: 'the system can watch the content for changes',
    needs: ['content'],
    applies: ({ config }) => !config.keepsClone,
    run: checkWatching,
  },
  { name: 'blob-store', about: 'tokens, sessions and fresh copies can be stored', run: checkState },
  { name: 'build', about: 'the last build is complete, or there is none', run: checkBuild },
  {
    name: 'readme',
    about: 'README.md links to this repository',
    needs: ['git'],
    applies: ({ root }) => existsSync(join(root, 'README.md')),
    run: checkReadme,
  },
  { name: 'port', about: 'the port is free, or in use by this hub', run: checkPort },
  { name: 'disk', about: 'there is enough free disk space', run: checkDisk },
]

/** Returns the number of free bytes on a folder's disk, or on the current directory's disk if the folder is missing. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(existsSync(folder) ? folder : '.')
  return bavail * bsize
}

/** Reads the inotify limit, which exists only on Linux. */
export function readMaxWatches(): number | undefined {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'))
  } catch {
    return undefined
  }
}

function checkNode({ root, nodeVersion }: Machine): Finding[] {
  const pinned = readFileSync(join(root, '.nvmrc'), 'utf8').trim()
  return Number(nodeVersion.split('.')[0]) >= Number(pinned)
    ? []
    : [
        fail(
          `This is Node ${nodeVersion}; the hub needs ${pinned}.`,
          'Run it with npm (npm start, npm run doctor): npm ci installed the right version.',
        ),
      ]
}

async function checkGit({ root, environment }: Machine): Promise<Finding[]> {
  const version = await createGit(root, environment)
    .run(['--version'])
    .then((bytes) => /(\d+)\.(\d+)/.exec(bytes.toString()))
    .catch(() => undefined)
  const oldest = OLDEST_GIT.join('.')
  if (!version) return [fail('git cannot be run.', `Install git ${oldest} or later, and make sure that it is in PATH.`)]
  const [major, minor] = [Number(version[1]), Number(version[2])]
  return major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1])
    ? []
    : [fail(`This is git ${version[0]}; the hub needs ${oldest}.`, `Install git ${oldest} or later.`)]
}

async function checkContent({ root, config, environment }: Machine): Promise<Finding[]> {
  const contentDir = resolve(root, config.contentDir)
  if (!existsSync(contentDir))
    return [
      fail(
        `Content folder not found: ${contentDir}.`,
        'Set CONTENT_DIR to the folder that contains the prompts, or create one: npm run new -- owner/name',
      ),
    ]
  const { entries, repositories } = await reviewContent({ contentDir, environment })
  const errors = entries.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first)
    return [
      fail(
        `${errors.length === 1 ? 'A file' : `${errors.length} places`} in the content cannot be served: ${first.file}:${first.line} ${first.rule}.`,
        'Run npm run check:content to list every problem and how to fix it.',
      ),
    ]
  return repositories === 0
    ? [warn('The content folder does not contain any prompts yet.', 'Create the first one: npm run new -- owner/name')]
    : []
}

/** Reads a repository that does not exist, in the same way as a publish; writes nothing. */
async function checkContentGit({ root, config, environment }: Machine): Promise<Finding[]> {
  const git = openLocalGit({ contentDir: resolve(root, config.contentDir), environment, warn: () => {} })
  try {
    await git.readFolder({ owner: 'doctor', name: 'doctor' }, new AbortController())
    return []
  } catch (error) {
    const [problem = '', ...rest] = (error instanceof Error ? error.message : String(error)).split(/(?<=[.:]) /)
    return [fail(problem, rest.join(' ') || 'Repair the content’s git repository.')]
  }
}

/** Compares the number of folders with the limit: each folder needs a watch, and the user's other programs need more. */
function checkWatching({ root, config, maxWatches }: Machine): Finding[] {
  const limit = maxWatches()
  const entries = readdirSync(resolve(root, config.contentDir), { recursive: true, withFileTypes: true })
  const needed = entries.filter((entry) => entry.isDirectory()).length + 1
  return limit === undefined || needed <= limit
    ? []
    : [
        warn(
          `The content has ${needed} folders, but this system watches at most ${limit}: npm start checks for changes every ten seconds.`,
          `Raise the limit: sysctl fs.inotify.max_user_watches=${needed * 2}`,
        ),
      ]
}

async function checkState({ root, config }: Machine): Promise<Finding[]> {
  const folder = resolve(root, '.hub')
  const key = `doctor/${randomBytes(8).toString('hex')}`
  try {
    const state = await openState(config, root)
    try {
      await state.set(key, key, { expiresAt: Date.now() + 60_000 })
      const isKept = (await state.get(key))?.value === key
      await state.delete(key)
      if (isKept) return []
    } finally {
      await state.close()
    }
  } catch {
    // The finding below covers every failure, because the fix is the same.
  }
  return [
    fail(
      `Files written to ${folder} are not stored.`,
      'Make sure that the hub’s user can write to that folder and that the disk is writable.',
    ),
  ]
}

function checkBuild({ root }: Machine): Finding[] {
  const dist = join(root, 'dist')
  const parts = [searchIndexPath(dist), buildRecordPath(dist)]
  return existsSync(dist) && !parts.every((path) => existsSync(path))
    ? [
        fail(
          'dist/ has no search index or build record: the build did not complete, or only dist/ was copied.',
          'Run npm run build, or npm start, which builds automatically.',
        ),
      ]
    : []
}

async function checkPort({ config: { port, listenAt } }: Machine): Promise<Finding[]> {
  const hosts = listenAt === 'everywhere' ? [undefined] : listenAt
  for (const host of hosts) {
    const code = await tryListening(port, host)
    if (code === 'EADDRINUSE')
      return (await isHubAt(port, host))
        ? []
        : [fail(`Port ${port} is in use by another program.`, 'Stop it, or choose another port: PORT=8889')]
    if (code === 'EACCES')
      return [
        fail(
          `This user may not listen on port ${port}.`,
          'Choose a port above 1023, and put a proxy in front of the hub.',
        ),
      ]
    // A machine without IPv6 listens on the other localhost address.
    if (code !== undefined && host !== '::1')
      return [
        fail(
          `The hub cannot listen on ${host ?? 'every address'}: ${code}.`,
          'Set HOST to one of this machine’s IP addresses.',
        ),
      ]
  }
  return []
}

/** Tries to listen on a port. @returns the error code, or undefined on success */
function tryListening(port: number, host: string | undefined): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen({ port, ...(host && { host }) }, () => server.close(() => done(undefined)))
  })
}

async function isHubAt(port: number, host = 'localhost'): Promise<boolean> {
  const name = host.includes(':') ? `[${host}]` : host
  try {
    const answer = await fetch(`http://${name}:${port}/healthz`, { signal: AbortSignal.timeout(2_000) })
    return /^\{"status":"/.test(await answer.text())
  } catch {
    return false
  }
}

async function checkDisk({ root, config, freeBytes }: Machine): Promise<Finding[]> {
  const folders = [...new Set([resolve(root, '.hub'), resolve(root, config.contentDir)])]
  for (const folder of folders) {
    const free = await freeBytes(folder)
    const room = `${Math.floor(free / MEBIBYTE)} MiB of disk space are free for ${folder}.`
    if (free < MIN_FREE) return [fail(`Only ${room}`, 'Free some space: publishing responds with 503 on a full disk.')]
    if (free < GOOD_FREE) return [warn(`Only ${room}`, 'Free some space before builds and publishes fill the disk.')]
  }
  return []
}

/** Checks whether the deploy button in the README still has the placeholder repository. */
async function checkReadme({ root, environment }: Machine): Promise<Finding[]> {
  if (!readFileSync(join(root, 'README.md'), 'utf8').includes('github.com/OWNER/prompt-hub')) return []
  const { stdout } = await createGit(root, environment).tryRun(['config', '--get', 'remote.origin.url'])
  const own = /^(?:https:\/\/|ssh:\/\/git@|git@)github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(
    stdout.toString().trim(),
  )?.[1]
  return own === undefined
    ? []
    : [
        warn(
          `The “Deploy to Netlify” button in README.md still links to OWNER; this repository is ${own}.`,
          `Replace it: sed -i 's#OWNER/prompt-hub#${own}#' README.md`,
        ),
      ]
}
