// Converts the submitted forms of an owner's settings to changes of the API, and problems back to the fields of the forms.

import type { FieldProblem } from '../account/field-notes.ts'
import { sayProblem } from '../account/words-for-people.ts'
import { isMember, mayActFor } from '../domain/access/memberships.ts'
import type { Person } from '../domain/access/person.ts'
import type { OwnerFile } from '../domain/content/prompt-file.ts'
import { nameOfLabel } from '../domain/content/protected-labels.ts'
import type { ValueProblem } from '../domain/text/problems.ts'

/** Who sent a form, and the file that it changes. */
interface Sender {
  person: Person
  owner: string
  file: OwnerFile
}

/** A change that a form asks for. */
interface WantedChange {
  body: Record<string, unknown>
  /** Whether the sender will no longer be a member, so that a checkbox must confirm it. */
  losesRights: boolean
}

/** Returns the change that a submitted form asks for. @returns undefined if no form of the page is like this */
export function ownerChangeOf(form: URLSearchParams, sender: Sender): WantedChange | undefined {
  const change = form.get('change') ?? ''
  const body = Object.hasOwn(BODIES, change) ? BODIES[change]?.(form, sender) : undefined
  if (!body) return undefined
  const after = { members: (body.members as OwnerFile['members'] | undefined) ?? sender.file.members }
  return { body, losesRights: !mayActFor(sender.person, sender.owner, after) }
}

const textOf = (form: URLSearchParams, key: string) => (form.get(key) ?? '').trim()

const BODIES: Readonly<Record<string, (form: URLSearchParams, sender: Sender) => Record<string, unknown> | undefined>> =
  {
    profile(form) {
      const orNull = (key: string) => textOf(form, key) || null
      const bio = (form.get('bio') ?? '').replaceAll('\r\n', '\n')
      return {
        name: orNull('name'),
        website: orNull('website'),
        avatar_url: orNull('avatar_url'),
        bio: bio.trim() || null,
      }
    },
    'add-member'(form, { person, file }) {
      const member = textOf(form, 'member')
      const added = memberOf(form.get('kind'), member)
      // Without members, an owner belongs to the person of the same name, who must stay one of them.
      return { members: [...(file.members.length > 0 ? file.members : [person.login]), added] }
    },
    'remove-member': (form, { file }) => without(form, 'members', file.members),
    'add-publisher': (form, { file }) => ({ trusted_publishers: [...file.trusted_publishers, publisherOf(form)] }),
    'remove-publisher': (form, { file }) => without(form, 'trusted_publishers', file.trusted_publishers),
    // The form has the labels without conditions; those with conditions have forms of their own.
    labels: (form, { file }) => ({
      protected_labels: [
        ...splitList(textOf(form, 'protected_labels')),
        ...file.protected_labels.filter((one) => typeof one !== 'string'),
      ],
    }),
    'add-condition': (form, { file }) => ({
      protected_labels: [
        ...file.protected_labels.filter((one) => nameOfLabel(one) !== textOf(form, 'label')),
        conditionOf(form),
      ],
    }),
    'remove-condition': (form, { file }) => without(form, 'protected_labels', file.protected_labels),
    publishing(form) {
      const [first, ...more] = form.getAll('publishing')
      return { publishing: more.length > 0 ? [first, ...more] : (first ?? null) }
    },
  }

/** Returns the entry of `members` that a form names. Subjects are case-sensitive; logins and email addresses are not. */
function memberOf(kind: string | null, member: string): string | number {
  if (kind === 'id' && /^\d{1,15}$/.test(member)) return Number(member)
  const bare = member.replace(/^oidc:/, '')
  if (kind === 'oidc') return `oidc:${bare.includes('@') ? bare.toLowerCase() : bare}`
  return member.toLowerCase()
}

/** The list without the entry whose place the form names; the form's commit ensures that the list is still the same. */
function without(form: URLSearchParams, key: string, entries: readonly unknown[]): Record<string, unknown> | undefined {
  const place = Number(form.get('place') ?? Number.NaN)
  return Number.isInteger(place) && place >= 0 && place < entries.length
    ? { [key]: entries.filter((_, index) => index !== place) }
    : undefined
}

/** The text fields of the form for a trusted workflow. */
const PUBLISHER_FIELDS = [
  'repository',
  'repository_id',
  'repository_owner_id',
  'workflow',
  'environment',
  'ref',
] as const

function publisherOf(form: URLSearchParams): Record<string, unknown> {
  const fields = PUBLISHER_FIELDS.map((key) => [key, textOf(form, key)] as const)
  const repos = splitList(textOf(form, 'repos'))
  const permissions = form.getAll('permissions')
  return {
    ...Object.fromEntries(fields.filter(([, value]) => value !== '')),
    ...(repos.length > 0 && { repos }),
    ...(permissions.length > 0 && { permissions }),
  }
}

/** The label with the conditions that a form names. What is no number is sent as it is, so that the API refuses it. */
function conditionOf(form: URLSearchParams): Record<string, unknown> {
  const score = textOf(form, 'min_score')
  const number = Number(score)
  const suites = splitList(textOf(form, 'requires'))
  const approval = textOf(form, 'new_capabilities')
  return {
    label: textOf(form, 'label'),
    ...((suites.length > 0 || approval === '') && { requires: suites }),
    ...(approval !== '' && { new_capabilities: approval }),
    ...(score !== '' && { min_score: Number.isNaN(number) ? score : number }),
  }
}

const splitList = (text: string): string[] => text.split(/[,\s]+/).filter((one) => one !== '')

/** Returns whether a member of a list is this person. */
export const isSamePerson = (member: OwnerFile['members'][number], person: Person): boolean =>
  isMember(person, { members: [member] })

/** Places the problems of a form at its fields. @param change the form */
export function placeOwnerProblems(change: string, problems: readonly ValueProblem[]): FieldProblem[] {
  return problems.map(({ key, message }) => {
    const [list = '', , part = ''] = key.split('.')
    const [, condition, rest] = change === 'add-condition' ? (CONDITION_PART.exec(message) ?? []) : []
    const field = condition ?? fieldOf(change, list, part)
    const sentence = sayProblem({ key: field, message: rest ?? message })
    return { field, sentence, words: sentence }
  })
}

function fieldOf(change: string, list: string, part: string): string {
  if (change === 'add-member') return 'member'
  if (change === 'add-condition') return 'label'
  return list === 'trusted_publishers' ? part || 'repository' : list
}

/** A problem in a label with conditions names its part in the message. */
const CONDITION_PART = /^(label|requires|min_score|new_capabilities)[.\d]*: (.*)$/s
