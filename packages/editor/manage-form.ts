// Converts the submitted forms of the page for managing a prompt to API calls.
import type { ApiCall } from './call-api.ts'
import { splitTags } from './form/version-form.ts'

/** Returns the submitted readme. */
export function readmeOf(form: URLSearchParams): string {
  return (form.get('readme') ?? '').replaceAll('\r\n', '\n')
}

/** Returns the API call for a submitted form. @returns undefined if no page contains such a form */
export function changeOf(form: URLSearchParams, fullName: string): { call: ApiCall; isDangerous: boolean } | undefined {
  const text = (key: string) => (form.get(key) ?? '').trim()
  const orNull = (key: string) => text(key) || null
  const to = (method: ApiCall['method'], place: string, body: object, isDangerous = false) => ({
    call: { method, path: `${fullName}${place}`, body },
    isDangerous,
  })
  const label = encodeURIComponent(text('label'))
  const version = encodeURIComponent(text('version'))
  switch (form.get('change')) {
    case 'label':
      return to('PUT', `/labels/${label}`, { version: text('version') })
    case 'unlabel':
      return to('DELETE', `/labels/${label}`, {}, true)
    case 'yank':
      return to('PUT', `/versions/${version}/yank`, { reason: text('reason') }, true)
    case 'unyank':
      return to('DELETE', `/versions/${version}/yank`, {})
    case 'status': {
      const [status_message, replaced_by] = [orNull('status_message'), orNull('replaced_by')]
      return to('PATCH', '', { status: text('status'), status_message, replaced_by }, true)
    }
    case 'move':
      return to('PATCH', '', { moved_to: orNull('moved_to') }, true)
    case 'about': {
      const [title, description, license] = [text('title'), text('description'), orNull('license')]
      return to('PATCH', '', { title, description, license, tags: splitTags(text('tags')) })
    }
    case 'readme':
      return to('PATCH', '', { readme: readmeOf(form) })
    default:
      return undefined
  }
}
