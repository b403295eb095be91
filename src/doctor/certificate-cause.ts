// Recognises failures of connections that are about a certificate, and names the way out.
import { type Finding, fail } from './checks.ts'

const UNTRUSTED = 'is not signed by an authority that this machine trusts'
const TRUST =
  'If it is your own network’s authority (or an inspecting proxy’s), set EXTRA_CA_CERTS to a PEM file with its certificate. Otherwise, let the server send its whole chain.'

/** What is wrong, and what to do, by the code of Node's error. https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CAUSES: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [UNTRUSTED, TRUST],
  UNABLE_TO_GET_ISSUER_CERT: [UNTRUSTED, TRUST],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [UNTRUSTED, TRUST],
  SELF_SIGNED_CERT_IN_CHAIN: [UNTRUSTED, TRUST],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['is signed by itself alone', TRUST],
  CERT_HAS_EXPIRED: ['has expired', 'Renew it, and check this machine’s clock (timedatectl set-ntp true).'],
  CERT_NOT_YET_VALID: ['is not valid yet', 'Check this machine’s clock (timedatectl set-ntp true).'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another name', 'Use the name in the certificate, or issue one for this name.'],
}

const MAX_CAUSES = 8

/** Returns what a failed connection says about a certificate; undefined if it failed for another reason. @param name what did not respond */
export function findCertificateCause(name: string, thrown: unknown): Finding | undefined {
  let error = thrown
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth++) {
    const code = 'code' in error ? String(error.code) : ''
    const [problem, fix] = (Object.hasOwn(CAUSES, code) && CAUSES[code]) || []
    if (problem && fix) return fail(`The certificate of ${name} ${problem} (${code}).`, fix)
    error = error.cause
  }
  return undefined
}
