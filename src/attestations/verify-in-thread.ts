// Verifies attestations. The libraries are loaded where the work runs, and with the first attestation.

import { allowInThreads } from '../concurrency/long-work.ts'
import type { RootEntry } from '../domain/content/trusted-root-file.ts'
import type { AttestationVerdict } from '../domain/publishing/attested.ts'

/** Verifies an attestation with the hub's trusted roots. @returns what it says, or why it is refused */
export async function verifyAttestation(text: string, roots: readonly RootEntry[]): Promise<AttestationVerdict> {
  return (await import('./verify-attestation.ts')).verifyAttestation(text, roots)
}

allowInThreads(import.meta.url, { verifyAttestation })
