// Resolves a label at a time in the past to a version.
import { HubError } from '../../domain/api/errors.ts'
import { findLabelAt } from '../../domain/catalogue/label-history.ts'
import { printable } from '../../domain/text/printable.ts'
import type { Sources } from '../hub.ts'
import { findChanges } from './activity.ts'
import { type FoundRepository, findVersions } from './records.ts'

/**
 * Finds the version to which a label pointed.
 *
 * @param at in RFC 3339, already checked
 * @returns undefined if there is no such repository
 * @throws HubError `not_found` if the label did not exist then, or if that is not known; the message says since when it is known
 */
export async function findVersionAt(
  owner: string,
  name: string,
  { label, at }: { label: string; at: string },
  sources: Sources,
): Promise<{ repository: FoundRepository; version: string } | undefined> {
  const [there, known] = await Promise.all([findVersions(owner, name, sources), findChanges(owner, name, sources)])
  if (!there) return undefined
  const { repository, versions } = there
  const { full_name, labels } = repository.facts()
  const found = findLabelAt(label, Date.parse(at), { labels, ...known })
  const named = `label ${printable(label)}`
  const unknown = (since: string) =>
    new HubError(
      'not_found',
      `${full_name}: where ${named} pointed at ${at} is not known. Its changes are known since ${since}.`,
    )
  if (found.kind === 'unknown') throw unknown(found.since)
  if (found.kind === 'version') {
    // What a repository began with is in no change, so a label may seem to have pointed at a version before there was one.
    const published = versions.find(({ version }) => version === found.version)?.published_at
    if (published !== undefined && Date.parse(published) > Date.parse(at)) throw unknown(published)
    return { repository, version: found.version }
  }
  const first = found.firstSetAt === null ? '' : ` It was first set at ${found.firstSetAt}.`
  throw new HubError('not_found', `${full_name} had no ${named} at ${at}.${first}`)
}
