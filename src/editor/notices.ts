// Says how a prompt is after a change, from the records, so that an address cannot claim anything else.

import type { Repository, VersionRow } from '../domain/api/schema.ts'
import { describeTarget, targetOf } from '../domain/values/label-target.ts'
import { isLabel, isVersion } from '../domain/values/names.ts'

interface Changed {
  repository: Repository
  versions: readonly VersionRow[]
  /** The label or version that the address names; any text. */
  of: string
}

/** A sentence with its slot in double braces for each change; undefined if the records do not have it. */
const NOTICES: Readonly<Record<string, (changed: Changed) => string | undefined>> = {
  label: ({ repository: { labels }, of }) => {
    const target = targetOf(labels, of)
    return target && `{{${of}}} now points at {{${describeTarget(target)}}}.`
  },
  unlabel: ({ repository: { labels }, of }) =>
    isLabel(of) && !Object.hasOwn(labels, of) ? `There is no label {{${of}}}.` : undefined,
  yank: ({ versions, of }) => (isYanked(versions, of) === true ? `{{${of}}} is yanked.` : undefined),
  unyank: ({ versions, of }) => (isYanked(versions, of) === false ? `{{${of}}} is not yanked.` : undefined),
  status: ({ repository: { status } }) => `The status is {{${status}}}.`,
  move: ({ repository: { moved_to } }) =>
    moved_to === null ? 'This prompt points to {{no other}}.' : `This prompt points to {{${moved_to}}}.`,
  'delete-version': ({ versions, of }) =>
    isVersion(of) && isYanked(versions, of) === undefined
      ? `There is no version {{${of}}}. The number of a deleted version is never used again.`
      : undefined,
}

const isYanked = (versions: readonly VersionRow[], of: string) => versions.find(({ version }) => version === of)?.yanked

/** Returns the address of a page that says what was changed. @param form the form that asked for the change */
export function noticePath(fullName: string, form: URLSearchParams): string {
  const of = form.get('label') ?? form.get('version')
  return `/${fullName}/manage?${new URLSearchParams({ done: form.get('change') ?? '', ...(of && { of: of.trim() }) })}`
}

/** Returns how the prompt is now in what the address says was changed, if the records agree. */
export function sayDone({ url }: Request, records: Omit<Changed, 'of'>): string | undefined {
  const { searchParams } = new URL(url)
  const done = searchParams.get('done') ?? ''
  return Object.hasOwn(NOTICES, done) ? NOTICES[done]?.({ ...records, of: searchParams.get('of') ?? '' }) : undefined
}
