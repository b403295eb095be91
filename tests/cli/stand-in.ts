// A small fake hub for the hubcli tests. It implements docs/contract.md sections 4, 6 and 7 in memory, and can fail in
// many ways.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request, exactly as received. */
export interface SeenRequest {
  method: string
  /** The path and query, undecoded. */
  url: string
  headers: IncomingMessage['headers']
  body: Buffer
}

/** A fault that takes the place of a valid response. */
export type Trouble =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string | Buffer }
  /** Announces `promisedBytes`, sends `body`, and closes the connection. */
  | { kind: 'cut'; promisedBytes: number; body: string }
  /** Performs the request, but closes the connection instead of responding. */
  | { kind: 'lose' }
  /** Accepts the request and never responds. */
  | { kind: 'hang' }

/** Never responds, and tells when the first request has arrived. */
export function hangAndTell(): { hang: () => Trouble; arrived: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const hang = (): Trouble => {
    resolve()
    return { kind: 'hang' }
  }
  return { hang, arrived: promise }
}

/** A running fake hub. */
export interface StandIn {
  /** `http://127.0.0.1:port`, without a trailing slash. */
  url: string
  /** Every request, in order. */
  requests: SeenRequest[]
  close(): Promise<void>
}

interface StandInVersion {
  version: string
  content: string
  changelog: string
}

interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

/** The only token that may publish; it covers only `acme` repositories. */
export const STAND_IN_TOKEN = `hub_${'Tok3nOfTheStandIn'.repeat(3).slice(0, 38)}`

const OWNER = /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}$/
const NAME = /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,63}$/
const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/
const REQUEST_BYTES = 1_048_576

/**
 * Starts a fake hub on a free port of 127.0.0.1. It contains `acme/code-review` (1.0.0 and 1.1.0) and the archived
 * `acme/archived`.
 *
 * @param misbehave called for each request with its 1-based number; if it returns undefined, the fake hub responds
 * normally
 */
export async function startStandIn(
  misbehave: (request: SeenRequest, number: number) => Trouble | undefined = () => undefined,
): Promise<StandIn> {
  const requests: SeenRequest[] = []
  const hub = createHub()
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks),
    }
    requests.push(request)
    const trouble = misbehave(request, requests.length)
    if (trouble !== undefined && trouble.kind !== 'lose') return makeTrouble(outgoing, trouble)
    const answer = hub.answer(request, `http://${incoming.headers.host}`)
    if (trouble === undefined) send(outgoing, asAsked(request.headers.accept, answer))
    else outgoing.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function makeTrouble(outgoing: ServerResponse, trouble: Exclude<Trouble, { kind: 'lose' }>): void {
  if (trouble.kind === 'hang') return
  if (trouble.kind === 'answer') {
    send(outgoing, { status: trouble.status, headers: trouble.headers ?? {}, body: trouble.body ?? '' })
    return
  }
  outgoing.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': trouble.promisedBytes })
  outgoing.write(trouble.body, () => outgoing.destroy())
}

/** Turns an error, and the answer to a publish, into text for a client that asks for text/plain. */
export function asAsked(accept: string | undefined, answer: Answer): Answer {
  if (accept !== 'text/plain' || !answer.headers['Content-Type']?.startsWith('application/json')) return answer
  const { data, error } = JSON.parse(String(answer.body)) as {
    error?: { message: string }
    data?: { version: string; url: string; unchanged: boolean }
  }
  const text = error?.message ?? `${data?.version} ${data?.url}${data?.unchanged ? ' (unchanged)' : ''}`
  return { ...answer, headers: { ...answer.headers, 'Content-Type': 'text/plain; charset=utf-8' }, body: `${text}\n` }
}

function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, headers)
  outgoing.end(body)
}

