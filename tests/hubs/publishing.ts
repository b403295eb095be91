// Opens a hub in this process for publishing and reading, with one token. It builds only on request, in memory.

import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { verifyAttestation } from '../../src/attestations/verify-in-thread.ts'
import { readBuildSource } from '../../src/built/build-source.ts'
import { joinCatalogue, orderCatalogue } from '../../src/catalogue/catalogue.ts'
import { type CatalogueEntry, makeEntry } from '../../src/catalogue/entry.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import { readHistory } from '../../src/content/content-history.ts'
import type { TokenRecord } from '../../src/domain/access/token.ts'
import { findWebhookUrlProblem } from '../../src/domain/access/webhook-address.ts'
import { startServer } from '../../src/hosts/node/http/http-server.ts'
import type { PublishHub } from '../../src/server/publish/publish-hub.ts'
import { type Clock, openClock } from '../../src/server/publish/write-to-git.ts'
import { isBlocked } from '../../src/state/blocks.ts'
import {
  type BuildSource,
  copiesAhead,
  type FreshCopies,
  openOrderClock,
  UNKNOWN_SOURCE,
} from '../../src/state/fresh-copies.ts'
import { findPerson } from '../../src/state/identities.ts'
import { openIncluded } from '../../src/state/included.ts'
import { openProposals } from '../../src/state/proposals.ts'
import { createPublishTurns } from '../../src/state/publish-turns.ts'
import { openPublished } from '../../src/state/published.ts'
import { type RateLimiter, UNLIMITED } from '../../src/state/rate-limiter.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import { openCopies, rememberCopies } from '../../src/state/stored-copies.ts'
import { createToken, findToken, recordTokenUse } from '../../src/state/tokens.ts'
import { openWebhooks } from '../../src/state/webhooks.ts'
import { openApp } from './app.ts'
import { BASE_URL, makeHub } from './make-hub.ts'
import { memoryState } from './memory-state.ts'
import { listSiteFiles } from './site-files.ts'
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

/** A clock whose pauses between two attempts last a tenth: the git host of a test answers sooner than others, too. */
export const QUICK_CLOCK: Clock = { ...openClock(), sleep: (ms) => sleep(ms / 10) }

/** What a test gives instead of the defaults: everybody keeps their identity, no job publishes, and nothing is limited. */
export interface HubOptions extends Partial<PublishHub> {
  /** The store for the tokens. */
  state?: StateStore
  /** The store for fresh copies; by default, the one with the tokens. */
  freshState?: StateStore
  /** Whether copies are kept in memory, as our own host does. */
  isRemembering?: boolean
  /** Where fresh copies are stored; by default, in the state. */
  copies?: FreshCopies
  /** The clock of the hub's machine. */
  clock?: Clock
  /** Limits checks and reads by APM, which share the limit of reads. */
  reads?: RateLimiter
}

export type Hub = Awaited<ReturnType<typeof openHub>>

