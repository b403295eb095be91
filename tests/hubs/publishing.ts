// Opens a hub in this process for publishing and reading, with one token. It builds only on request.
import { expect } from 'vitest'
import { z } from 'zod'
import { readBuildSource } from '../../src/built/build-source.ts'
import type { SiteFiles } from '../../src/built/site-files.ts'
import { readHistory } from '../../src/content/content-history.ts'
import type { GitStore } from '../../src/git/git-store.ts'
import {
  type BuildSource,
  copiesAhead,
  type FreshCopies,
  openOrderClock,
  UNKNOWN_SOURCE,
} from '../../src/state/fresh-copies.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import { openCopies, rememberCopies } from '../../src/state/stored-copies.ts'
import { BASE_URL, type HandlerOptions, type Handlers, openHandlers } from './handlers.ts'
import { memoryState } from './memory-state.ts'
import type { World } from './worlds.ts'

/** The default prompt to publish to. */
export const REPOSITORY = 'acme/code-review'

/** A response whose body has been read. */
export interface Answer {
  status: number
  headers: Headers
  bytes: Buffer
  text: string
  /** The value of `data`. */
  data: Record<string, unknown>
  /** The version in the response. */
  version: string
  /** The error code, or undefined. */
  code: string | undefined
  /** The error message, or an empty string. */
  message: string
}

/** Options for sending a publish. */
export interface Sending {
  /** `owner/name`. */
  to?: string
  /** The whole path, if it is not the repository's versions path. */
  path?: string
  method?: string
  /** The token to send; null sends no Authorization header. */
  token?: string | null
  key?: string
  /** Additional headers; null omits a header that is otherwise sent. */
  headers?: Readonly<Record<string, string | null>>
}

/** A hub in this process. */
export interface Hub {
  /** A token that covers every repository owned by `acme`. */
  token: string
  state: StateStore
  git: GitStore
  /** The files of the last build. */
  siteFiles: SiteFiles
  /** @param body sent as is if it is a string, bytes or a stream; otherwise serialised as JSON */
  publish(body: unknown, sending?: Sending): Promise<Answer>
  /** Checks a publish; takes the same as `publish`. */
  check(body: unknown, sending?: Sending): Promise<Answer>
  read(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Answer>
  /** Reads a path below the repository's URL. @param rest such as `/raw` */
  readRepository(rest?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  makeToken: Handlers['makeToken']
  /** Returns the content at the branch head, as a build that starts now would read it. */
  readContent(): Promise<{ contentDir: string; source: BuildSource }>
  /**
   * Builds the content at the branch head, or the given result of an earlier read, and serves it from now on. @returns
   * the text of each data file by path
   */
  build(read?: { contentDir: string; source: BuildSource }): Promise<ReadonlyMap<string, string>>
}

/** Optional replacements for parts of a hub. */
export interface HubOptions extends Partial<Omit<HandlerOptions, 'git' | 'fresh' | 'nextOrder'>> {
  /** The store for fresh copies; by default, the one with the tokens. */
  freshState?: StateStore
  /** Whether copies are kept in memory, as our own host does. */
  isRemembering?: boolean
  /** Where fresh copies are stored; by default, in the state. */
  copies?: FreshCopies
}

/** Opens a hub on a repository, with one token. */
export async function openHub(
  world: World,
  {
    state = memoryState(),
    freshState = state,
    copies = openCopies(freshState),
    isRemembering = false,
    ...others
  }: HubOptions = {},
): Promise<Hub> {
  const git = world.openStore()
  let source = UNKNOWN_SOURCE
  const fresh = copiesAhead(isRemembering ? rememberCopies(copies) : copies, () => source)
  const order = openOrderClock(others.clock?.now)
  const nextOrder = () => order.next(source.read_until)
  const handlers = openHandlers({ ...others, git, state, fresh, nextOrder })
  const token = await handlers.makeToken()
  const readContent = async () => {
    const contentDir = await world.contentDir()
    return { contentDir, source: await readBuildSource(contentDir, process.env) }
  }
  const read: Hub['read'] = async (path, headers = {}, method = 'GET') =>
    readAnswer(await handlers.read(new Request(`${BASE_URL}${path}`, { method, headers })))
  return {
    token,
    state,
    git,
    siteFiles: handlers.siteFiles,
    publish: async (body, sending = {}) => readAnswer(await handlers.publish(makeRequest(body, { token, ...sending }))),
    check: async (body, { to = REPOSITORY, ...sending } = {}) =>
      readAnswer(
        await handlers.check(makeRequest(body, { path: `/api/v1/repos/${to}/check`, token: null, ...sending })),
      ),
    read,
    readRepository: (rest = '', headers = {}) => read(`/api/v1/repos/${REPOSITORY}${rest}`, headers),
    makeToken: handlers.makeToken,
    readContent,
    build: async (read) => {
      const { contentDir, source: given } = read ?? (await readContent())
      const { files, problems } = handlers.build(
        contentDir,
        await readHistory(contentDir, process.env, given.read_until ?? ''),
      )
      expect(problems).toEqual([])
      source = given
      return files
    },
  }
}

/** Serves a hub's API as one handler, as a server does. */
export function serveHub(hub: Hub): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname: path, search } = new URL(request.url)
    const sending = {
      path: path + search,
      method: request.method,
      token: null,
      headers: Object.fromEntries(request.headers),
    }
    const { status, headers, bytes } =
      request.method === 'GET'
        ? await hub.read(path + search)
        : await (path.endsWith('/check') ? hub.check : hub.publish)(Buffer.from(await request.arrayBuffer()), sending)
    return new Response(new Uint8Array(bytes), { status, headers })
  }
}

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
  // A stream needs `duplex`, which the DOM types lack.
  const init = {
    method,
    headers: all,
    duplex: 'half',
    body:
      body === undefined
        ? null
        : isRaw
          ? (body as string | Uint8Array<ArrayBuffer> | ReadableStream)
          : JSON.stringify(body),
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
