// Notes which versions new publishes include, for as long as what they include can be deleted: lists of dependents come from builds, which may be behind.
import { hash } from 'node:crypto'
import type { RepositoryPlace, VersionPlace } from '../domain/values/names.ts'
import { listKeys } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** Longer than a version can be deleted, so that no note of one that still can be is missing. */
const NOTE_MS = 80 * 3_600_000

/** Opens the notes about one source of content. @param source see `sourceOf` */
export function openIncluded(state: StateStore, source: string) {
  const prefixOf = ({ owner, name }: RepositoryPlace) =>
    `included/${hash('sha256', source).slice(0, 16)}/${owner}/${name}/`
  return {
    /** Notes what a version is about to include, before its commit. @throws HubError `unavailable` */
    async note(by: VersionPlace, parts: readonly VersionPlace[], now = Date.now()): Promise<void> {
      for (const part of parts) {
        const key = `${prefixOf(part)}${part.version}/${by.owner}/${by.name}/${by.version}`
        await state.set(key, '', { expiresAt: now + NOTE_MS })
      }
    },
    /** Lists the versions that were about to include a version, or any version of a prompt. A publish may have failed after its note. @throws HubError `unavailable` */
    async list(place: RepositoryPlace): Promise<{ part: string; by: VersionPlace }[]> {
      const prefix = prefixOf(place)
      const keys = await Array.fromAsync(listKeys(state, prefix))
      return keys.map((key) => {
        const [part = '', owner = '', name = '', version = ''] = key.slice(prefix.length).split('/')
        return { part, by: { owner, name, version } }
      })
    },
  }
}
