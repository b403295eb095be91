// Converts the submitted forms of the page for managing a prompt to API calls.
import type { RepositoryPlace } from '../domain/values/names.ts'
import type { ApiCall } from './call-api.ts'
import { splitTags } from './form/version-form.ts'

/** The parameters of a path after the name. */
interface Place {
  label?: string
  version?: string
}

/** Returns the submitted readme. */
export function readmeOf(form: URLSearchParams): string {
  return (form.get('readme') ?? '').replaceAll('\r\n', '\n')
}

/** Returns the API call for a submitted form. @returns undefined if no page contains such a form */
export function changeOf(
  form: URLSearchParams,
  { owner, name }: RepositoryPlace,
): { call: ApiCall; isDangerous: boolean } | undefined {
  const text = (key: string) => (form.get(key) ?? '').trim()
  const orNull = (key: string) => text(key) || null
  const to = (
    id: ApiCall['id'],
    body: object,
    { isDangerous = false, ...more }: Place & { isDangerous?: boolean } = {},
  ) => ({
    call: { id, parameters: { owner, name, ...more }, body },
    isDangerous,
  })
  const label = text('label')
  const version = text('version')
  switch (form.get('change')) {
    case 'label':
      return to('setLabel', { version }, { label })
    case 'unlabel':
      return to('removeLabel', {}, { label, isDangerous: true })
    case 'yank':
      return to('yankVersion', { reason: text('reason') }, { version, isDangerous: true })
    case 'unyank':
      return to('unyankVersion', {}, { version })
    case 'status': {
      const [status_message, replaced_by] = [orNull('status_message'), orNull('replaced_by')]
      return to('changeRepository', { status: text('status'), status_message, replaced_by }, { isDangerous: true })
    }
    case 'move':
      return to('changeRepository', { moved_to: orNull('moved_to') }, { isDangerous: true })
    case 'about': {
      const [title, description, license] = [text('title'), text('description'), orNull('license')]
      return to('changeRepository', { title, description, license, tags: splitTags(text('tags')) })
    }
    case 'readme':
      return to('changeRepository', { readme: readmeOf(form) })
    default:
      return undefined
  }
}
