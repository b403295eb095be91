// Owns the hub of these tests: the real handlers in this process, over a git repository of their own, blobs in memory, and a build made on demand.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import type { TokenRecord } from '../../src/domain/access/token-record.ts'
import type { BlobStore } from '../../src/ports/blob-store.ts'
import type { GitStore } from '../../src/ports/git-store.ts'
import type { RateLimiter } from '../../src/ports/rate-limiter.ts'
import type { AuthTools } from '../../src/server/publish/authenticate.ts'
import { freshInBlobs, rememberFresh } from '../../src/stores/fresh-copies-blobs.ts'
import { openGitHub } from '../../src/stores/git-store-github.ts'
import { openLocalGit } from '../../src/stores/git-store-local.ts'
import type { GitHubStandIn, StandInRepository } from '../github/stand-in.ts'
import { BASE_URL, openHandlers } from '../hubs/handlers.ts'

/** Where a publish goes unless a test says otherwise. */
export const REPOSITORY = 'acme/code-review'

type Files = Readonly<Record<string, string>>

/** A git repository that several hubs may share, as several processes do. */
export interface World {
  openStore(): GitStore
  /** Commits files as somebody else does. @param files paths from the repository's root */
  commitOutside(files: Files): Promise<unknown>
  /** The repository as a git folder that the command `git` reads. */
  gitFolder(): Promise<string>
  /** The content folder of the head, as a build finds it. */
  contentDir(): Promise<string>
  close(): void
}

/** An answer, read to its end. */
export interface Answer {
  status: number
  headers: Headers
  bytes: Buffer
  text: string
  /** What stands under `data`. */
  data: Record<string, unknown>
  /** The version that was answered. */
  version: string
  /** The error's code, or undefined. */
  code: string | undefined
  /** The error's sentence, or an empty text. */
  message: string
}

/** How a publish is sent. */
export interface Sending {
  /** `owner/name`. */
  to?: string
  /** The whole path, when it is not that of a repository's versions. */
  path?: string
  method?: string
  /** null: without an Authorization header. */
  token?: string | null
  key?: string
  /** More headers; null leaves one of the usual ones out. */
  headers?: Readonly<Record<string, string | null>>
}

