// Sends one event to the address of a webhook: to the very IP address that was checked, without redirects, and bounded.
import { lookup, Resolver } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { isPublicAddress } from '../../../domain/access/public-address.ts'
import { findWebhookUrlProblem, NOT_PUBLIC } from '../../../domain/access/webhook-address.ts'
import { VERSION } from '../../../version.ts'

/** Time limit of a delivery, from resolving the name to the last byte of the answer. */
const DELIVERY_MS = 10_000
const RESOLVE_MS = 3_000
/** Only the status of an answer counts; the connection ends after this much of it. */
const MAX_ANSWER_BYTES = 16_384
/** Maximum number of informational responses (1xx) before the answer; nobody needs any. */
const MAX_INFORMATIONAL = 10

/** An event to send. */
export interface Message {
  url: string
  secret: string
  id: string
  payload: string
}

/** Opens what sends events. @param isPrivateAllowed whether http and private addresses are allowed */
export function openSender(isPrivateAllowed: boolean, timeoutMs = DELIVERY_MS) {
  const resolve = openResolver(isPrivateAllowed)
  const deliver = async (url: URL, message: Message, signal: AbortSignal) => {
    const found = await resolve(url)
    if (found.problem !== undefined) return found.problem
    return post(url, found.address, headersOf(message), message.payload, signal)
  }
  return {
    /** Returns what is wrong with an address, after its name was resolved; undefined if nothing is. */
    async findAddressProblem(text: string): Promise<string | undefined> {
      return findWebhookUrlProblem(text, isPrivateAllowed) ?? (await resolve(new URL(text))).problem
    },
    /** Sends an event. Never throws. @returns why it was not accepted; undefined if it was */
    async send(message: Message): Promise<string | undefined> {
      const problem = findWebhookUrlProblem(message.url, isPrivateAllowed)
      if (problem !== undefined) return problem
      const url = new URL(message.url)
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        return await orAbort(signal, deliver(url, message, signal))
      } catch (error) {
        return signal.aborted ? `no complete answer within ${timeoutMs / 1000} s` : describe(error)
      }
    },
  }
}

/** What sends events. */
export type Sender = ReturnType<typeof openSender>

type Resolved = { address: string; problem?: undefined } | { problem: string }

/**
 * Opens what resolves the host of a URL. Where only public addresses are allowed, names are resolved without the threads
 * that read files, so that a slow name server delays nothing else.
 */
function openResolver(isPrivateAllowed: boolean): (url: URL) => Promise<Resolved> {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 })
  const listPublic = async (host: string) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  }
  return async ({ hostname }) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const addresses =
      isIP(host) > 0
        ? [host]
        : isPrivateAllowed
          ? await lookup(host, { all: true }).then(
              (all) => all.map(({ address }) => address),
              () => [],
            )
          : await listPublic(host)
    const [address] = addresses
    if (address === undefined) return { problem: `expected a host that has an address, got ${host}` }
    // One private address is enough to refuse them all: which of them is used would be chance.
    if (!isPrivateAllowed && !addresses.every(isPublicAddress)) return { problem: NOT_PUBLIC }
    return { address }
  }
}

function headersOf({ secret, id, payload }: Message): Record<string, string | number> {
  const now = new Date()
  return {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(payload),
    'User-Agent': `prompt-hub/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': Math.floor(now.getTime() / 1000),
    'webhook-signature': new Webhook(secret).sign(id, now, payload),
  }
}

/** @param address what the name of the host was resolved to: nobody resolves it again, so it cannot be another one by now */
function post(
  url: URL,
  address: string,
  headers: Record<string, string | number>,
  payload: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const family = isIP(address)
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    headers,
    signal,
    // Without an agent, neither a kept connection nor a proxy is used.
    agent: false,
    lookup: (_, options, done) => (options.all ? done(null, [{ address, family }]) : done(null, address, family)),
  })
  request.on('error', reject)
  // An answer that switches protocols ends the request without a response and without an error.
  request.on('close', () => resolve('the connection ended without a complete answer'))
  let informational = 0
  request.on('information', () => {
    informational += 1
    if (informational <= MAX_INFORMATIONAL) return
    resolve(`more than ${MAX_INFORMATIONAL} informational responses came before the answer`)
    request.destroy()
  })
  request.on('response', (response) => {
    const { statusCode = 0 } = response
    const settle = () => {
      resolve(statusCode >= 200 && statusCode < 300 ? undefined : `the answer has the status ${statusCode}`)
      request.destroy()
    }
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) settle()
    })
    response.on('end', settle)
    response.on('error', reject)
  })
  request.end(payload)
  return promise
}

function orAbort<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([work, promise])
}

/** Describes an error for the owner, without addresses: a name may resolve to what only the operator may know. */
function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return `no connection${/^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : ''}`
}
