// Writes the files with data of several repositories, but only those whose sources changed: lists, tags, owners, the history and the sitemap.
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { type History, listHistoryFiles, listSharedFiles } from '../../domain/catalogue/data-files.ts'
import { digestText } from '../../ports/measure.ts'
import type { DataSink } from './data-sink.ts'
import { listSitemapFiles } from './sitemap.ts'

/**
 * Opens the shared files of a site.
 *
 * @param paths the paths of those in the last state
 * @returns a function that writes those of the next state, and returns whether any changed; `isChanged` says whether a repository did
 */
export function openSharedFiles(sink: DataSink, paths: Iterable<string>) {
  /** The sources of each file in the last state; undefined if another process wrote that state. */
  let last = new Map<string, readonly unknown[] | undefined>(Array.from(paths, (path) => [path, undefined]))
  return (catalogue: Catalogue, history: History, isChanged: boolean): boolean => {
    const now = new Map<string, readonly unknown[]>()
    let isDifferent = isChanged
    for (const { path, of, format } of [
      ...listSharedFiles(catalogue, digestText),
      ...listHistoryFiles(catalogue, history),
      ...listSitemapFiles(catalogue),
    ]) {
      now.set(path, of)
      const before = last.get(path)
      const isThere = last.delete(path)
      if (before && isSame(before, of)) continue
      const text = format()
      // Comparing it with the file would take longer than writing it, and a changed repository usually changes its lists.
      const isSurelyDifferent = before && isDifferent
      if (isThere && !isSurelyDifferent && sink.read(path) === text) continue
      sink.write(path, text)
      isDifferent = true
    }
    for (const path of last.keys()) sink.remove(path)
    isDifferent ||= last.size > 0
    last = now
    return isDifferent
  }
}

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && now.every((part, index) => part === before[index])
}
