// Verifies the attestations of a publish, in a thread and only after the sender's rights were checked. Loads nothing and reads nothing if there are none.
import { hash } from 'node:crypto'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import type { TrustedRootFile } from '../../domain/content/trusted-root-file.ts'
import { type AttestationVerdict, acceptAll, type VerifiedSignature } from '../../domain/publishing/attested.ts'
import { parseBuilt, type SiteFiles } from '../../ports/site-files.ts'
import type { TextWork } from '../../ports/text-work.ts'

/** Returns a function that verifies attestations when it is first called. @throws HubError `validation_failed` with the reason of each that is refused */
export function openVerification(
  given: readonly string[] = [],
  { text, siteFiles }: { text: TextWork; siteFiles: SiteFiles },
): () => Promise<VerifiedSignature[]> {
  let verified: Promise<VerifiedSignature[]> | undefined
  return async () => {
    if (given.length === 0) return []
    // Kept, so that another attempt does not verify them again.
    verified ??= verifyAll(given, text, siteFiles)
    return verified
  }
}

async function verifyAll(given: readonly string[], text: TextWork, siteFiles: SiteFiles): Promise<VerifiedSignature[]> {
  const built = await siteFiles.read(DATA_FILES.trustedRoot())
  const { roots } = built ? parseBuilt<TrustedRootFile>(built) : { roots: [] }
  const verdicts: AttestationVerdict[] = []
  // One at a time, so that a publish occupies one thread.
  for (const bundle of given) verdicts.push(await text.run('verifyAttestation', bundle, roots))
  return acceptAll(verdicts).map((verified, index) => {
    const bundle = given[index]!
    return { sha256: hash('sha256', bundle), size_bytes: Buffer.byteLength(bundle), ...verified }
  })
}
