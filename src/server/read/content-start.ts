// Reads the start of a prompt's latest content, from which lists draw its picture and its first line.

import type { SiteFiles } from '../../built/site-files.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'

/** Number of bytes that are decoded; lists show less. */
const DECODED_BYTES = 8_000

/** Reads the start of the latest content in the build. @returns undefined if there is none, or if it cannot be read: a list is useful without pictures */
export async function readContentStart(
  siteFiles: Pick<SiteFiles, 'read'>,
  owner: string,
  name: string,
): Promise<string | undefined> {
  const bytes = await siteFiles.read(DATA_FILES.raw(owner, name)).catch(() => undefined)
  return bytes && new TextDecoder().decode(bytes.subarray(0, DECODED_BYTES), { stream: true })
}
