// Lists the owners of each member, for the account page. A publish reads git instead, so that it never uses an outdated list.
import type { TrustedPublisher } from '../domain/content/front-matter.ts'
import { isOwner } from '../domain/values/names.ts'
import type { ContentTree } from './content-tree.ts'

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
