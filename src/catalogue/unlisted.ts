// Lists each owner's prompts that appear in no list, so that their owners can find them on the account page.
import type { RepositorySummary } from '../domain/api/schema.ts'
import type { RepositoryOutline } from './outline.ts'

/** A prompt that is archived, has moved, or has only yanked versions. */
export interface UnlistedPrompt extends RepositorySummary {
  /** The repository that it moved to, or null. */
  moved_to: string | null
}

/** Returns the outlines of the unlisted repositories, by owner, in the given order. */
export function groupUnlisted(outlines: Iterable<RepositoryOutline>): Map<string, RepositoryOutline[]> {
  const unlisted = [...outlines].filter(({ isListed }) => !isListed)
  return Map.groupBy(unlisted, ({ summary }) => summary.owner)
}

/** Returns the record of an unlisted prompt. */
export function unlistedRecord({ summary, movedTo }: RepositoryOutline): UnlistedPrompt {
  return { ...summary, moved_to: movedTo }
}