/** Opens a hub on a repository, with one token, which covers every prompt of `acme`. */
export async function openHub(
  world: Pick<World, 'openStore' | 'contentDir'>,
  {
    state = memoryState(),
    freshState = state,
    copies = openCopies(freshState),
    isRemembering = false,
    clock = QUICK_CLOCK,
    reads = UNLIMITED,
    quota = { prompts: 0, bytes: 0 },
    ...given
  }: HubOptions = {},
) {
  const git = world.openStore()
  let source = UNKNOWN_SOURCE
  let files = new Map<string, string>()
  const blobs = new Map<string, Uint8Array>()
  const siteFiles = {
    read: async (path: string) => {
      const text = files.get(path)
      return text === undefined ? (blobs.get(path) as Buffer<ArrayBuffer> | undefined) : Buffer.from(text)
    },
  }
  const fresh = copiesAhead(isRemembering ? rememberCopies(copies) : copies, () => source)
  const order = openOrderClock(clock.now)
  const hub = makeHub({ siteFiles, fresh, quota })
  const limited = { ...hub, limiter: reads }
  const published = openPublished(state, 'tests')
  const included = openIncluded(state, 'tests')
  const publishHub: PublishHub = {
    ...hub,
    git,
    fresh,
    nextOrder: () => order.next(source.read_until),
    issuer: 'https://token.actions.githubusercontent.com',
    verifyAttestation,
    findToken: (sent) => findToken(state, sent),
    findHolder: (person) => findPerson(state, person),
    isBlocked: (person) => isBlocked(state, person),
    verifyJob: async () => {
      throw new Error('no job publishes here')
    },
    spendJob: async () => false,
    recordTokenUse: (id) => recordTokenUse(state, id, new Date()),
    failedTokens: async () => UNLIMITED,
    listUsedNumbers: async (place) => Object.keys(await published.read(place)),
    rememberVersion: published.remember,
    noteIncluded: included.note,
    listIncluding: included.list,
    proposals: async () => openProposals(state),
    purge: async () => {},
    takeTurn: createPublishTurns(),
    webhooks: async () => ({
      ...openWebhooks(state),
      findAddressProblem: async (url) => findWebhookUrlProblem(url, false),
    }),
    isAlone: false,
    advance: async () => false,
    ...given,
  }
  const ask = openApp(() => hub, {
    hub: (request) => (new URL(request.url).pathname.match(/^\/(?:api\/apm|npm)\//) ? limited : hub),
    publishing: () => publishHub,
    checking: () => limited,
    clock,
  })
  const makeToken = async (
    made: {
      scope?: string
      days?: number
      holder?: TokenRecord['holder']
      permissions?: TokenRecord['permissions']
    } = {},
    now = new Date(),
  ) => {
    const wish = { holder: { kind: 'operator' as const }, name: 'test', scope: 'acme/*', days: 90, ...made }
    return (await createToken(state, wish, now)).token
  }
  const token = await makeToken()
  const read = async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    readAnswer(await ask(new Request(`${BASE_URL}${path}`, { method, headers })))
  /** Returns the content at the branch head, as a build that starts now would read it. */
  const readContent = async () => {
    const contentDir = await world.contentDir()
    return { contentDir, source: await readBuildSource(contentDir, process.env) }
  }
  return {
    token,
    state,
    git,
    /** The files of the last build. */
    siteFiles,
    /** Answers a request to any host. */
    answer(request: Request): Promise<Response> {
      const { pathname, search } = new URL(request.url)
      return ask(new Request(`${BASE_URL}${pathname}${search}`, request))
    },
    /** @param body sent as is if it is a string, bytes or a stream; otherwise serialised as JSON */
    publish: async (body: unknown, sending: Sending = {}) =>
      readAnswer(await ask(makeRequest(body, { token, ...sending }))),
    /** Checks a publish; takes the same as `publish`. */
    check: async (body: unknown, { to = REPOSITORY, ...sending }: Sending = {}) =>
      readAnswer(await ask(makeRequest(body, { path: `/api/v1/repos/${to}/check`, token: null, ...sending }))),
    read,
    /** Reads a path below the repository's URL. @param rest such as `/raw` */
    readRepository: (rest = '', headers: Readonly<Record<string, string>> = {}) =>
      read(`/api/v1/repos/${REPOSITORY}${rest}`, headers),
    makeToken,
    readContent,
    /**
     * Builds the content at the branch head, or the given result of an earlier read, and serves it from now on. @returns
     * the text of each data file by path
     */
    async build(read?: { contentDir: string; source: BuildSource }): Promise<ReadonlyMap<string, string>> {
      const { contentDir, source: given } = read ?? (await readContent())
      const history = await readHistory(contentDir, process.env, given.read_until ?? '')
      const { tree, problems } = readContentDir(contentDir)
      if (problems.length > 0) throw new Error(JSON.stringify(problems))
      const options = { baseUrl: BASE_URL, day: '2026-11-20' }
      const entries = new Map<string, CatalogueEntry>()
      for (const [fullName, repository] of tree.repositories) {
        const stats = tree.usage.get(fullName) ?? null
        const added = JSON.parse(history.added.get(fullName) ?? '{}')
        entries.set(fullName, makeEntry(repository, { ...options, models: tree.models, stats, added }))
      }
      const catalogue = joinCatalogue({ ...tree, entries }, options, orderCatalogue(entries, options))
      files = new Map()
      blobs.clear()
      for (const [path, content] of listSiteFiles(catalogue, contentDir, history))
        if (typeof content === 'string') files.set(path, content)
        else blobs.set(path, content)
      source = given
      return files
    },
  }
}

/** Serves what answers requests over HTTP. */
export async function serve(answer: (request: Request) => Promise<Response>) {
  const { server, stop } = await startServer(answer, 0)
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => stop(0) }
}

/** Serves a hub over HTTP. @param filesOf returns the data files of a static host as they are at a request, by path; by default, there are none */
export const serveHub = (hub: Hub, filesOf: () => ReadonlyMap<string, string> = () => new Map()) =>
  serve(async (request) => {
    const { pathname } = new URL(request.url)
    const headers = { 'Content-Type': 'application/json' }
    if (!pathname.startsWith('/data/')) return hub.answer(request)
    const text = filesOf().get(pathname)
    return text === undefined ? new Response('{}', { status: 404, headers }) : new Response(text, { headers })
  })

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
