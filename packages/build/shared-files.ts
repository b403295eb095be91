// Writes the files that combine data from several repositories (lists, tags, owners, the history and the sitemap), but only those whose sources changed.

import { printable } from '../../src/domain/text/printable.ts'
import type { Problem } from '../../src/domain/text/problems.ts'
import { digestText } from '../../src/ports/measure.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type History, listHistoryFiles, listSharedFiles } from '../catalogue/published/data-files.ts'
import type { DataSink } from './data-sink.ts'
import { listSitemapFiles } from './sitemap.ts'

/**
 * Prepares the shared files of a site for updates.
 *
 * @param paths the paths of the shared files after the previous update
 * @returns a function that writes the shared files of an update and returns whether any data file changed; `isChanged` indicates whether a repository changed. A file that cannot be made is a problem, and stays as it was
 */
export function openSharedFiles(sink: DataSink, paths: Iterable<string>) {
  /** The sources of each file in the previous update; undefined if another process performed that update. */
  let last = new Map<string, readonly unknown[] | undefined>(Array.from(paths, (path) => [path, undefined]))
  return (catalogue: Catalogue, history: History, isChanged: boolean) => {
    const now = new Map<string, readonly unknown[] | undefined>()
    const problems: Problem[] = []
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
      let text: string
      try {
        text = format()
      } catch (error) {
        problems.push(describeFailure(path, error))
        now.delete(path)
        if (isThere) now.set(path, undefined)
        continue
      }
      // Comparing the text with the file takes longer than writing it, and when a repository changes, its lists usually change too.
      const isSurelyDifferent = before && isDifferent
      if (isThere && !isSurelyDifferent && sink.read(path) === text) continue
      sink.write(path, text)
      isDifferent = true
    }
    for (const path of last.keys()) sink.remove(path)
    isDifferent ||= last.size > 0
    last = now
    return { isDifferent, problems }
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

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && now.every((part, index) => part === before[index])
}
