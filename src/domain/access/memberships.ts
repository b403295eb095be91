// Decides whether a user is a member of an owner, and lists the owners of each member for the account page. A publish reads git instead, so that it never uses an outdated list.
import type { ContentTree } from '../content/content-tree.ts'
import type { TrustedPublisher } from '../content/front-matter.ts'
import type { OwnerFile } from '../content/prompt-file.ts'
import { isOwner } from '../values/names.ts'
import type { Person } from './account.ts'

/** Returns the path of the file that lists the owners of a member, who is identified by login or GitHub user ID. A user who is not a member of any owner has no file. @param member a validated login, or an ID */
export const membershipsPath = (member: string | number) =>
  typeof member === 'number' ? `/data/accounts/ids/${member}.json` : `/data/accounts/${member}.json`

/** Returns the path of the file with the entries of all owners that trust workflows in a GitHub repository. Only a private hub has it: its reader asks whether a CI job may read. */
export const trustedJobsPath = (repositoryId: string) => `/data/accounts/jobs/${repositoryId}.json`

/** Returns the trusted workflows of all owners by the ID of their GitHub repository. */
export function listTrustedJobs({ owners }: Pick<ContentTree, 'owners'>): Map<string, TrustedPublisher[]> {
  const all = [...owners.values()].flatMap(({ trusted_publishers }) => trusted_publishers)
  return Map.groupBy(all, ({ repository_id }) => repository_id)
}

/**
 * Returns the owners for which each login or ID may act. A login that is not listed may act only for its own handle.
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

/**
 * Returns whether a user may publish for an owner and change its files. If the owner lists no members, only the user whose login matches the handle may.
 *
 * @param file the owner's `index.md`; undefined if there is none
 */
export function mayActFor(person: Person, owner: string, file: Pick<OwnerFile, 'members'> | undefined): boolean {
  return file !== undefined && file.members.length > 0 ? isMember(person, file) : person.login === owner
}

/** Returns whether an owner's file lists a user, by login or by GitHub user ID. Local users have no GitHub user ID. */
export function isMember({ login, user_id }: Person, { members }: Pick<OwnerFile, 'members'>): boolean {
  return members.some((member) => (typeof member === 'number' ? String(member) === user_id : member === login))
}
