// Owns the port through which the built site's files are read, wherever they lie.

/** One file of the site. */
export interface SiteFile {
  bytes: Uint8Array<ArrayBuffer>
  /** A strong validator in quotes, the same for the same bytes. RFC 9110 section 8.8.3. */
  etag: string
}

/** The files of one build. */
export interface SiteFiles {
  /**
   * Reads one file.
   *
   * @param path from the site's root, with a leading slash, made of checked segments: `/data/v1/tags.json`
   * @returns undefined when there is no such file
   * @throws HubError `unavailable` when the files cannot be reached
   */
  read(path: string): Promise<SiteFile | undefined>
}
