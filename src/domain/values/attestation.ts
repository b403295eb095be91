// The schema of what an attestation proves about a version: which workflow of which repository signed it.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { isAttestationName } from './attestation-name.ts'
import { line, Sha256 } from './values.ts'

const claim = (sentence: string) => line(LIMITS.sentenceCharacters).min(1, 'expected some text').describe(sentence)

/** The name of an attestation. */
export const AttestationName = z
  .string()
  .regex(/^[1-5]\.sigstore\.json$/)
  .refine(isAttestationName)
  .describe('The name of an attestation, such as 1.sigstore.json.')

/** What a verified attestation says. */
export const AttestationFacts = z.object({
  sha256: Sha256.describe('SHA-256 of the attestation’s file, in hex.'),
  size_bytes: z.int().positive().max(LIMITS.attestationBytes).describe('Length of the file in bytes.'),
  predicate_type: claim('What the statement says, such as https://slsa.dev/provenance/v1.'),
  issuer: claim('The OIDC issuer that vouched for the job.'),
  repository: claim('The repository in which the job ran.'),
  workflow: claim('The workflow that ran, with its ref.'),
  identity: claim('The URL of the workflow file for which the certificate was issued, as cosign compares it.'),
  ref: claim('The git ref it ran on.'),
  sha: claim('The commit it ran on.'),
  run_url: claim('The URL of the run.'),
})
export type AttestationFacts = z.infer<typeof AttestationFacts>

/** The attestations of a version, in the order of their files. */
export const AttestationList = z
  .array(z.strictObject(AttestationFacts.shape))
  .min(1, 'expected at least one attestation')
  .max(LIMITS.attestationsPerVersion, `expected at most ${LIMITS.attestationsPerVersion} attestations`)

/** The workflow that published a version. */
export const PublisherFacts = z
  .object({
    repository: z.string().describe('The repository, owner/name.'),
    workflow: z.string().describe('The path of the workflow that ran, without its ref.'),
  })
  .meta({ id: 'Publisher', description: 'The workflow that published a version.' })
export type PublisherFacts = z.infer<typeof PublisherFacts>
