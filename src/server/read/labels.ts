// Finds where labels point: of an owner's prompts now, from the built file and from the fresh copies of what was published since, and of one prompt at a time.

import { type Bytes, parseBuilt } from '../../built/site-files.ts'
import { addressesBelow, DATA_FILES } from '../../domain/api/data-paths.ts'
import { type ListEnvelope, labelledEnvelope } from '../../domain/api/envelope.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { LabelledPrompt } from '../../domain/api/schema.ts'
import { findLabelAt } from '../../domain/catalogue/label-history.ts'
import { printable } from '../../domain/text/printable.ts'
import { targetOf } from '../../domain/values/label-target.ts'
import type { FreshCopy } from '../../state/fresh-copies.ts'
import type { Hub, Sources } from '../hub.ts'
import { findChanges } from './activity.ts'
import { encode, type FoundRepository, findUser, findVersions } from './records.ts'

/** Returns the response with an owner's prompts at a label, by name, and whether there are none; undefined if there is no such owner. */
export async function findLabelled(
  handle: string,
  label: string,
  hub: Sources & Pick<Hub, 'baseUrl'>,
): Promise<{ bytes: Bytes; isEmpty: boolean } | undefined> {
  const { siteFiles, fresh, baseUrl } = hub
  const [built, names] = await Promise.all([
    siteFiles.read(DATA_FILES.labelled(handle, label)),
    fresh.listNames(handle),
  ])
  const copies = (await Promise.all(names.map((name) => fresh.find('repositories', handle, name)))).filter(
    (copy) => copy !== undefined,
  )
  if (copies.length === 0 && built) return { bytes: built, isEmpty: false }
  if (!built && copies.length === 0 && !(await findUser(handle, hub))) return undefined
  const prompts = new Map<string, LabelledPrompt>()
  const { data, meta } = built ? parseBuilt<ListEnvelope<LabelledPrompt>>(built) : { data: [], meta: { total: 0 } }
  for (const prompt of data) prompts.set(prompt.name, prompt)
  for (const copy of copies) {
    const prompt = labelledIn(copy, label, baseUrl)
    if (prompt) prompts.set(prompt.name, prompt)
    else prompts.delete(copy.repository.name)
  }
  const total = prompts.size + meta.total - data.length
  return { bytes: encode(JSON.stringify(labelledEnvelope([...prompts.values()], total))), isEmpty: total === 0 }
}

/** Returns the prompt of a copy at a label; undefined if it is not listed or lacks the label. */
function labelledIn({ repository, versions }: FreshCopy, label: string, baseUrl: string): LabelledPrompt | undefined {
  const { owner, name, full_name, labels, status, moved_to } = repository
  const version = targetOf(labels, label)?.version
  const summary = versions.find((one) => one.version === version)
  if (!summary || status === 'archived' || moved_to !== null) return undefined
  const { content_sha256 } = summary
  return {
    name,
    full_name,
    version: summary.version,
    content_sha256,
    ...addressesBelow(baseUrl).version(owner, name, summary.version),
  }
}

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
  const { full_name, labels } = repository.facts
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
