// Reads prompts in the content folder as an import leaves them, even if it writes nothing.

import type { ExistingRepository } from '../../../packages/prompt-formats/source/content-files.ts'
import { describeFiles, listVersions, readIndex, readTests, readVersion } from '../../../src/content/prompt-files.ts'
import { formatPath, parsePath } from '../../../src/domain/content/content-path.ts'
import type { FileEntry } from '../../../src/domain/values/file-entry.ts'

/** The prompts of the content folder and of an import. */
interface WrittenFiles {
  /** Adds what the import writes, or would write. @param path below the content folder @param files those of a version */
  add(path: string, text: string, files?: readonly FileEntry[]): void
  /** @returns undefined if there is no such prompt, and no `index.md` of one */
  read(owner: string, name: string): ExistingRepository | undefined
}

/** Opens the content folder. @throws Error if a file cannot be read */
export function openWrittenFiles(contentDir: string): WrittenFiles {
  const written = new Map<string, string>()
  const filesOf = new Map<string, readonly FileEntry[]>()
  const versionsOf = new Map<string, Set<string>>()
  return {
    add(path, text, files = []) {
      written.set(path, text)
      filesOf.set(path, files)
      const place = parsePath(path).value
      if (place?.kind !== 'version') return
      const fullName = `${place.owner}/${place.name}`
      versionsOf.set(fullName, (versionsOf.get(fullName) ?? new Set()).add(place.version))
    },
    read(owner, name) {
      const place = { owner, name }
      const versions = new Set([
        ...(listVersions(contentDir, place) ?? []),
        ...(versionsOf.get(`${owner}/${name}`) ?? []),
      ])
      const index = written.get(formatPath({ kind: 'repository', ...place })) ?? readIndex(contentDir, place)
      if (versions.size === 0 && index === undefined) return undefined
      return {
        index,
        versions: [...versions],
        tests: written.get(formatPath({ kind: 'tests', ...place })) ?? readTests(contentDir, place),
        read: (version) =>
          written.get(formatPath({ kind: 'version', ...place, version })) ??
          readVersion(contentDir, { ...place, version }),
        describeFiles: (version) =>
          filesOf.get(formatPath({ kind: 'version', ...place, version })) ??
          describeFiles(contentDir, `${owner}/${name}/versions/${version}`),
      }
    },
  }
}
