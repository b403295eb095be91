// Generates the data files of one repository, and what the process that builds the next state needs to know about it.
import { type DataFile, digestRecords, listRepositoryFiles } from '../../domain/catalogue/data-files.ts'
import { makeEntry } from '../../domain/catalogue/entry.ts'
import type { RepositoryEntry } from '../../domain/content/content-tree.ts'
import { digestText } from '../../ports/measure.ts'
import type { StoredRepository } from './data-sink.ts'

/** Generates the data files of a repository, and its stored data. @param stats its download counts, as JSON */
export function makeRepository(
  files: RepositoryEntry,
  baseUrl: string,
  stats: string,
): { files: Iterable<DataFile>; part: Omit<StoredRepository, 'marks'> } {
  const { repository, versions, ...outline } = makeEntry(files, { baseUrl, stats: JSON.parse(stats) })
  const part = { stats, outline, digests: digestRecords({ repository }, digestText) }
  // An outline is copied, because strings sliced from a file's content would keep all of it in memory.
  return { files: listRepositoryFiles({ repository, versions }), part: JSON.parse(JSON.stringify(part)) }
}
