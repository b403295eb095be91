// Remembers the numbers and digests of the versions that this hub published: a branch that was set back, as by a force push, no longer has them, and their numbers must never mean another text.
import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import * as z from 'zod'
import { mapConcurrently } from '../concurrency/promises.ts'
import { type RepositoryPlace, splitFullName } from '../domain/values/names.ts'
import { sortVersions } from '../domain/values/versions.ts'
import { listKeys, parseRecord } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** Twice as many as a prompt may have. The lowest numbers are dropped first, because the next number is above the highest. */
const MAX_REMEMBERED = 2_000
/** Maximum number of records that are read at once. */
const AT_ONCE = 16

/** The digests of a prompt's versions, and when they were published, in milliseconds since 1970, by number. */
const Published = z.record(z.string(), z.object({ digest: z.string(), at: z.number() }))
export type Published = z.infer<typeof Published>

/** The settings that say where the content is. */
interface ContentPlace {
  gitStore: { kind: 'github'; repository: string; branch: string } | { kind: 'local' | 'incomplete' }
  contentDir: string
}

/** Names where the content is: another repository has other versions, also under the same names. */
export const sourceOf = ({ gitStore, contentDir }: ContentPlace): string =>
  gitStore.kind === 'github' ? `${gitStore.repository}#${gitStore.branch}` : resolve(contentDir)

/** Opens what is remembered of one source. @param source see `sourceOf` */
export function openPublished(state: StateStore, source: string) {
  const prefix = `published/${hash('sha256', source).slice(0, 16)}/`
  const find = async ({ owner, name }: RepositoryPlace) => {
    const key = `${prefix}${owner}/${name}`
    const found = await state.get(key)
    const versions: Published = (found && (await parseRecord(key, found.value, Published))) ?? {}
    return { key, found, versions }
  }
  /** Returns the versions of a prompt that this hub published. @throws HubError `unavailable` */
  const read = async (place: RepositoryPlace) => (await find(place)).versions
  return {
    read,
    /** Remembers a version, without a time limit: no number is ever used again. @throws HubError `unavailable` */
    async remember(place: RepositoryPlace, { version, digest }: { version: string; digest: string }): Promise<void> {
      // Each further attempt means that another machine remembered a version.
      for (;;) {
        const { key, found, versions: before } = await find(place)
        if (before[version]?.digest === digest) return
        const all = { ...before, [version]: { digest, at: Date.now() } }
        const numbers = sortVersions(Object.keys(all)).slice(0, MAX_REMEMBERED)
        const text = JSON.stringify(Object.fromEntries(numbers.map((number) => [number, all[number]])))
        if (found ? await state.replace(key, text, found.version) : await state.add(key, text)) return
      }
    },
    /** Reads all that this hub published, by the full names of prompts. @throws HubError `unavailable` */
    async readAll(): Promise<Map<string, Published>> {
      const names = (await Array.fromAsync(listKeys(state, prefix))).map((key) => key.slice(prefix.length))
      const all = await mapConcurrently(AT_ONCE, names, async (fullName) => {
        const place = splitFullName(fullName)
        return [fullName, place ? await read(place) : {}] as const
      })
      return new Map(all)
    },
  }
}
