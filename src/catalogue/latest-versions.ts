// Lists the latest version of every prompt that is not archived, for exports of the whole content.

import type { VersionEntry } from '../domain/content/content-tree.ts'
import { DEFAULT_REPOSITORY_FILE, type RepositoryFile } from '../domain/content/prompt-file.ts'
import { resolveLatest } from '../domain/values/versions.ts'
import type { ContentTree } from './content-tree.ts'

/** A prompt with its latest version. */
export interface LatestVersion {
  owner: string
  name: string
  file: RepositoryFile
  entry: VersionEntry
}

/** Lists the latest versions, in the order of the tree. Prompts whose versions are all yanked have none. */
export function listLatestVersions({ repositories }: Pick<ContentTree, 'repositories'>): LatestVersion[] {
  return [...repositories.values()].flatMap(({ owner, name, file = DEFAULT_REPOSITORY_FILE, versions }) => {
    const latest = resolveLatest(
      versions.map(({ version }) => version),
      (version) => Object.hasOwn(file.yanked, version),
    )
    const entry = versions.find(({ version }) => version === latest)
    return entry && file.status !== 'archived' ? [{ owner, name, file, entry }] : []
  })
}
