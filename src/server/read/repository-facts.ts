// The most frequently used fields of a repository, taken only once from each of its records.

import type { Bytes } from '../../built/site-files.ts'
import type { Repository } from '../../domain/api/schema.ts'

/** The fields. */
export interface RepositoryFacts
  extends Pick<
    Repository,
    'full_name' | 'labels' | 'latest_version' | 'moved_to' | 'status' | 'versions' | 'versions_count'
  > {
  /** The latest version's content; undefined if there is no version. */
  latestContent: Bytes | undefined
}

/** Takes the fields other than the content from a record. */
export function pickFacts(repository: Repository): Omit<RepositoryFacts, 'latestContent'> {
  const { full_name, labels, latest_version, moved_to, status, versions, versions_count } = repository
  return { full_name, labels, latest_version, moved_to, status, versions, versions_count }
}

/** The fields by the bytes of the record, which hosts cache for popular files. A store that has parsed a record elsewhere adds them, because parsing one may block the answering thread for 0.2 s. */
export const knownFacts = new WeakMap<Bytes, RepositoryFacts>()
