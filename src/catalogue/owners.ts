// Says what the catalogue has of each owner besides its page: its unlisted prompts, how much it has, who may act for it, and the workflows that it trusts. A publish reads git instead, so that it never uses an outdated list.
import type { RepositorySummary } from '../domain/api/schema.ts'
import type { OwnerUsage } from '../domain/catalogue/usage.ts'
import type { TrustedPublisher } from '../domain/content/front-matter.ts'
import { compareText } from '../domain/text/plain-text.ts'
import { isOwner } from '../domain/values/names.ts'
import type { ContentTree } from './content-tree.ts'
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

/** Counts the repositories of each owner, whether or not they are listed, sorted by owner. */
export function countUsage(outlines: Iterable<RepositoryOutline>): [owner: string, usage: OwnerUsage][] {
  const usages = new Map<string, OwnerUsage>()
  for (const { summary, bytes } of outlines) {
    const usage = usages.get(summary.owner) ?? { prompts: 0, bytes: 0 }
    usages.set(summary.owner, { prompts: usage.prompts + 1, bytes: usage.bytes + bytes })
  }
  return [...usages].sort(([a], [b]) => compareText(a, b))
}

/** Returns the trusted workflows of all owners by the ID of their GitHub repository. */
export function listTrustedJobs({ owners }: Pick<ContentTree, 'owners'>): Map<string, TrustedPublisher[]> {
  const all = [...owners.values()].flatMap(({ trusted_publishers }) => trusted_publishers)
  return Map.groupBy(all, ({ repository_id }) => repository_id)
}

/**
 * Returns the owners for which each member may act. A login that is not listed may act only for its own handle.
 *
 * @param unreadable owners whose file cannot be read now: nobody may act for them, whatever an earlier file said
 */
export function listMemberships(
  { owners }: Pick<ContentTree, 'owners'>,
  unreadable: ReadonlySet<string> = new Set(),
): Map<string | number, string[]> {
  const memberships = new Map<string | number, string[]>()
  const named = [...owners.keys()].filter((owner) => owners.get(owner)!.members.length > 0)
  const withMembers = new Set([...named, ...unreadable])
  for (const owner of withMembers) {
    if (!memberships.has(owner)) memberships.set(owner, [])
    if (unreadable.has(owner)) continue
    for (const member of owners.get(owner)!.members)
      memberships.set(member, [...(memberships.get(member) ?? []), owner])
  }
  for (const [member, acts] of memberships)
    if (typeof member === 'string' && isOwner(member) && !withMembers.has(member)) acts.push(member)
  for (const acts of memberships.values()) acts.sort()
  return memberships
}
