// Finds the files that combine data from several repositories (lists, tags, owners and the sitemap), and writes those of the history that changed.

import type { Catalogue } from '../catalogue/catalogue.ts'
import type { OutlinedEntry } from '../catalogue/entry.ts'
import { findSharedData, type History, listHistoryFiles, listSharedData } from '../catalogue/published/shared-files.ts'
import { printable } from '../domain/text/printable.ts'
import type { Problem } from '../domain/text/problems.ts'
import type { DataSink } from './data-sink.ts'
import { findSitemapFile, listSitemapPaths } from './sitemap.ts'

/** Generates the shared file of a catalogue at a path, or returns undefined if there is no such file. @param catalogue its entries have `digests` */
export function findSharedFile(catalogue: Catalogue<OutlinedEntry>, path: string): string | undefined {
  return findSharedData(catalogue, path) ?? findSitemapFile(catalogue, path)
}

/** Lists the paths of all shared files of a catalogue. */
export function listSharedPaths(catalogue: Catalogue<OutlinedEntry>): string[] {
  return [...listSharedData(catalogue), ...listSitemapPaths(catalogue)]
}

/**
 * Prepares the files of the history for updates.
 *
 * @param paths the paths of these files after the previous update
 * @returns a function that writes those that changed, and returns whether any did
 */
export function openHistoryFiles(sink: DataSink, paths: Iterable<string>) {
  /** What each file was made from; undefined if another process made it. */
  let last = new Map<string, unknown>(Array.from(paths, (path) => [path, undefined]))
  return (catalogue: Catalogue, history: History): boolean => {
    const now = new Map<string, unknown>()
    let isDifferent = false
    for (const { path, of, format } of listHistoryFiles(catalogue, history)) {
      now.set(path, of)
      const before = last.get(path)
      const isThere = last.delete(path)
      if (isThere && before === of) continue
      const text = format()
      if (isThere && sink.read(path) === text) continue
      sink.write(path, text)
      isDifferent = true
    }
    for (const path of last.keys()) sink.remove(path)
    isDifferent ||= last.size > 0
    last = now
    return isDifferent
  }
}

/** Describes data that could not be made, without paths of the machine: those of the file system are in messages with a code. */
export function describeFailure(file: string, error: unknown): Problem {
  const { name = 'Error', code, message = '' } = (error ?? {}) as Partial<Error & { code: string }>
  const what = code ?? printable(`${name}: ${message}`)
  return {
    file,
    rule: 'derivable',
    key: '',
    message: `expected content from which the hub can make its data, got ${what}`,
  }
}
