// Sends requests to a sign-in provider: bounded in time and size, and without following redirects, because an answer is somebody else's text.
import { HubError } from '../../domain/api/errors.ts'

/** Time limit for a request: long enough for a slow provider, short enough for a waiting user. */
export const CALL_MS = 5_000
/** The longest real answers, key sets and metadata, have a tenth of this. */
const MAX_ANSWER_BYTES = 262_144

/** Sends a request. @param provider the name for messages @throws HubError `unavailable` if the provider does not answer in time, or says that it cannot; `upstream_error` for an answer that is too long */
export async function askProvider(provider: string, address: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('User-Agent', 'prompt-hub')
  const given = { ...init, headers, signal: AbortSignal.timeout(CALL_MS), redirect: 'manual' } as const
  try {
    const answer = await fetch(address, given)
    if (answer.status >= 500 || answer.status === 429) {
      await answer.body?.cancel()
      throw providerIsDown(provider, `status ${answer.status}`)
    }
    const body = await readBounded(provider, answer)
    return new Response(NO_BODY.has(answer.status) ? null : body, { status: answer.status, headers: answer.headers })
  } catch (cause) {
    throw cause instanceof HubError ? cause : providerIsDown(provider, cause)
  }
}

/** Statuses whose responses cannot have a body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

async function readBounded(provider: string, { body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw unexpectedAnswer(provider, `more than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Creates the error for a provider that cannot be asked. */
function providerIsDown(provider: string, cause: unknown): HubError {
  return new HubError('unavailable', `${provider} cannot be reached. Try again in a few seconds.`, {
    cause,
    retryAfterSeconds: 5,
  })
}

/** Creates the error for an answer that is not what the protocol says. @param cause without any text of the answer, which may contain a token */
export function unexpectedAnswer(provider: string, cause: string): HubError {
  return new HubError('upstream_error', `${provider} sent an unexpected response. Try again in a few minutes.`, {
    cause,
  })
}
