// Owns the port through which the built site's files are read, wherever they lie.
import { HubError } from '../domain/api/errors.ts'

/** The bytes of a file. */
export type Bytes = Uint8Array<ArrayBuffer>

/** The files of one build. */
export interface SiteFiles {
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
