// Owns the list of owners that a login is a member of, as the build writes it for the account page. What counts is git, asked at every publish.
import { z } from 'zod'
import { compareText } from '../catalogue/ranking.ts'
import type { ContentTree } from '../content/content-tree.ts'
import { Owner } from '../content/values.ts'

/** Owners whose `members` name a login, in the order of names. */
export const Memberships = z.array(Owner)

/** Where the list of a login lies in the site; there is none for a login that no owner names. @param login a checked handle */
export const membershipsPath = (login: string) => `/data/accounts/${login}.json`

/** Owners by the login of each of their members. */
export function listMemberships({ owners }: ContentTree): Map<string, string[]> {
  const memberships = new Map<string, string[]>()
  for (const [owner, { members }] of [...owners].sort(([a], [b]) => compareText(a, b)))
    for (const login of members) memberships.set(login, [...(memberships.get(login) ?? []), owner])
  return memberships
}
