// Builds the record of an owner from its file.
import type { Addresses } from '../api/data-paths.ts'
import type { RepositorySummary, User } from '../api/schema.ts'
import type { OwnerFile } from '../content/prompt-file.ts'

/** What an owner says about itself. */
export type Profile = Pick<User, 'name' | 'bio' | 'website' | 'avatar_url'>

/** Returns what an owner's file, if there is one, says about the owner. */
export function profileOf(file: OwnerFile | undefined): Profile {
  const { name = null, bio = '', website = null, avatar_url = null } = file ?? {}
  return { name, bio: bio || null, website, avatar_url }
}

/** Builds the record of an owner. @param repos its listed repositories, newest update first */
export function describeOwner(
  handle: string,
  profile: Profile,
  repos: RepositorySummary[],
  addresses: Pick<Addresses, 'userPage'>,
): User {
  return { handle, ...profile, html_url: addresses.userPage(handle), repos_count: repos.length, repos }
}
