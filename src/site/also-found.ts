// Finds what a search means besides prompts: tags, owners and guides.
import { findGuides } from './docs/guide-texts.ts'
import { ownerPage, tagPage } from './links.ts'
import type { PageData } from './rendering.ts'

/** A tag, an owner or a guide that a search found. */
export interface AlsoFound {
  what: 'Tag' | 'Owner' | 'Guide'
  words: string
  address: string
}

/** Maximum number of tags, and of owners. */
const MAX_NAMED = 2
/** Minimum length of the start of a name that finds it. */
const MIN_LETTERS = 3

/** Finds the tags and owners that the words name, or whose name has a part that begins with the last word, and guides. */
export async function findOthers(q: string, hub: Pick<PageData, 'listTags' | 'listOwners'>): Promise<AlsoFound[]> {
  const words = q.toLowerCase().split(/\s+/)
  const named = new Set([...words, words.join('-')])
  const start = words.at(-1) ?? ''
  const isMeant = (name: string) => named.has(name) || (start.length >= MIN_LETTERS && `-${name}`.includes(`-${start}`))
  /** Chooses the first names, those that the words name before all others. */
  const choose = (names: readonly string[]) =>
    names.toSorted((a, b) => Number(named.has(b)) - Number(named.has(a))).slice(0, MAX_NAMED)
  const [tags, owners, guides] = await Promise.all([hub.listTags(), hub.listOwners(), findGuides(q)])
  const publishing = owners
    .filter(({ handle, repos_count }) => repos_count > 0 && isMeant(handle))
    .sort((a, b) => b.repos_count - a.repos_count)
  return [
    ...choose(tags.map(({ name }) => name).filter(isMeant)).map((tag) => ({
      what: 'Tag' as const,
      words: tag,
      address: tagPage(tag),
    })),
    ...choose(publishing.map(({ handle }) => handle)).map((handle) => ({
      what: 'Owner' as const,
      words: handle,
      address: ownerPage(handle),
    })),
    ...guides.map(({ words, path }) => ({ what: 'Guide' as const, words, address: path })),
  ]
}
