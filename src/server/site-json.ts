// Owns reading the built site's files in the server: what their absence means, and their JSON.
import type { HubError } from '../domain/api/errors.ts'
import { type Bytes, refuseAway, type SiteFiles } from '../ports/site-files.ts'

/** Reads a file that names something the client asked for. @param absent the error when there is no such thing */
export async function readOr(siteFiles: SiteFiles, path: string, absent: () => HubError): Promise<Bytes> {
  const bytes = await siteFiles.read(path)
  if (!bytes) throw absent()
  return bytes
}

/** Reads a file that every build writes: without it, the site is broken or only half there. */
export function readBuilt(siteFiles: SiteFiles, path: string): Promise<Bytes> {
  return readOr(siteFiles, path, () => refuseAway(`missing ${path}`))
}

/**
 * Parses a built file. Its shape is not judged again: the build of this very deploy wrote it from values of this very type, and a test holds what it
 * writes to the schemas.
 */
export function parseBuilt<Value>(bytes: Bytes): Value {
  return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
}
