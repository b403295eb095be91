// Reads who signed an attestation from the extensions of its certificate, and judges it as the OIDC token of the same job would be judged.
import type * as z from 'zod'
import type { TrustedPublisher } from '../content/front-matter.ts'
import { printable } from '../text/printable.ts'
import { findRefusal, JobClaims } from './trusted-publisher.ts'

/** The issuer of the tokens of GitHub Actions. https://docs.github.com/actions/reference/security/oidc */
export const GITHUB_ISSUER = 'https://token.actions.githubusercontent.com'

/** The extensions of a certificate by OID, decoded as text. */
type CertificateTexts = ReadonlyMap<string, string>

/** The claims of a job that a certificate repeats. */
const SignerClaims = JobClaims.pick({
  ...({ repository: true, repository_id: true, repository_owner_id: true, job_workflow_ref: true } as const),
  ...({ workflow_ref: true, event_name: true, ref: true, sha: true, environment: true } as const),
}).extend({
  // URLs, which are copied into a file and a page like the claims.
  identity: JobClaims.shape.jti,
  run: JobClaims.shape.jti,
})

/** The job that signed an attestation. */
export interface AttestationSigner {
  issuer: string
  claims: Omit<z.infer<typeof SignerClaims>, 'identity' | 'run'>
  /** The URL of the workflow file, for which the certificate was issued. */
  identity: string
  /** The URL of the run. */
  runUrl: string
}

/** The number below 1.3.6.1.4.1.57264.1 of each extension. https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
const FULCIO = {
  issuer: 8,
  signer: 9,
  repository: 12,
  sha: 13,
  ref: 14,
  repositoryId: 15,
  ownerId: 17,
  config: 18,
  event: 20,
  run: 21,
  environment: 23,
} as const

/** Reads the job from a certificate that has been verified. @param identity the certificate's subject alternative name @returns the signer, or why there is none */
export function readSigner(
  texts: CertificateTexts,
  identity: string | undefined,
): { value: AttestationSigner; problem?: never } | { value?: never; problem: string } {
  const say = (name: keyof typeof FULCIO) => texts.get(`1.3.6.1.4.1.57264.1.${FULCIO[name]}`)
  const issuer = say('issuer')
  const origin = originOf(say('repository'))
  if (issuer === undefined || origin === undefined)
    return { problem: 'the certificate does not name the CI job that signed' }
  // All of them are on the server of the repository, which the issuer vouches for.
  const below = (url: string | undefined) => (url?.startsWith(`${origin}/`) ? url.slice(origin.length + 1) : undefined)
  const environment = say('environment')
  const { data, error } = SignerClaims.safeParse({
    repository: below(say('repository')),
    repository_id: say('repositoryId'),
    repository_owner_id: say('ownerId'),
    job_workflow_ref: below(say('signer')),
    workflow_ref: below(say('config')),
    event_name: say('event'),
    ref: say('ref'),
    sha: say('sha'),
    // Empty outside an environment.
    ...(environment && { environment }),
    identity,
    run: below(say('run')) === undefined ? undefined : say('run'),
  })
  if (error) {
    const names = new Set(error.issues.map(({ path }) => path.join('.')))
    return { problem: `the certificate does not name the CI job that signed: ${[...names].join(', ')}` }
  }
  if (data.identity !== say('signer'))
    return { problem: 'the certificate was issued for another workflow than it names' }
  const { identity: url, run: runUrl, ...claims } = data
  return { value: { issuer, claims, identity: url, runUrl } }
}

function originOf(url: string | undefined): string | undefined {
  const { protocol, origin } = (url !== undefined && URL.parse(url)) || {}
  return protocol === 'https:' ? origin : undefined
}

/**
 * Judges a signer like the OIDC token of its job.
 *
 * @param issuer the issuer that the hub accepts
 * @param name the name of the repository to publish to
 * @returns undefined if the owner trusts the workflow; otherwise why not
 */
export function findSignerRefusal(
  { issuer: signedFor, claims }: AttestationSigner,
  { issuer, trusted, name }: { issuer: string; trusted: readonly TrustedPublisher[]; name: string },
): string | undefined {
  if (signedFor !== issuer) return `expected a certificate for a job of ${issuer}, got one of ${printable(signedFor)}`
  const refusal = findRefusal(claims, trusted, name, 'publish')
  return refusal === undefined ? undefined : `the workflow that signed is not a trusted publisher: ${refusal}`
}