/** A hub in this process. */
export interface Hub {
  /** Covers every repository of the owner `acme`. */
  token: string
  blobs: BlobStore
  git: GitStore
  /** @param body sent as it is when it is a text, bytes or a stream; else written as JSON */
  publish(body: unknown, sending?: Sending): Promise<Answer>
  read(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Answer>
  /** Reads below the repository's address. @param rest such as `/raw` */
  readRepository(rest?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  makeToken(made?: { scope?: string; days?: number; holder?: TokenRecord['holder'] }, now?: Date): Promise<string>
  /** Builds the content of the head and serves that from now on. @returns path → text of each data file */
  build(): Promise<ReadonlyMap<string, string>>
}

/** What a hub may be given instead of its own. */
export interface HubOptions {
  blobs?: BlobStore
  /** Where fresh copies go, when not among the tokens. */
  freshBlobs?: BlobStore
  /** Whether copies are remembered, as our own host does it. */
  isRemembering?: boolean
  limiter?: RateLimiter
  failedTokens?: RateLimiter
  purge?: (cacheTag: string) => Promise<void>
  /** How people and jobs are told apart, where a test is about them; else every person is who they were, and no job publishes. */
  auth?: Partial<AuthTools>
}

/** A blob store in memory. @param pause waited for before each call */
export function memoryBlobs(pause: () => Promise<void> = async () => {}): BlobStore & { texts: Map<string, string> } {
  const texts = new Map<string, string>()
  return {
    texts,
    get: async (key) => {
      await pause()
      return texts.get(key)
    },
    set: async (key, text) => {
      await pause()
      texts.set(key, text)
    },
    add: async (key, text) => {
      await pause()
      const isNew = !texts.has(key)
      if (isNew) texts.set(key, text)
      return isNew
    },
    delete: async (key) => {
      await pause()
      texts.delete(key)
    },
    list: async (prefix) => [...texts.keys()].filter((key) => key.startsWith(prefix)),
  }
}

/** A work tree on this machine, with one commit. @param files in that commit */
export function openLocalWorld(files: Files = {}): World {
  const folder = mkdtempSync(join(tmpdir(), 'hub-publish-'))
  const contentDir = join(folder, 'content')
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: folder })
  const commitAll = (all: Files) => {
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    run('-c', 'core.autocrlf=false', 'add', '--', ...Object.keys(all))
    run('commit', '-q', '-m', 'Somebody else', '--only', '--', ...Object.keys(all))
  }
  mkdirSync(contentDir)
  run('init', '-q', '-b', 'main')
  commitAll({ 'README.md': '# Hub\n', ...files })
  return {
    openStore: () =>
      openLocalGit({ contentDir, environment: process.env, warn: (message) => expect(message).toBe('') }),
    commitOutside: async (all) => commitAll(all),
    gitFolder: async () => join(folder, '.git'),
    contentDir: async () => contentDir,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A repository on the stand-in. @param callTimeoutMs how long a hub waits for one call */
export async function openGitHubWorld(
  standIn: GitHubStandIn,
  files: Files = {},
  callTimeoutMs = 8_000,
): Promise<World & { place: StandInRepository }> {
  const place = await standIn.createRepository()
  if (Object.keys(files).length > 0) await standIn.commitOutside(place, files)
  const folder = mkdtempSync(join(tmpdir(), 'hub-publish-'))
  let exported = 0
  const gitFolder = async () => {
    exported += 1
    await standIn.exportTo(place, join(folder, `${exported}.git`))
    return join(folder, `${exported}.git`)
  }
  const { repository, branch, token } = place
  const credential = { kind: 'token', token } as const
  return {
    place,
    openStore: () => openGitHub({ repository, branch, credential, apiUrl: standIn.url, callTimeoutMs }),
    commitOutside: (all) => standIn.commitOutside(place, all),
    gitFolder,
    contentDir: async () => {
      const git = await gitFolder()
      const tree = `${git}.tree`
      mkdirSync(join(tree, 'content'), { recursive: true })
      execFileSync('git', [
        '-c',
        'core.bare=false',
        '--git-dir',
        git,
        '--work-tree',
        tree,
        'checkout',
        '-q',
        '-f',
        'main',
      ])
      return join(tree, 'content')
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Opens a hub over a repository, with one token. */
export async function openHub(world: World, options: HubOptions = {}): Promise<Hub> {
  const { blobs = memoryBlobs(), limiter, purge, isRemembering = false } = options
  const git = world.openStore()
  const copies = freshInBlobs(options.freshBlobs ?? blobs)
  const fresh = isRemembering ? rememberFresh(copies) : copies
  const { auth, failedTokens } = options
  const handlers = openHandlers({ git, blobs, fresh, auth, limiter, failedTokens, purge })
  const token = await handlers.makeToken()
  const read: Hub['read'] = async (path, headers = {}, method = 'GET') =>
    readAnswer(await handlers.read(new Request(`${BASE_URL}${path}`, { method, headers })))
  return {
    token,
    blobs,
    git,
    publish: async (body, sending = {}) => readAnswer(await handlers.publish(makeRequest(body, { token, ...sending }))),
    read,
    readRepository: (rest = '', headers = {}) => read(`/api/v1/repos/${REPOSITORY}${rest}`, headers),
    makeToken: handlers.makeToken,
    build: async () => {
      const { files, problems } = handlers.build(await world.contentDir())
      expect(problems).toEqual([])
      return files
    },
  }
}

/** What real git says of a repository: sound, linear, and one version file a commit, none ever changed. @returns paths of the version files, oldest first */
export async function judgeHistory(world: World): Promise<string[]> {
  const folder = await world.gitFolder()
  const git = (...args: string[]) =>
    execFileSync('git', ['--git-dir', folder, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 })
  expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('')
  expect(git('rev-list', '--min-parents=2', 'main')).toBe('')
  const log = git('log', '--reverse', '--no-renames', '--name-status', '--format=%x00%s', 'main', '--', 'content')
  const added: string[] = []
  for (const commit of log.split('\0').slice(1)) {
    const [headline = '', ...lines] = commit.split('\n').filter((line) => line !== '')
    const versions = lines.filter((line) => /\/versions\//.test(line))
    const others = lines.filter((line) => !versions.includes(line))
    const [, fullName = '', version = ''] = /^Publish (\S+) (\S+)$/.exec(headline) ?? []
    if (version === '') {
      for (const line of versions) expect(line[0]).toBe('A')
      continue
    }
    expect(versions).toEqual([`A\tcontent/${fullName}/versions/${version}.md`])
    for (const line of others) expect(line.slice(2)).toBe(`content/${fullName}/index.md`)
    added.push(`content/${fullName}/versions/${version}.md`)
  }
  return added
}

/** Each answer names the very commit that holds what was sent with it. */
export async function expectPublished(
  world: World,
  bodies: readonly { content: string }[],
  answers: readonly Answer[],
): Promise<void> {
  const folder = await world.gitFolder()
  const Commit = z.object({ sha: z.string() })
  for (const [index, { data, version }] of answers.entries()) {
    const file = `${Commit.parse(data.commit).sha}:content/${data.full_name}/versions/${version}.md`
    const text = execFileSync('git', ['--git-dir', folder, 'cat-file', 'blob', file], { encoding: 'utf8' })
    expect(text.endsWith(`\n---\n${bodies[index]!.content}`)).toBe(true)
  }
}

/** So many numbers like 1.0.0, 1.0.1, …: what publishers at once must get between them. */
export const consecutive = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `1.0.${from + index}`)

/** In the order of numbers, not of text. */
export const sorted = (versions: readonly string[]): string[] =>
  [...versions].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

function makeRequest(
  body: unknown,
  { to = REPOSITORY, path, method = 'POST', token, key, headers = {} }: Sending,
): Request {
  const all = new Headers({ 'Content-Type': 'application/json' })
  if (token) all.set('Authorization', `Bearer ${token}`)
  if (key !== undefined) all.set('Idempotency-Key', key)
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name)
    else all.set(name, value)
  }
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
  // A stream needs `duplex`, which the types of the DOM do not know.
  const init = {
    method,
    headers: all,
    duplex: 'half',
    body: isRaw ? (body as string | Uint8Array<ArrayBuffer> | ReadableStream) : JSON.stringify(body),
  }
  return new Request(`${BASE_URL}${path ?? `/api/v1/repos/${to}/versions`}`, init)
}

const Envelope = z.object({
  data: z.record(z.string(), z.unknown()).optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
})

async function readAnswer(response: Response): Promise<Answer> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString('utf8')
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') && text !== ''
  const parsed = isJson ? Envelope.safeParse(JSON.parse(text)).data : undefined
  const data = parsed?.data ?? {}
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    data,
    version: typeof data.version === 'string' ? data.version : '',
    code: parsed?.error?.code,
    message: parsed?.error?.message ?? '',
  }
}
