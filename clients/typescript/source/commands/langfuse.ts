// Reads every prompt of a Langfuse project with its versions, through its public API. https://langfuse.com/docs/api
import { isPrivateWay } from '../read-token.ts'
import { isObject } from '../records.ts'
import { PromptHubError } from '../trouble.ts'
import { invalid } from './define.ts'

const PER_PAGE = 100
const MAX_PROMPTS = 5_000
const MAX_VERSIONS = 20_000
const MAX_BYTES = 4_194_304
const MAX_TOTAL_BYTES = 67_108_864
const ATTEMPTS = 4
const TIMEOUT_MS = 30_000
const LONGEST_PAUSE_S = 60

/** Fetches all versions of all prompts, as its API sends them. @param address the URL of the Langfuse server */
export async function fetchLangfuse(address: string): Promise<Record<string, unknown>[]> {
  const base = readAddress(address)
  const ask = open(base)
  const names = new Map<string, number[]>()
  for (let page = 1; ; page++) {
    const { data, meta } = await ask(`/api/public/v2/prompts?page=${page}&limit=${PER_PAGE}`)
    if (!Array.isArray(data)) throw foreign(base)
    for (const each of data) {
      const { name, versions } = isObject(each) ? each : {}
      if (typeof name !== 'string' || !Array.isArray(versions)) throw foreign(base)
      names.set(
        name,
        versions.filter((version) => Number.isSafeInteger(version)),
      )
    }
    if (names.size > MAX_PROMPTS) throw invalid(`${base} has more than ${MAX_PROMPTS} prompts; export them in parts`)
    const pages = isObject(meta) ? meta.totalPages : undefined
    if (data.length === 0 || typeof pages !== 'number' || page >= pages) break
  }
  const wanted = [...names].flatMap(([name, versions]) =>
    versions.sort((a, b) => a - b).map((version) => ({ name, version })),
  )
  if (wanted.length > MAX_VERSIONS)
    throw invalid(`${base} has more than ${MAX_VERSIONS} versions; export them in parts`)
  const found: Record<string, unknown>[] = []
  let total = 0
  for (const { name, version } of wanted) {
    const prompt = await ask(`/api/public/v2/prompts/${encodeURIComponent(name)}?version=${version}&resolve=false`)
    total += JSON.stringify(prompt).length
    if (total > MAX_TOTAL_BYTES)
      throw invalid(`${base} has more than ${MAX_TOTAL_BYTES} bytes of prompts; export them in parts`)
    found.push(prompt)
  }
  return found
}

function readAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.username !== '' || url.search !== '' || url.hash !== '')
    throw invalid(`expected the URL of a Langfuse server, such as https://cloud.langfuse.com, got ${address}`)
  if (!isPrivateWay(url)) throw invalid(`${url.origin} is plain http: anyone on the network could read the key`)
  return url.href.replace(/\/$/, '')
}

/** Returns a function that asks a server, with the keys of the environment. */
function open(base: string): (path: string) => Promise<Record<string, unknown>> {
  const { LANGFUSE_PUBLIC_KEY: user, LANGFUSE_SECRET_KEY: password } = process.env
  if (!user || !password)
    throw invalid('set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY; the keys are in the settings of the project')
  const headers = {
    Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    Accept: 'application/json',
  }
  return async (path) => {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(base + path, {
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((cause: unknown) => {
        if (attempt < ATTEMPTS) return undefined
        throw new PromptHubError('unavailable', `${base} did not respond`, { cause })
      })
      if (response?.ok) return readJson(response, base)
      await response?.body?.cancel()
      const { status = 0 } = response ?? {}
      if (status === 401 || status === 403)
        throw new PromptHubError(
          'refused',
          `${base} does not accept the keys in LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY`,
          { status },
        )
      if (response && status !== 429 && status < 500)
        throw new PromptHubError('refused', `${base}${path} returned status ${status}`, { status })
      if (attempt >= ATTEMPTS) throw new PromptHubError('unavailable', `${base} returned status ${status}`, { status })
      const seconds = Number(response?.headers.get('Retry-After') ?? attempt)
      await new Promise((resolve) =>
        setTimeout(resolve, 1000 * Math.min(seconds >= 0 ? seconds : attempt, LONGEST_PAUSE_S)),
      )
    }
  }
}

async function readJson(response: Response, base: string): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_BYTES) throw new PromptHubError('unavailable', `${base} sent more than ${MAX_BYTES} bytes`)
    }
  } catch (cause) {
    throw cause instanceof PromptHubError
      ? cause
      : new PromptHubError('unavailable', `${base} did not respond`, { cause })
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString())
    if (isObject(value)) return value
  } catch {
    // The error is thrown below.
  }
  throw foreign(base)
}

const foreign = (base: string) => new PromptHubError('unavailable', `${base} did not answer like Langfuse`)
