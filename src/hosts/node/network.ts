// Lets the connections of this process trust an operator's certificates, and use an outbound proxy: those of Node, of its database driver, and of git.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import * as http from 'node:http'
import { dirname, resolve } from 'node:path'
import * as tls from 'node:tls'
import type { Config } from '../../config.ts'

/** What git trusts: it takes one file in place of the system's. */
const GIT_FILE = '.hub/ca-certificates.pem'
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']

/**
 * Applies the settings to all later connections. git reads the proxy variables by itself.
 *
 * @param environment that of the process, which its programs inherit
 * @throws Error if the certificates cannot be stored for git
 */
export function openNetwork(
  { extraCaCerts }: Pick<Config, 'extraCaCerts'>,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  if (PROXIES.some((name) => environment[name])) {
    const { NO_PROXY, no_proxy } = environment
    // A container's health check asks this machine.
    const direct = [NO_PROXY || no_proxy, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(',')
    http.setGlobalProxyFromEnv({ ...environment, NO_PROXY: direct, no_proxy: direct })
  }
  if (extraCaCerts === undefined) return
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...extraCaCerts])
  const all = new Set([...tls.getCACertificates('bundled'), ...tls.getCACertificates('system'), ...extraCaCerts])
  const file = resolve(GIT_FILE)
  const part = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(part, `${[...all].join('\n')}\n`)
  renameSync(part, file)
  environment.GIT_SSL_CAINFO = file
}
