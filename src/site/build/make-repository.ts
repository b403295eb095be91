// Generates the data files of one repository, and the data that the next update needs.

import { makeEntry } from '../../domain/catalogue/entry.ts'
import type { RepositoryEntry } from '../../domain/content/content-tree.ts'
import { type DataFile, digestRecords, listRepositoryFiles } from '../../domain/published/data-files.ts'
import { digestText } from '../../ports/measure.ts'
import type { StoredRepository } from './data-sink.ts'

/** Generates a repository's data files and stored data. @param stats the download counts, as JSON */
export function makeRepository(
  files: RepositoryEntry,
  baseUrl: string,
  stats: string,
): { files: Iterable<DataFile>; part: Omit<StoredRepository, 'marks'> } {
  const { repository, versions, ...outline } = makeEntry(files, { baseUrl, stats: JSON.parse(stats) })
  const part = { stats, outline, digests: digestRecords({ repository }, digestText) }
  // A copy is returned, because strings sliced from a file's content would keep the whole content in memory.
  return { files: listRepositoryFiles({ repository, versions }), part: JSON.parse(JSON.stringify(part)) }
}
