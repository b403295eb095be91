// Compares the attestations of a version with its file, which lists them. A build trusts what the file says, as it does for provenance; only a review verifies signatures.
import { formatPath } from '../domain/content/content-path.ts'
import type { VersionEntry } from '../domain/content/content-tree.ts'
import type { Problem } from '../domain/text/problems.ts'
import { attestationName } from '../domain/values/attestation-name.ts'
import { type AttestationFile, parseContentFile } from './content-file.ts'
import { type ContentReader, nameFile } from './content-files.ts'

/** The rule that a version breaks if its attestations are others than its file lists. */
const RULE = 'attestations-listed'

/** Checks the attestations of a version. @param version undefined if its file cannot be parsed or is missing */
export function checkAttestations(
  folder: ContentReader,
  place: { owner: string; name: string; version: string },
  { attestations }: { attestations: readonly string[] },
  version: VersionEntry | undefined,
): Problem[] {
  const problems: Problem[] = []
  const files = attestations.flatMap((path) => {
    const { parsed } = parseContentFile(path, (maxBytes) => folder.read(path, maxBytes))
    problems.push(...(parsed.problems ?? []).map((problem) => ({ file: nameFile(path), ...problem })))
    return parsed.value?.kind === 'attestation' ? [parsed.value.value] : []
  })
  return [...problems, ...compareAttestations(place, files, version)]
}

/** Compares attestations with the version file. @param version undefined if its file cannot be parsed or is missing */
export function compareAttestations(
  place: { owner: string; name: string; version: string },
  files: readonly Pick<AttestationFile, 'file' | 'sha256'>[],
  version: Pick<VersionEntry, 'attestations'> | undefined,
): Problem[] {
  const found = new Map(files.map(({ file, sha256 }) => [file, sha256]))
  const at = (file: string, message: string) => ({
    file: nameFile(formatPath({ ...place, kind: 'attestation', file })),
    rule: RULE,
    key: '',
    message,
  })
  const wrong = (version?.attestations ?? []).flatMap(({ sha256 }, index) => {
    const name = attestationName(index)
    const there = found.get(name)
    found.delete(name)
    if (there === sha256) return []
    return [at(name, there === undefined ? 'expected the file' : `expected the SHA-256 ${sha256}, got ${there}`)]
  })
  const others = [...found.keys()].map((file) => at(file, 'expected the key attestations of the version to list it'))
  return [...wrong, ...others]
}
