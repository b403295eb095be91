// The interface to the built site's files, wherever they are stored. Also handles missing files and parses JSON.
import { HubError } from '../domain/api/errors.ts'

/** The bytes of a file. */
export type Bytes = Uint8Array<ArrayBuffer>

/** The files of one build. */
export interface SiteFiles {
  /**
   * Reads one file.
   *
   * @param path the path from the site's root, with a leading slash and validated segments, such as `/data/v1/tags.json`
   * @returns undefined if the file does not exist; the result may be shared between callers, so do not modify it
   * @throws HubError `unavailable` when the files cannot be reached
   */
  read(path: string): Promise<Bytes | undefined>
}

/** The error message if the catalogue, or a part that every build contains, is unavailable; also used by protocols that have their own error format. */
export const CATALOGUE_UNAVAILABLE = 'The catalogue cannot be read right now. Try again in a few seconds.'

/** Creates the error with that message. */
export function catalogueUnavailable(cause: unknown): HubError {
  return new HubError('unavailable', CATALOGUE_UNAVAILABLE, { cause, retryAfterSeconds: 5 })
}

/** Reads a file that every build writes; if it is missing, the site is damaged or incomplete. */
export async function readBuilt(siteFiles: SiteFiles, path: string): Promise<Bytes> {
  const bytes = await siteFiles.read(path)
  if (!bytes) throw catalogueUnavailable(`missing ${path}`)
  return bytes
}

/**
 * Parses a built file. Its structure is not validated again: the build of this deploy wrote it from values of this type, and a test validates the output against the schemas.
 */
export function parseBuilt<Value>(bytes: Bytes): Value {
  return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
}
