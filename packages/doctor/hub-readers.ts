// Checks that a hub for readers believes nobody who only sends the header of a proxy.
import { ROUTES } from '../../src/domain/api/routes.ts'
import { type CheckProblems, fail } from './checks.ts'
import { type DeployedHub, readError } from './hub-requests.ts'

/** Returns whether only readers may read the hub. */
export async function isForReaders({ askAsStranger }: DeployedHub): Promise<boolean> {
  const answer = await askAsStranger(ROUTES.listRepositories.path)
  return answer.status === 401 && readError(answer)?.code === 'unauthorized'
}

/** The headers in which proxies name the person that they have signed in. */
const PROXY_HEADERS = [
  'X-Forwarded-User',
  'X-Forwarded-Email',
  'X-Auth-Request-User',
  'X-Auth-Request-Email',
  'Remote-User',
  'X-Remote-User',
]

/** Sends the header that a proxy would send. A proxy must replace it, or else everybody can read the hub. */
export async function checkForgedHeaders(hub: DeployedHub, proxyHeader: string | undefined): Promise<CheckProblems> {
  if (!(await isForReaders(hub))) return undefined
  for (const header of proxyHeader === undefined ? PROXY_HEADERS : [proxyHeader]) {
    const { status } = await hub.askAsStranger(ROUTES.listRepositories.path, { headers: { [header]: 'doctor' } })
    if (status === 200)
      return fail(
        `Whoever sends the header ${header} may read the hub: the proxy passes it on, or TRUSTED_PROXIES includes clients.`,
        `Configure the proxy to replace ${header} in every request, and list only the proxy in TRUSTED_PROXIES.`,
      )
  }
  return undefined
}
