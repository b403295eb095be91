// Verifies the events of webhooks: https://www.standardwebhooks.com
import { FULL_NAME } from './lock.ts'
import { isObject } from './records.ts'
import { PromptHubError } from './trouble.ts'

/** How old or how far ahead a message may be, so that nobody sends an old one again. */
const TOLERANCE_SECONDS = 300

/** An event of a webhook. */
export interface WebhookEvent {
  /** The same in every attempt to deliver it. */
  id: string
  /** Such as `version.published`, `label.moved` or `version.yanked`. */
  type: string
  /** When it happened, in UTC. */
  timestamp: string
  /** The prompt, and what the activity says. */
  data: { full_name: string; version: string | null; label: string | null; [field: string]: unknown }
}

/** The headers of a request, of any framework. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** @throws PromptHubError `invalid_request` for a message that was not signed with the secret, or more than five minutes ago */
export async function readWebhook(body: string, headers: WebhookHeaders, secret: string): Promise<WebhookEvent> {
  const read = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    return typeof value === 'string' ? value : ''
  }
  const [id, sent] = [read('webhook-id'), read('webhook-timestamp')]
  const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const signed = new TextEncoder().encode(`${id}.${sent}.${body}`)
  const verdicts = read('webhook-signature')
    .split(' ')
    .map((one) => {
      const bytes = one.startsWith('v1,') ? bytesOf(one.slice(3)) : undefined
      return bytes ? crypto.subtle.verify('HMAC', key, bytes, signed) : false
    })
  if (id === '' || !(await Promise.all(verdicts)).includes(true)) throw invalid('it was not signed with this secret')
  if (!/^\d+$/.test(sent) || Math.abs(Date.now() / 1000 - Number(sent)) > TOLERANCE_SECONDS)
    throw invalid('it was sent more than five minutes ago, or the clock of this machine is wrong')
  const event = parse(body)
  if (!event) throw invalid('it is no event of a Prompt Hub')
  return { ...event, id }
}

function parse(body: string): Omit<WebhookEvent, 'id'> | undefined {
  try {
    const event: unknown = JSON.parse(body)
    const data = isObject(event) ? event.data : undefined
    const isEvent = isObject(data) && typeof data.full_name === 'string' && FULL_NAME.test(data.full_name)
    return isEvent ? (event as Omit<WebhookEvent, 'id'>) : undefined
  } catch {
    return undefined
  }
}

/** @throws PromptHubError `invalid_request` */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith('whsec_') ? bytesOf(secret.slice('whsec_'.length)) : undefined
  if (bytes && bytes.length > 0) return bytes
  throw new PromptHubError('invalid_request', 'secret: expected the secret of the webhook, which begins with whsec_')
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const invalid = (why: string) => new PromptHubError('invalid_request', `The message is refused: ${why}.`)
