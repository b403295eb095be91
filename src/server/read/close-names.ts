// Suggests similar names for a repository that does not exist: the same name under another owner, or a name that differs by a few typos.

import { HubError } from '../../domain/api/errors.ts'
import type { Warning } from '../../domain/api/schema.ts'
import { countTypos } from '../../domain/search/edit-distance.ts'
import { isTakenFor } from '../../domain/search/near-names.ts'
import type { RepositoryPlace } from '../../domain/values/names.ts'
import type { Search } from '../../search/search.ts'

const MAX_SUGGESTED = 3
const MAX_CANDIDATES = 20
/** Maximum number of typos between a name and a suggestion: one per four letters, at most two. */
const MAX_TYPOS = 2
const LETTERS_PER_TYPO = 4

/** Finds up to three listed repositories whose names resemble the given name, closest first. Sends one search query. */
export async function findClose(
  owner: string,
  name: string,
  { search }: { search: () => Pick<Search, 'find'> },
): Promise<string[]> {
  return (await findCandidates(name, search))
    .map((found) => ({ found, typos: typosBetween(found.name, name), others: typosBetween(found.owner, owner) }))
    .filter(({ typos, others }) => typos === 0 || typos + others < Infinity)
    .sort((a, b) => a.typos - b.typos || a.others - b.others)
    .slice(0, MAX_SUGGESTED)
    .map(({ found }) => found.full_name)
}

/** Finds the listed repository, first in `top`, for which one with the given name is easily taken. @returns its full name */
async function findTakenFor(
  place: RepositoryPlace,
  { search }: { search: () => Pick<Search, 'findNear'> },
): Promise<string | undefined> {
  const found = (await orNone(() => search().findNear(place.name))).find((one) => isTakenFor(place, one))
  return found && `${found.owner}/${found.name}`
}

/** Where near names are looked up; nowhere on Netlify, whose functions for writes have no index. */
export interface NameSearch {
  search?: (() => Pick<Search, 'findNear'>) | undefined
}

/** Warns about a new name that is almost that of another prompt. */
export async function warnOfNear(place: RepositoryPlace, { search }: NameSearch): Promise<Warning[]> {
  const near = search && (await findTakenFor(place, { search }))
  if (near === undefined) return []
  const message = `the name is almost that of ${near}, so that people may take one for the other. Choose another name, unless this is meant`
  return [{ code: 'near_name', message, line: null }]
}

async function findCandidates(name: string, search: () => Pick<Search, 'find'>) {
  const question = { text: name.replaceAll('-', ' '), tags: [], sort: undefined, offset: 0, limit: MAX_CANDIDATES }
  return orNone(async () => (await search().find(question)).matches)
}

/** If there is no search, or it fails, the caller still answers, but without names. */
async function orNone<Item>(find: () => Promise<Item[]>): Promise<Item[]> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof HubError && error.code === 'unavailable')) throw error
    return []
  }
}

/** @returns infinity if the names are not similar */
function typosBetween(known: string, typed: string): number {
  const most = Math.min(MAX_TYPOS, Math.floor(typed.length / LETTERS_PER_TYPO))
  const typos = countTypos(known, typed, most)
  return typos > most ? Infinity : typos
}