function createHub() {
  const repositories = new Map<string, StandInVersion[]>([
    [
      'acme/code-review',
      [
        { version: '1.0.0', content: 'Review this.\n', changelog: 'First version' },
        { version: '1.1.0', content: 'Review this {{language}} code.\n', changelog: 'Ask for the language' },
      ],
    ],
    ['acme/archived', [{ version: '1.0.0', content: 'Old.\n', changelog: '' }]],
  ])
  const published = new Map<string, { body: string; version: StandInVersion }>()

  function answer(request: SeenRequest, base: string): Answer {
    const { pathname, searchParams } = new URL(request.url, base)
    const [, api, v1, repos, owner = '', name = '', view, part] = pathname.split('/')
    if (`${api}/${v1}/${repos}` !== 'api/v1/repos') return fault(404, 'not_found', 'There is nothing at this address.')
    if (request.method === 'POST' && view === 'versions') return publish(request, owner, name, base)
    if (request.method === 'POST' && view === 'check') return check(request, owner, name)
    if (owner === '') return list(search(searchParams.get('q') ?? '', base))
    const versions = repositories.get(`${owner}/${name}`)
    if (versions === undefined) return fault(404, 'not_found', `There is no repository ${owner}/${name}.`)
    if (view === 'versions' && part === undefined)
      return list(versions.toReversed().map((version) => ({ ...record(owner, name, version, base), yanked: false })))
    const asked = part ?? searchParams.get('version')
    if (asked !== null && !VERSION.test(asked)) return fault(400, 'invalid_request', 'version: expected x.y.z.')
    const found = asked === null ? versions.at(-1) : versions.find(({ version }) => version === asked)
    if (found === undefined) return fault(404, 'not_found', `${owner}/${name} has no version ${asked}.`)
    if (view === 'raw')
      return {
        status: 200,
        headers: {
          'Content-Type': 'text/plain; charset=utf-8',
          'X-Prompt-Version': found.version,
          'Unencoded-Digest': `sha-256=:${createHash('sha256').update(found.content).digest('base64')}:`,
        },
        body: found.content,
      }
    const state = { status: 'active', status_message: null, latest_version: versions.at(-1)?.version, labels: {} }
    const data = { ...record(owner, name, found, base), ...(part === undefined && state) }
    return json(200, { data: request.method === 'PATCH' ? { ...data, unchanged: false } : data })
  }

  function search(text: string, base: string): object[] {
    return [...repositories]
      .filter(([fullName]) => fullName !== 'acme/archived' && fullName.includes(text.toLowerCase()))
      .map(([fullName, versions]) => ({
        full_name: fullName,
        title: `The ${fullName.split('/')[1]}`,
        status: 'active',
        latest_version: versions.at(-1)?.version ?? null,
        url: `${base}/api/v1/repos/${fullName}`,
      }))
  }

  function check({ url, body }: SeenRequest, owner: string, name: string): Answer {
    const content = contentOf(body.toString())
    if (content.trim() === '') return fault(422, 'validation_failed', 'content: line 1: expected some text.')
    const latest = repositories.get(`${owner}/${name}`)?.at(-1)
    const unchanged = latest?.content === content
    const bump = new URL(url, 'http://localhost').searchParams.get('bump') ?? 'patch'
    const would_be = unchanged ? latest.version : next(latest?.version, bump)
    const warnings = [{ code: 'secret', message: 'content: looks like a key', line: 2 }]
    return json(200, { data: { would_be, unchanged, fields: [], changes: null, warnings } })
  }

  function publish(request: SeenRequest, owner: string, name: string, base: string): Answer {
    if (request.body.length > REQUEST_BYTES) return fault(413, 'content_too_large', 'The body is over 1 MiB.')
    if (request.headers['content-type'] !== 'text/markdown')
      return fault(415, 'unsupported_media_type', 'Send text/markdown.')
    if (request.headers.authorization !== `Bearer ${STAND_IN_TOKEN}`)
      return fault(401, 'unauthorized', 'This token is not known.')
    if (!OWNER.test(owner) || !NAME.test(name)) return fault(404, 'not_found', 'There is no such repository.')
    const text = decode(request.body)
    if (text === undefined) return fault(400, 'invalid_request', 'The body is not UTF-8.')
    const { searchParams } = new URL(request.url, base)
    const content = contentOf(text)
    const changelog = searchParams.get('changelog') ?? ''
    const bump = searchParams.get('bump') ?? 'patch'
    if (content.trim() === '') return fault(422, 'validation_failed', 'content: expected some text.')
    if (owner !== 'acme') return fault(403, 'forbidden', `This token does not cover ${owner}/${name}.`)
    if (name === 'archived') return fault(409, 'repo_archived', 'acme/archived is archived.')
    const key = `${owner}/${name} ${request.headers['idempotency-key']}`
    const earlier = published.get(key)
    if (earlier !== undefined)
      return earlier.body === text
        ? accepted(200, owner, name, earlier.version, base)
        : fault(422, 'idempotency_key_reused', 'This Idempotency-Key came with another body.')
    const versions = repositories.get(`${owner}/${name}`) ?? []
    const latest = versions.at(-1)
    if (latest?.content === content) return accepted(200, owner, name, latest, base)
    if (searchParams.get('dry_run') === 'true')
      return accepted(200, owner, name, { version: next(latest?.version, bump), content, changelog }, base, false)
    const version = { version: next(latest?.version, bump), content, changelog }
    repositories.set(`${owner}/${name}`, [...versions, version])
    published.set(key, { body: text, version })
    return accepted(201, owner, name, version, base)
  }

  return { answer }
}

/** Returns what follows empty front matter, or the whole file; no other front matter is sent to this hub. */
function contentOf(file: string): string {
  return file.replace(/^---\n---\n/, '')
}

function accepted(
  status: number,
  owner: string,
  name: string,
  version: StandInVersion,
  base: string,
  unchanged = status === 200,
): Answer {
  return json(status, { data: { ...record(owner, name, version, base), unchanged, commit: null } })
}

function record(owner: string, name: string, version: StandInVersion, base: string) {
  return {
    full_name: `${owner}/${name}`,
    ...version,
    published_at: '2026-11-20T10:00:00Z',
    published_by: 'octocat',
    // Clients must not confuse these keys inside a parameter with the fields of the record.
    parameters: { version: '9.9.9', url: 'https://example.com/wrong', data: { version: '8.8.8' } },
    content_sha256: createHash('sha256').update(version.content).digest('hex'),
    variables: [],
    url: `${base}/api/v1/repos/${owner}/${name}/versions/${version.version}`,
  }
}

function list(data: object[]): Answer {
  return json(200, { data, meta: { page: 1, pages: 1, total: data.length } })
}

function fault(status: number, code: string, message: string): Answer {
  return json(status, { error: { code, message } })
}

function json(status: number, value: object): Answer {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify(value) }
}

function decode(body: Buffer): string | undefined {
  try {
    // ignoreBOM keeps a leading BOM; without it, the content would lose its first three bytes.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}

function next(latest: string | undefined, bump: unknown): string {
  if (latest === undefined) return '1.0.0'
  const [major = 0, minor = 0, patch = 0] = latest.split('.').map(Number)
  if (bump === 'major') return `${major + 1}.0.0`
  return bump === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

/** Runs a callback with a fake hub, then stops it. */
export async function withStandIn(
  misbehave: Parameters<typeof startStandIn>[0],
  use: (standIn: StandIn) => Promise<void>,
): Promise<void> {
  const standIn = await startStandIn(misbehave)
  try {
    await use(standIn)
  } finally {
    await standIn.close()
  }
}

/** Returns an error body as defined in docs/contract.md section 6. */
export function faultBody(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } })
}
