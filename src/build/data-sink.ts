// Defines where a site's data files are written, and which data about each part of the content is stored for the next update.
import type { RecordDigests, RepositoryOutline } from '../catalogue/outline.ts'
import type { ParsedFile } from '../content/content-file.ts'

/** The destination of a site's data files. */
export interface DataSink {
  /** @returns the content last written to a file; undefined if there is none */
  read(path: string): string | undefined
  write(path: string, content: string | Uint8Array): void
  remove(path: string): void
  /** Lists the paths of existing files outside a folder. @param dir a folder such as `/data/v1/repos/` */
  listPathsOutside(dir: string): Iterable<string>
  /** Stores data about a part of the content for the process that performs the next update. @param part undefined if the part was removed */
  storePart(name: string, part: StoredPart | undefined): void
  /** Lists what the previous update stored. */
  listParts(): Iterable<readonly [name: string, part: StoredPart]>
}

/** The stored data of one repository. */
export interface StoredRepository {
  /** Identifies the repository's files (content-listing.ts); empty if all of them must be read again. With a problem, it begins with an empty line, and has only the files that are served (recalled-versions.ts). */
  marks: string
  /** The repository's download counts, as JSON. */
  stats: string
  /** When its versions came to the branch, as JSON. */
  added: string
  /** What is announced about the models of its versions, as JSON. */
  models: string
  outline: RepositoryOutline
  digests: RecordDigests
}

/** The stored data of a file outside repositories: the file's last valid content. */
export interface StoredFile {
  marks: string
  parsed: ParsedFile
}

/** The stored data of one part. Repositories are stored under `owner/name/`, files under their paths. */
export type StoredPart = StoredRepository | StoredFile
