// Judges the attestations of a publish: who signed, and what: the content and a manifest. The signatures themselves are verified before.
import { type AttestationSigner, findSignerRefusal } from '../access/attestation-signer.ts'
import type { HubError } from '../api/errors.ts'
import type { VersionEntry } from '../content/content-tree.ts'
import type { OwnerFile } from '../content/prompt-file.ts'
import { printable } from '../text/printable.ts'
import type { ValueProblem } from '../text/problems.ts'
import type { AttestationFacts } from '../values/attestation.ts'
import { invalidField, validationFailed } from './request.ts'

/** A verified attestation of a version. */
export interface SignedVersion {
  facts: AttestationFacts
  /** What it is about. */
  subjects: readonly Subject[]
}

/** What a statement is about. */
export interface Subject {
  name: string
  /** The SHA-256, in hex. */
  sha256: string
}

/** What a statement must say: that a job built the version. Other statements, such as test results, may say that it is bad. https://slsa.dev/spec/v1.0/provenance */
const PREDICATES: readonly string[] = ['https://slsa.dev/provenance/v1', 'https://slsa.dev/provenance/v0.2']

/** What a verified attestation says. */
interface VerifiedAttestation {
  predicateType: string
  /** Those with a SHA-256. */
  subjects: Subject[]
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
 * @returns a problem if none of the owner's trusted publishers signed it, or if it is no build provenance
 */
export function judgeSignature(
  { signer, predicateType, subjects, ...measured }: VerifiedSignature,
  { issuer, owner, name }: { issuer: string; owner: OwnerFile | undefined; name: string },
): { value: SignedVersion; problem?: never } | { value?: never; problem: string } {
  const problem = findSignerRefusal(signer, { issuer, name, trusted: owner?.trusted_publishers ?? [] })
  if (problem !== undefined) return { problem }
  if (!PREDICATES.includes(predicateType))
    return {
      problem: `expected a statement of build provenance, ${PREDICATES.join(' or ')}, got ${printable(predicateType)}`,
    }
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

/** The version that an attestation must be about. */
export interface ToSign extends Pick<VersionEntry, 'bundle' | 'content_sha256' | 'version'> {
  /** The prompt, `owner/name`. */
  prompt: string
  manifest_sha256: string
}

/** Returns why an attestation is not about a version and its manifest; undefined if it is. A statement may have other subjects, too: one may be about several prompts. */
export function findSubjectProblem(version: ToSign, subjects: readonly Subject[]): string | undefined {
  const { prompt, bundle, content_sha256, manifest_sha256 } = version
  return (
    findMissing({ name: prompt, sha256: bundle?.sha256 ?? content_sha256 }, bundle ? 'archive' : 'content') ??
    findMissing({ name: `${prompt}#manifest`, sha256: manifest_sha256 }, 'manifest')
  )

  function findMissing(wanted: Subject, what: string): string | undefined {
    if (subjects.some(({ name, sha256 }) => name === wanted.name && sha256 === wanted.sha256)) return undefined
    const [got] = subjects.toSorted((a, b) => Number(isNear(b, wanted)) - Number(isNear(a, wanted)))
    return `expected the subject ${wanted.name} with the SHA-256 of the ${what} of ${version.version}, ${wanted.sha256}, got ${got ? `${printable(got.name)} with ${printable(got.sha256)}` : 'none with a SHA-256'}`
  }
}

/** Returns whether a subject has the name or the digest that was wanted, so that a message about it explains most. */
function isNear(subject: Subject, wanted: Subject): boolean {
  return subject.name === wanted.name || subject.sha256 === wanted.sha256
}

/** @throws HubError `validation_failed` if an attestation is about another version */
export function refuseOtherSubject(version: ToSign, attestations: readonly SignedVersion[]): void {
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

/** Returns the refusal of a version without an attestation, by an owner that accepts only others. */
export function unsigned(owner: string): HubError {
  return invalidField(
    'attestations',
    `${owner} accepts only versions with an attestation of a workflow that it trusts (publishing: signed-only in content/${owner}/index.md). Publish with the action from such a workflow, with the permission attestations: write, or ask a member to change this`,
  )
}
