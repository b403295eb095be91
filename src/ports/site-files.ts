// The port through which the built site's files are read, wherever they lie; what their absence means, and their JSON.
import { HubError } from '../domain/api/errors.ts'

/** The bytes of a file. */
export type Bytes = Uint8Array<ArrayBuffer>

/** A file that is too long to be held in memory for each of its readers. */
export interface LargeFile {
  size: number
  /** Of its bytes: SHA-256, base64url. */
  digest: string
  /** Its bytes piece by piece, as fast as they are taken. */
  stream(): ReadableStream<Uint8Array>
}

/** The files of one build. */
export interface SiteFiles {
  /** Opens a large file. @returns undefined for every other file; a driver without this verb reads all files whole */
  openLarge?(path: string): Promise<LargeFile | undefined>
  /**
   * Reads one file.
   *
   * @param path from the site's root, with a leading slash, made of checked segments: `/data/v1/tags.json`
   * @returns undefined when there is no such file; the same file may be the same object each time, so nobody changes it
   * @throws HubError `unavailable` when the files cannot be reached
   */
  read(path: string): Promise<Bytes | undefined>
}

/** What is said when the catalogue, or a part of it that every build has, is out of reach; also by protocols with errors of their own. */
export const CATALOGUE_AWAY = 'The catalogue cannot be read just now. Try again in a few seconds.'

/** The error for it. */
export function refuseAway(cause: unknown): HubError {
  return new HubError('unavailable', CATALOGUE_AWAY, { cause, retryAfterSeconds: 5 })
}

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
