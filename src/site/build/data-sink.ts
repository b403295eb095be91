// Defines where the data files of a site are written, and what is stored about each part of the content for the next state.
import type { RecordDigests, RepositoryOutline } from '../../domain/catalogue/outline.ts'
import type { ParsedFile } from '../../stores/content/content-file.ts'

/** Where the files of a site are written. */
export interface DataSink {
  /** @returns the last written content of a file, or undefined */
  read(path: string): string | undefined
  write(path: string, text: string): void
  remove(path: string): void
  /** Stores data about a part of the content for the process that builds the next state. @param part undefined if the part was removed */
  keep(name: string, part: StoredPart | undefined): void
}

/** The stored data of one repository. */
export interface StoredRepository {
  /** Identifies its files (content-listing.ts); empty if they must be read again. */
  marks: string
  /** Its download counts, as JSON. */
  stats: string
  outline: RepositoryOutline
  digests: RecordDigests
}

/** The stored data of a file outside repositories: its last valid state. */
export interface StoredFile {
  marks: string
  parsed: ParsedFile
}

/** The stored data of one part. The name of a repository is `owner/name/`, and the name of a file is its path. */
export type StoredPart = StoredRepository | StoredFile
