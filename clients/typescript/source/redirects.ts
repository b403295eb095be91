// Follows redirects by the same rule as hubcli: never from https to http, nor from elsewhere to this machine.
import { PromptHubError } from './trouble.ts'

const MAX_REDIRECTS = 3
/** Also covers unusual forms such as 2130706433, which `URL` has already normalised to 127.0.0.1. */
const LOOPBACK = /^(?:0\.|127\.|\[::1?\]$|\[::ffff:(?:7f|0:)|localhost\.?$)|\.localhost\.?$/

/** Whether this runs in a browser, which follows redirects itself and hides them from programs. */
export function isBrowser(): boolean {
  return globalThis.navigator?.userAgent?.startsWith('Mozilla/') ?? false
}

/** Whether a host, as normalised by `URL`, is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:127\.[\d.]+|localhost|\[::1\])$/.test(hostname)
}

/** Whether a response from one URL may redirect to another. */
export function mayFollow(from: string, to: string): boolean {
  if (!URL.canParse(from) || !URL.canParse(to)) return false
  const [here, there] = [new URL(from), new URL(to)]
  if (there.username !== '' || !/^https?:$/.test(there.protocol)) return false
  if (here.protocol === 'https:' && there.protocol === 'http:') return false
  if (LOOPBACK.test(here.hostname)) return there.protocol === 'https:' || LOOPBACK.test(there.hostname)
  return !LOOPBACK.test(there.hostname)
}

/**
 * Requests a URL, following redirects. A token is sent only to the host of the URL itself.
 *
 * @returns the response, and the URL that it comes from
 * @throws PromptHubError `unavailable` for a forbidden redirect
 */
export async function fetchAndFollow(
  url: string,
  options: RequestInit & { headers: Record<string, string> },
  ask: typeof fetch,
): Promise<{ response: Response; from: string }> {
  if (isBrowser()) return { response: await ask(url, options), from: url }
  const { Authorization, ...others } = options.headers
  for (let current = url, hops = 0; ; hops++) {
    const isOwn = Authorization !== undefined && new URL(current).origin === new URL(url).origin
    const headers = isOwn ? { ...others, Authorization } : others
    const response = await ask(current, { ...options, headers, redirect: 'manual' })
    if (![301, 302, 303, 307, 308].includes(response.status)) return { response, from: current }
    await response.body?.cancel()
    const location = response.headers.get('Location') ?? ''
    const next = URL.canParse(location, current) ? new URL(location, current).href : location
    if (hops >= MAX_REDIRECTS || !mayFollow(current, next))
      throw new PromptHubError('unavailable', `${current} redirects to ${next || 'nowhere'}, which is not followed.`, {
        status: response.status,
      })
    current = next
  }
}
