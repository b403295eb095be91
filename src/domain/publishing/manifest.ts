// What an attestation is about beside the content: everything else of a version that decides what its callers get.
import type { VersionRecord } from '../api/schema.ts'
import { canonicalJson } from '../text/json.ts'
import type { FileEntry } from '../values/file-entry.ts'
import type { Measure } from './request.ts'

/** The fields of a version's record that its manifest has. */
type Described = Pick<VersionRecord, 'content_sha256' | 'format' | 'variables' | 'parameters' | 'skill'> & {
  files: readonly Pick<FileEntry, 'path' | 'size_bytes' | 'sha256'>[]
}

/** Returns the manifest of a version. docs/contract.md section 7 */
function manifestOf({ content_sha256, format, variables, parameters, skill, files }: Described): Described {
  const listed = files.map(({ path, size_bytes, sha256 }) => ({ path, size_bytes, sha256 }))
  return { content_sha256, format, variables, parameters, skill, files: listed }
}

/** Returns the SHA-256 of a version's manifest, in hex. */
export function digestManifest(version: Described, measure: Measure): string {
  return measure(canonicalJson(manifestOf(version))).content_sha256
}
