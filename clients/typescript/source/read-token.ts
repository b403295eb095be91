// Decides to which hub the token for reads is sent, and remembers which hubs have asked for one.
import { HUB_URL } from './address.ts'
import { isBrowser, isLoopback } from './redirects.ts'
import { PromptHubError } from './trouble.ts'

/** The origins of the hubs that have asked for a token while this process runs. */
const asked = new Set<string>()

/** Whether a hub has asked for a token. */
export const hasAsked = (origin: string): boolean => asked.has(origin)

/** Notes that a hub has asked for a token. */
export function noteAsked(origin: string): void {
  asked.add(origin)
}

/** The token, and the URL that the program itself names. */
export interface TokenOptions {
  url?: string | undefined
  token?: string | undefined
}

/**
 * The token for reads of a hub. It is sent only over https or to this machine itself, and only to a hub that the program, HUB_URL or this library names: anybody may have written the URL in a lock.
 *
 * @param hub the URL to read from
 * @throws PromptHubError `invalid_request` for a token with invalid characters
 */
export function readTokenFor(hub: string, { url, token = environment().HUB_TOKEN }: TokenOptions): string | undefined {
  if (!token || isBrowser()) return undefined
  requireToken(token, hub)
  const at = new URL(hub)
  const named = [url, environment().HUB_URL, HUB_URL].some((each) => each && originOf(each) === at.origin)
  return named && isPrivateWay(at) ? token : undefined
}

/** @param hub its URL @throws PromptHubError `invalid_request` for an empty token, or one with invalid characters */
export function requireToken(token: string, hub: string): void {
  // In plain JavaScript, a variable of the environment that is not set is undefined.
  if (!token) throw new PromptHubError('invalid_request', `token: expected a token; create one at ${hub}/settings`)
  if (!/^[\w.~+/=-]+$/.test(token))
    throw new PromptHubError('invalid_request', 'token: expected a token, without spaces and line breaks')
}

/** Whether nobody on the network can read a token on its way to a URL: it is https, or this machine itself, and not by way of a proxy. */
export function isPrivateWay({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (isLoopback(hostname) && !isProxied(hostname))
}

/** Whether plain http to a host goes through a proxy: in Bun and Deno with HTTP_PROXY, in Node.js only if it is told to use that. */
function isProxied(hostname: string): boolean {
  const { NODE_USE_ENV_PROXY, http_proxy, HTTP_PROXY, no_proxy, NO_PROXY } = environment()
  const isUsed =
    'Bun' in globalThis ||
    'Deno' in globalThis ||
    NODE_USE_ENV_PROXY === '1' ||
    globalThis.process?.execArgv?.includes('--use-env-proxy')
  const excepted = (no_proxy ?? NO_PROXY ?? '').split(/[\s,]+/)
  return Boolean(isUsed && (http_proxy || HTTP_PROXY)) && !excepted.includes(hostname) && !excepted.includes('*')
}

/** The options for the hub in a lock, which the program has not named: without a token, unless HUB_URL or this library names it too. */
export const lockedHub = (hub: string): { url: string; token: string } => ({
  url: hub,
  token: readTokenFor(hub, {}) ?? '',
})

/** The origin of a URL, or undefined. */
export const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

/** The environment variables; none outside Node.js and its relatives. */
function environment(): Readonly<Record<string, string | undefined>> {
  return globalThis.process?.env ?? {}
}
