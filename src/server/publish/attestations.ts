// Verifies the attestations of a publish, and lists the runs that signed versions before.
import { hash } from 'node:crypto'
import { parseBuilt } from '../../built/site-files.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import type { TrustedRootFile } from '../../domain/content/trusted-root-file.ts'
import { type AttestationVerdict, acceptAll, type VerifiedSignature } from '../../domain/publishing/attested.ts'
import type { Sources } from '../hub.ts'
import { findVersion, listVersions } from '../read/records.ts'
import type { PublishHub } from './publish-hub.ts'

/** Lists the runs that signed versions of a prompt with some content. */
export async function listRuns(
  { owner, name }: { owner: string; name: string },
  content_sha256: string,
  deps: Sources,
): Promise<Set<string>> {
  const runs = new Set<string>()
  for (const one of await listVersions(owner, name, deps)) {
    if (one.content_sha256 !== content_sha256) continue
    const record = (await findVersion(owner, name, one.version, deps))?.value()
    for (const { run_url } of record?.attestations ?? []) runs.add(run_url)
  }
  return runs
}

/** Returns a function that verifies attestations when it is first called: only after the sender's rights were checked. @throws HubError `validation_failed` with the reason of each that is refused */
export function openVerification(
  given: readonly string[],
  deps: Pick<PublishHub, 'siteFiles' | 'verifyAttestation'>,
): () => Promise<VerifiedSignature[]> {
  let verified: Promise<VerifiedSignature[]> | undefined
  return async () => {
    // Kept, so that another attempt does not verify them again.
    verified ??= verifyAll(given, deps)
    return verified
  }
}

async function verifyAll(
  given: readonly string[],
  { siteFiles, verifyAttestation }: Pick<PublishHub, 'siteFiles' | 'verifyAttestation'>,
): Promise<VerifiedSignature[]> {
  const built = await siteFiles.read(DATA_FILES.trustedRoot())
  const { roots } = built ? parseBuilt<TrustedRootFile>(built) : { roots: [] }
  const verdicts: AttestationVerdict[] = []
  // One at a time, so that a publish occupies one thread.
  for (const bundle of given) verdicts.push(await verifyAttestation(bundle, roots))
  return acceptAll(verdicts).map((verified, index) => {
    const bundle = given[index]!
    return { sha256: hash('sha256', bundle), size_bytes: Buffer.byteLength(bundle), ...verified }
  })
}
