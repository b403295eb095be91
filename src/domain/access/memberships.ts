// Decides whether a user is a member of an owner.
import type { OwnerFile } from '../content/prompt-file.ts'
import { isProviderMember } from '../values/member-entry.ts'
import { isOwner } from '../values/names.ts'
import type { Person } from './person.ts'
import { signInKindOf } from './sign-in-kind.ts'

/** Returns the path of the file that lists the owners of a member. A user who is not a member of any owner has no file. @param member a valid entry of `members` */
export function membershipsPath(member: string | number): string {
  if (typeof member === 'number') return `/data/accounts/ids/${member}.json`
  // In hex, because file systems may ignore case, and a subject may contain a slash.
  return isProviderMember(member) ? `/data/accounts/oidc/${toHex(member)}.json` : `/data/accounts/${member}.json`
}

const toHex = (ascii: string) =>
  Array.from(ascii, (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('')

/** Returns the path of the file with the entries of all owners that trust workflows in a GitHub repository. Only a private hub has it: its reader asks whether a CI job may read. */
export const trustedJobsPath = (repositoryId: string) => `/data/accounts/jobs/${repositoryId}.json`

/**
 * Returns the entries of `members` that name a person: a GitHub login or ID, a local or invited login, or `oidc:` with the subject or the verified email address. An entry with `@` is an email address, so that nobody gets rights by a subject that looks like the address of somebody else.
 */
export function memberEntriesOf(person: Person): (string | number)[] {
  const { login, user_id, oidc } = person
  // The operator gave an invited person this login. Only GitHub's IDs are numbers.
  if (signInKindOf(person) !== 'oidc')
    return [login, ...(Number.isSafeInteger(Number(user_id)) ? [Number(user_id)] : [])]
  if (!oidc) return []
  return [
    ...(oidc.subject.includes('@') ? [] : [`oidc:${oidc.subject}`]),
    ...(oidc.email ? [`oidc:${oidc.email}`] : []),
  ]
}

/** Returns the handle that a person owns as long as it lists no members: the login at GitHub, in local mode or of an invitation. The login of an OpenID Connect account is only a name on this hub, and gives no rights. */
export const ownHandleOf = (person: Person): string | undefined =>
  signInKindOf(person) !== 'oidc' && isOwner(person.login) ? person.login : undefined

/**
 * Returns whether a user may publish for an owner and change its files. If the owner lists no members, only the user whose own handle it is may.
 *
 * @param file the owner's `index.md`; undefined if there is none
 */
export function mayActFor(person: Person, owner: string, file: Pick<OwnerFile, 'members'> | undefined): boolean {
  return file !== undefined && file.members.length > 0 ? isMember(person, file) : ownHandleOf(person) === owner
}

/** Returns whether an owner's file lists a user. */
export function isMember(person: Person, { members }: Pick<OwnerFile, 'members'>): boolean {
  const entries = memberEntriesOf(person)
  return members.some((member) => entries.includes(member))
}
