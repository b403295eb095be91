// Judges the address of a webhook, as far as that needs no network. src/pages/docs/webhooks.md
import { isPublicHost } from './public-address.ts'

/**
 * Returns what is wrong with the address of a webhook; undefined if nothing is, or if the name of its host must be resolved to know.
 *
 * @param isPrivateAllowed whether the operator allows http and private networks
 */
export function findWebhookUrlProblem(text: string, isPrivateAllowed: boolean): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'expected a URL'
  if (url.username !== '' || url.password !== '') return 'expected a URL without a user and a password'
  if (isPrivateAllowed) return /^https?:$/.test(url.protocol) ? undefined : 'expected a URL with https or http'
  if (url.protocol !== 'https:') return 'expected a URL with https'
  return isPublicHost(url.hostname) ? undefined : NOT_PUBLIC
}

/** Says why an address is refused. */
export const NOT_PUBLIC =
  'expected a server on the internet: this address is of a private network. The operator of this hub can allow these with WEBHOOK_ALLOW_PRIVATE'
