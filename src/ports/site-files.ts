// Owns the port through which the built site's files are read, wherever they lie.

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
