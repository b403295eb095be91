// Owns who is a member of an owner, and the list of owners that somebody is a member of, as the build writes it for the account page. A publish reads git instead, so that it never acts on an old list.
import type { ContentTree } from '../content/content-tree.ts'
import type { OwnerFile } from '../content/prompt-file.ts'
import type { Person } from './account.ts'

/** Where the site has the list of owners that name a login or a GitHub user number as a member; whom no owner names has no file. @param member a checked login, or a number */
export const membershipsPath = (member: string | number) =>
  typeof member === 'number' ? `/data/accounts/ids/${member}.json` : `/data/accounts/${member}.json`

/** Owners by each of their members, as `members` names them. */
export function listMemberships({ owners }: Pick<ContentTree, 'owners'>): Map<string | number, string[]> {
  const memberships = new Map<string | number, string[]>()
  for (const owner of [...owners.keys()].sort())
    for (const member of owners.get(owner)!.members)
      memberships.set(member, [...(memberships.get(member) ?? []), owner])
  return memberships
}

/** Whether an owner's file names somebody, by login or by GitHub's number; a local sign-in has no number. */
export function isMember({ login, user_id }: Person, { members }: Pick<OwnerFile, 'members'>): boolean {
  return members.some((member) => (typeof member === 'number' ? String(member) === user_id : member === login))
}
