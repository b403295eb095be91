// Finds the files that combine data from several repositories (lists, tags, owners, the history and the sitemap), and writes those that changed.

import { printable } from '../../src/domain/text/printable.ts'
import type { Problem } from '../../src/domain/text/problems.ts'
import { digestText } from '../../src/ports/measure.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { findSharedData, type History, listSharedData } from '../catalogue/published/shared-files.ts'
import type { DataSink } from './data-sink.ts'
import { findSitemapFile, listSitemapPaths } from './sitemap.ts'

/** Generates the shared file of a catalogue at a path, or returns undefined if there is no such file. @param catalogue its entries have `digests` */
export function findSharedFile(catalogue: Catalogue, history: History, path: string): string | undefined {
  return findSharedData(catalogue, history, path) ?? findSitemapFile(catalogue, path)
}

/** Lists the paths of all shared files of a catalogue. */
export function listSharedPaths(catalogue: Catalogue, history: History): string[] {
  return [...listSharedData(catalogue, history), ...listSitemapPaths(catalogue)]
}

/**
 * Prepares the shared files of a site for updates.
 *
 * @param paths the paths of the shared files after the previous update
 * @returns a function that writes the shared files of an update and returns whether any data file changed; `isChanged` indicates whether a repository changed. A file that cannot be made is a problem, and stays as it was
 */
export function openSharedFiles(sink: DataSink, paths: Iterable<string>) {
  /** The digests of the files; undefined for those that another process wrote. */
  let last = new Map<string, string | undefined>(Array.from(paths, (path) => [path, undefined]))
  return (catalogue: Catalogue, history: History, isChanged: boolean) => {
    const now = new Map<string, string | undefined>()
    const problems: Problem[] = []
    let isDifferent = isChanged
    for (const path of listSharedPaths(catalogue, history)) {
      const before = last.get(path)
      const isThere = last.delete(path)
      let text: string
      try {
        text = findSharedFile(catalogue, history, path)!
      } catch (error) {
        problems.push(describeFailure(path, error))
        if (isThere) now.set(path, before)
        continue
      }
      const digest = digestText(text)
      now.set(path, digest)
      if (isThere && (before ? before === digest : sink.read(path) === text)) continue
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
