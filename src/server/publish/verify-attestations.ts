// Verifies the attestations of a publish, in a thread and only after the sender's rights were checked. Loads nothing and reads nothing if there are none.
import { hash } from 'node:crypto'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import type { TrustedRootFile } from '../../domain/content/trusted-root-file.ts'
import type { VerifiedSignature } from '../../domain/publishing/attested.ts'
import { validationFailed } from '../../domain/publishing/request.ts'
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
  const problems: { key: string; message: string }[] = []
  const verified: VerifiedSignature[] = []
  // One at a time, so that a publish occupies one thread.
  for (const [index, bundle] of given.entries()) {
    const { value, problem } = await text.run('verifyAttestation', bundle, roots)
    if (problem !== undefined) problems.push({ key: `attestations.${index}`, message: problem })
    else verified.push({ sha256: hash('sha256', bundle), size_bytes: Buffer.byteLength(bundle), ...value })
  }
  if (problems.length > 0) throw validationFailed(problems)
  return verified
}
