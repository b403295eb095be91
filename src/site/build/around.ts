// Owns what the pages of a prompt show of the rest of the catalogue. It is handed over as props, because a page is only rendered again when its props change.
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { groupByTag } from './tagged.ts'

/** What stands around a prompt. */
export interface Around {
  /** The address of the owner's picture, or null. */
  avatar: string | null
  /** Those who published a version and have a page. */
  people: string[]
  /** Those of its tags that have a page: one that only unlisted repositories carry has none. */
  tags: string[]
}

/** Looks around a prompt. */
export function lookAround(catalogue: Catalogue, { summary, releases }: CatalogueEntry): Around {
  const { users } = catalogue
  const tagged = groupByTag(catalogue)
  const publishers = new Set(releases.map(({ published_by }) => published_by))
  return {
    avatar: users.get(summary.owner)?.avatar_url ?? null,
    people: [...publishers].filter((handle) => users.has(handle)),
    tags: summary.tags.filter((tag) => tagged.has(tag)),
  }
}
