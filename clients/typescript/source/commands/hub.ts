// The hub of the commands, and the requests that publish or check a prompt.
import { randomUUID } from 'node:crypto'
import { HUB_URL } from '../address.ts'
import { parseArguments } from '../arguments.ts'
import { requireHubUrl } from '../lock.ts'
import { noteChange } from '../own-changes.ts'
import { PromptHub } from '../prompt-hub.ts'
import { isVersion } from '../ranges.ts'
import { isPrivateWay, readTokenFor, requireToken } from '../read-token.ts'
import { isObject, type VersionRow } from '../records.ts'
import { ask, type RequestSettings, requestSettings, type Write } from '../requests.ts'
import { isNotFound, PromptHubError } from '../trouble.ts'
import { invalid } from './define.ts'
import type { Body } from './sources.ts'

/** A publish may wait for others, so it has more time than a read. */
export const LIMITS = { timeoutMs: 60_000, deadlineMs: 180_000 }
/** A hub may ask to wait for a minute. */
const READ_LIMITS = { timeoutMs: 20_000, deadlineMs: 120_000 }

/** A prompt has at most 1,000 versions, 100 on a page. */
const MAX_PAGES = 10

/** The URL of the hub, without a trailing slash. */
export const hubUrl = (): string => requireHubUrl(process.env.HUB_URL || HUB_URL)

/** The token for changes. @throws PromptHubError `invalid_request` if there is none, or if others could read it on its way */
export function takeToken(url: string): string {
  const token = process.env.HUB_TOKEN
  if (!token) throw invalid(`no token: create one at ${url}/settings and set HUB_TOKEN`)
  requireToken(token, url)
  if (!isPrivateWay(new URL(url))) throw invalid(`${url} is plain http: anyone on the network could read the token`)
  return token
}

/** Reads an address of the hub as text. @param path below the hub's URL @throws PromptHubError the error of the request */
export async function read(url: string, path: string): Promise<{ text: string; headers: Headers }> {
  const reply = await ask(`${url}${path}`, undefined, requestSettings(READ_LIMITS, readTokenFor(url, {})))
  if (reply.kind === 'new') return reply
  throw new PromptHubError('unavailable', `${url}${path} did not return anything.`)
}

/** Reads a list of the API. */
export async function readRows(
  url: string,
  path: string,
): Promise<{ rows: Record<string, unknown>[]; meta: Record<string, unknown>; text: string }> {
  const { text } = await read(url, path)
  try {
    const { data, meta }: { data?: unknown; meta?: unknown } = JSON.parse(text)
    if (Array.isArray(data) && data.every(isObject)) return { rows: data, meta: isObject(meta) ? meta : {}, text }
  } catch {
    // What is no JSON is no list either.
  }
  throw new PromptHubError('unavailable', `${url} did not return a list; is it a Prompt Hub?`)
}

/** The rows of the list of versions, highest first, with all their fields, which only the pages of the list have. */
export async function readVersionPages(url: string, name: string): Promise<Record<string, unknown>[]> {
  const { fullName } = parseArguments(name, {})
  let pageAt = (page: number) => `/api/v1/repos/${fullName}/versions?page=${page}`
  const first = await readRows(url, pageAt(1)).catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error
    // A static mirror has no API.
    pageAt = (page) => `/data/v1/repos/${fullName}/versions/pages/${page}.json`
    return readRows(url, pageAt(1)).catch(() => {
      throw error
    })
  })
  const { rows, meta } = first
  for (let page = 2; page <= Math.min(Number(meta.pages) || 1, MAX_PAGES); page++)
    rows.push(...(await readRows(url, pageAt(page))).rows)
  // If a version was published meanwhile, the last one of a page is also the first one of the next.
  return [...new Map(rows.map((row) => [row.version, row])).values()]
}

/** The versions of a prompt, lowest first; none if there is no such prompt. */
export async function readVersions(url: string, name: string): Promise<VersionRow[]> {
  const hub = new PromptHub({ url, freshMs: 0, revalidateMs: 0 })
  const rows = await hub.listVersions(name).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  return [...(rows ?? [])].reverse()
}

/** A prompt to publish. */
export interface Publication {
  url: string
  /** `owner/name`. */
  prompt: string
  body: Body | string
  /** The fields beside a body that is no JSON. */
  query?: Readonly<Record<string, string | undefined>>
}

/** What the hub says about a publish or a check. */
export interface Published {
  version: string
  unchanged: boolean
  breaking: boolean
  /** Why it is breaking. */
  reasons: string[]
  /** Details of the prompt that change, although the version does not. */
  fields: string[]
  url: string
  page: string
  /** Whether anything was written. */
  hasCommit: boolean
  warnings: { message: string; line: number | null }[]
  /** The value of `data`. */
  data: Record<string, unknown>
  /** The whole answer, as sent. */
  text: string
}

/** Publishes a prompt. @throws PromptHubError with the hub's message */
export async function publish(given: Publication, token: string): Promise<Published> {
  const key = `prompt-hub-${randomUUID()}`
  const sending = send(given, 'versions', { token, key }, requestSettings(LIMITS))
  return sending.finally(() => noteChange(given.url, given.prompt))
}

/** Asks what publishing would do; needs no token. @throws PromptHubError with the hub's message */
export async function check(given: Publication): Promise<Published> {
  return send(given, 'check', { token: undefined }, requestSettings(LIMITS, readTokenFor(given.url, {})))
}

async function send(
  { url, prompt, body, query = {} }: Publication,
  route: string,
  write: Pick<Write, 'token' | 'key'>,
  settings: RequestSettings,
): Promise<Published> {
  const fields = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) fields.set(key, value)
  const address = `${url}/api/v1/repos/${prompt}/${route}${fields.size > 0 ? `?${fields}` : ''}`
  const content = typeof body === 'string' ? { body } : { body: body.bytes, type: body.type }
  const reply = await ask(address, undefined, settings, { method: 'POST', ...write, ...content })
  return readPublished(reply.kind === 'new' ? reply.text : '', url)
}

/** Reads the answer to a publish or a check. @throws PromptHubError `unavailable` if no hub would send it */
function readPublished(text: string, url: string): Published {
  const data = dataOf(text)
  const changes = isObject(data.changes) ? data.changes : {}
  const { version = data.would_be, commit } = data
  if (typeof version !== 'string' || !isVersion(version))
    throw new PromptHubError('unavailable', `${url} did not say which version it is; is it a Prompt Hub?`)
  return {
    version,
    unchanged: data.unchanged === true,
    breaking: data.breaking === true,
    reasons: texts(changes.reasons),
    fields: texts(data.fields),
    url: typeof data.url === 'string' ? data.url : '',
    page: typeof data.html_url === 'string' ? data.html_url : '',
    hasCommit: isObject(commit) && typeof commit.sha === 'string',
    warnings: (Array.isArray(data.warnings) ? data.warnings : []).filter(isObject).map(({ message, line }) => ({
      message: typeof message === 'string' ? message : '',
      line: typeof line === 'number' ? line : null,
    })),
    data,
    text,
  }
}

function dataOf(text: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(text)
    if (isObject(answer) && isObject(answer.data)) return answer.data
  } catch {
    // What is no JSON is no answer of a hub either.
  }
  return {}
}

/** The texts in a list. */
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
