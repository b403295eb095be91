// Converts the submitted forms of the page for managing a prompt to API calls.
import type { RepositoryPlace } from '../domain/values/names.ts'
import type { ApiCall } from './call-api.ts'

/** The parameters of a path after the name. */
interface Place {
  label?: string
  version?: string
}

/** A submitted form as a call to the API. */
interface WantedChange {
  call: ApiCall
  /** The words that confirm it; undefined if it takes effect without. */
  confirmation: string | undefined
  /** Whether the page first shows what it does, with a button that confirms it. */
  isReviewed: boolean
}

const reasonOf = (reason: string) => (reason === '' ? {} : { reason })

/** What is no number is refused by the API, which says what it expected. */
function readSplit(text: (key: string) => string): { version: string; percent: number } | null {
  const version = text('second')
  return version === '' ? null : { version, percent: text('percent') === '' ? Number.NaN : Number(text('percent')) }
}

/** Returns the API call for a submitted form. @returns undefined if no page contains such a form */
export function changeOf(form: URLSearchParams, { owner, name }: RepositoryPlace): WantedChange | undefined {
  const text = (key: string) => (form.get(key) ?? '').trim()
  const orNull = (key: string) => text(key) || null
  const to = (
    id: ApiCall['id'],
    body: object,
    place: Place = {},
    { confirmation, isReviewed = false }: { confirmation?: string; isReviewed?: boolean } = {},
  ) => ({ call: { id, parameters: { owner, name, ...place }, body }, confirmation, isReviewed })
  const checked = { confirmation: 'yes' }
  const reviewed = { confirmation: 'yes', isReviewed: true }
  const label = text('label')
  const version = text('version')
  switch (form.get('change')) {
    case 'label':
      return to('setLabel', { version, split: readSplit(text), ...reasonOf(text('reason')) }, { label }, reviewed)
    case 'unlabel':
      return to('removeLabel', reasonOf(text('reason')), { label }, reviewed)
    case 'yank':
      return to('yankVersion', { reason: text('reason') }, { version }, checked)
    case 'unyank':
      return to('unyankVersion', {}, { version })
    case 'status': {
      const [status_message, replaced_by] = [orNull('status_message'), orNull('replaced_by')]
      return to('changeRepository', { status: text('status'), status_message, replaced_by }, {}, checked)
    }
    case 'move':
      return to('changeRepository', { moved_to: orNull('moved_to') }, {}, checked)
    case 'delete-version':
      return to('deleteVersion', {}, { version }, checked)
    case 'delete-prompt':
      return to('deleteRepository', {}, {}, { confirmation: `${owner}/${name}` })
    default:
      return undefined
  }
}
