// Judges the attestations of a publish: who signed, and what. The signatures themselves are verified before.
import { type AttestationSigner, findSignerRefusal } from '../access/attestation-signer.ts'
import type { VersionEntry } from '../content/content-tree.ts'
import type { OwnerFile } from '../content/prompt-file.ts'
import type { ValueProblem } from '../text/problems.ts'
import type { AttestationFacts } from '../values/attestation.ts'
import { hasPublishingRule } from '../values/publishing-rules.ts'
import { invalidField, validationFailed } from './request.ts'

/** A verified attestation of a version. */
export interface SignedVersion {
  facts: AttestationFacts
  /** The SHA-256 of what it is about. */
  subjects: readonly string[]
}

/** What a verified attestation says. */
interface VerifiedAttestation {
  predicateType: string
  /** The SHA-256 of each subject, in hex. */
  subjects: string[]
  signer: AttestationSigner
}

/** The result of a verification: what the attestation says, or why it is refused. */
export type AttestationVerdict = { value: VerifiedAttestation; problem?: never } | { value?: never; problem: string }

/** An attestation whose signature has been verified. */
export interface VerifiedSignature extends VerifiedAttestation {
  sha256: string
  size_bytes: number
}

/**
 * Returns what an attestation proves.
 *
 * @param issuer the issuer that the hub accepts
 * @returns a problem if none of the owner's trusted publishers signed it
 */
export function judgeSignature(
  { signer, predicateType, subjects, ...measured }: VerifiedSignature,
  { issuer, owner, name }: { issuer: string; owner: OwnerFile | undefined; name: string },
): { value: SignedVersion; problem?: never } | { value?: never; problem: string } {
  const problem = findSignerRefusal(signer, { issuer, name, trusted: owner?.trusted_publishers ?? [] })
  if (problem !== undefined) return { problem }
  const { repository, workflow_ref: workflow, ref, sha } = signer.claims
  const facts = { ...measured, predicate_type: predicateType, issuer: signer.issuer }
  return {
    value: {
      facts: { ...facts, repository, workflow, ref, sha, identity: signer.identity, run_url: signer.runUrl },
      subjects,
    },
  }
}

/** Judges all attestations of a publish. @throws HubError `validation_failed` with the reason of each that is refused */
export function judgeSignatures(
  given: readonly VerifiedSignature[],
  by: Parameters<typeof judgeSignature>[1],
): SignedVersion[] {
  return acceptAll(given.map((signature) => judgeSignature(signature, by)))
}

/** Returns what was found about each attestation. @throws HubError `validation_failed` with the reason of each that is refused */
export function acceptAll<Value>(found: readonly { value?: Value; problem?: string | undefined }[]): Value[] {
  const problems = found.flatMap(({ problem }, index): ValueProblem[] =>
    problem === undefined ? [] : [{ key: `attestations.${index}`, message: problem }],
  )
  if (problems.length > 0) throw validationFailed(problems)
  return found.flatMap(({ value }) => value ?? [])
}

/** Returns the digest that attestations of a version must be about. */
function subjectOf({ bundle, content_sha256 }: Pick<VersionEntry, 'bundle' | 'content_sha256'>): string {
  return bundle?.sha256 ?? content_sha256
}

/** Returns why an attestation is not about a version; undefined if it is. */
export function findSubjectProblem(
  version: Pick<VersionEntry, 'bundle' | 'content_sha256' | 'version'>,
  subjects: readonly string[],
): string | undefined {
  const wanted = subjectOf(version)
  if (subjects.includes(wanted)) return undefined
  const what = version.bundle ? `the archive of ${version.version}` : 'the content'
  const [first] = subjects
  return `expected a statement about the SHA-256 of ${what}, ${wanted}, got ${first === undefined ? 'none' : `one about ${first}`}`
}

/** @throws HubError `validation_failed` if an attestation is about other bytes */
export function refuseOtherSubject(version: VersionEntry, attestations: readonly SignedVersion[]): void {
  acceptAll(attestations.map(({ subjects }) => ({ problem: findSubjectProblem(version, subjects) })))
}

/**
 * Returns why an attestation counts no more; undefined if it does. A signature of a text does not say for which version it is, so whoever has a token could publish an old text again with its public attestation.
 *
 * @param runs the runs that signed other versions with the same text
 */
export function findReplayProblem(
  { bundle }: Pick<VersionEntry, 'bundle'>,
  { run_url }: Pick<AttestationFacts, 'run_url'>,
  runs: ReadonlySet<string>,
): string | undefined {
  // An archive says for which version it is.
  if (bundle || !runs.has(run_url)) return undefined
  return 'expected a signature of a new run: this one belongs to an earlier version with the same content. Sign it again'
}

/** @throws HubError `validation_failed` if the owner accepts only versions with an attestation, and there is none */
export function refuseUnsigned(owner: string, file: OwnerFile | undefined, count: number): void {
  if (!hasPublishingRule(file, 'signed-only') || count > 0) return
  throw invalidField(
    'attestations',
    `${owner} accepts only versions with an attestation of a workflow that it trusts (publishing: signed-only in content/${owner}/index.md). Publish with the action from such a workflow, with the permission attestations: write, or ask a member to change this`,
  )
}
