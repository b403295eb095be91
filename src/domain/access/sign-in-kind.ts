// Tells apart how a user signed in, by the user's ID. Contains no schemas, so that it can be loaded for every request.
import type { Person } from './person.ts'

/** The ways to sign in. */
export type SignInKind = 'github' | 'invited' | 'local' | 'oidc'

/** Returns how a user signed in. A login means something else for each: only GitHub's are the logins in `members`. */
export function signInKindOf({ user_id }: Pick<Person, 'user_id'>): SignInKind {
  if (user_id.startsWith('local-')) return 'local'
  if (user_id.startsWith('invited-')) return 'invited'
  return user_id.startsWith('oidc-') ? 'oidc' : 'github'
}

/** Returns the user for a local sign-in. The ID starts with `local-`, so it never matches the ID of a GitHub account. */
export function localPerson(handle: string): Person {
  return { user_id: `local-${handle}`, login: handle }
}

/** Returns whether two issuers are one provider. A setting may have a slash at its end or not, as people copy it. */
export const isSameIssuer = (one = '', other = ''): boolean =>
  one !== '' && one.replace(/\/$/, '') === other.replace(/\/$/, '')
