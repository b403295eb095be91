// Publishes what the last check showed, with the session of the person who writes.
import type { CheckAnswer } from '../../catalogue/published/route-schemas.ts'
import type { Warning } from '../../domain/api/schema.ts'
import { askSession } from '../../site/client/session.ts'
import { headersOf, NO_ANSWER, type Outcome, type Refusal, send } from './api.ts'
import type { Wanted } from './check.ts'

/** What publishing would do, or has done. */
type Published = { version: string; content_sha256: string; unchanged: boolean; warnings: Warning[] }

/** Why nothing was published. */
export type NotPublished =
  /** The hub would publish something else than the page shows. */
  | { kind: 'changed' }
  | { kind: 'signed-out' }
  /** Somebody else is signed in now. */
  | { kind: 'other-person'; login: string }
  | { kind: 'refused'; refusal: Refusal; published?: string }

/** What became of a publish: where to go on, or why not. */
export type Result = { version: string | 'details' } | NotPublished

/** The request whose answer was lost, so that it can be repeated with the same key. */
let lost: { body: string; key: string } | undefined

/**
 * Publishes.
 *
 * @param shown the answer to the last check
 * @param details the readme and the license, which a publish cannot set
 */
export async function publish(
  { owner, name, body }: Wanted,
  shown: CheckAnswer,
  details: Readonly<Record<string, unknown>>,
  login: string,
): Promise<Result> {
  const session = await askSession()
  if (session === null) return { kind: 'signed-out' }
  if (session && session.login !== login) return { kind: 'other-person', login: session.login }
  if (!session) return { kind: 'refused', refusal: NO_ANSWER }
  const path = `/api/v1/repos/${owner}/${name}`
  const headers = headersOf(session)
  const hasDetails = Object.keys(details).length > 0
  let version = shown.would_be
  if (!shown.unchanged || shown.fields.length > 0) {
    const sent = JSON.stringify([path, body])
    if (lost?.body !== sent) {
      // The check knows neither who asks nor what git has. An included prompt may have a new version, which nobody has seen.
      const dry = await send<Published>('POST', `${path}/versions`, { ...body, dry_run: true }, headers)
      if (!dry.data) return refused(dry)
      const { version: next, content_sha256 } = dry.data
      if (next !== shown.would_be || content_sha256 !== shown.content_sha256) return { kind: 'changed' }
      lost = { body: sent, key: crypto.getRandomValues(new Uint32Array(8)).join('-') }
    }
    const answer = await send<Published>('POST', `${path}/versions`, body, { ...headers, 'Idempotency-Key': lost.key })
    if (answer.refusal?.status !== 0) lost = undefined
    if (!answer.data) return refused(answer)
    version = answer.data.version
  }
  if (hasDetails) {
    const saved = await send('PATCH', path, details, headers)
    if (saved.refusal) return { kind: 'refused', refusal: saved.refusal, published: version }
  }
  return { version: shown.unchanged ? 'details' : version }
}

/** Stores the form as a proposal, which a member accepts later. @returns the address of its page, or why there is none */
export async function propose({ owner, name, body }: Wanted, login: string): Promise<{ page: string } | NotPublished> {
  const session = await askSession()
  if (session === null) return { kind: 'signed-out' }
  if (session && session.login !== login) return { kind: 'other-person', login: session.login }
  if (!session) return { kind: 'refused', refusal: NO_ANSWER }
  const answer = await send<{ html_url: string }>(
    'POST',
    `/api/v1/repos/${owner}/${name}/proposals`,
    body,
    headersOf(session),
  )
  return answer.data ? { page: new URL(answer.data.html_url).pathname } : refused(answer)
}

function refused({ refusal }: Outcome<unknown>): NotPublished {
  return refusal?.status === 401 ? { kind: 'signed-out' } : { kind: 'refused', refusal: refusal! }
}
