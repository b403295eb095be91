// Finds what the fields of an owner's settings show after a form was rejected, and what every form sends.
import { NO_NOTES } from '../account/field-notes.ts'
import type { OwnerSettingsView } from './views.ts'

/** The attributes of fields in which browsers should change nothing. */
export const TYPED = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' } as const

/** Returns whether a form was rejected. */
export function isRejected({ rejected }: Pick<OwnerSettingsView, 'rejected'>, change: string): boolean {
  return rejected?.form.get('change') === change
}

/** Returns a function for what the fields of a form show: what somebody typed, if the form was rejected, and what is wrong with it. */
export function openFields({ rejected }: OwnerSettingsView, change: string) {
  const typed = isRejected({ rejected }, change) ? rejected?.form : undefined
  return (name: string, value: string | null = '') => ({
    name,
    value: typed?.get(name) ?? value ?? '',
    // The focus stays at the list of all problems.
    notes: rejected?.notes ?? NO_NOTES,
    autofocus: false,
  })
}

/** Returns where a form is sent, and its hidden fields: proof of the session, which form it is, and the file that it was rendered from. */
export function originOf({ owner, csrf, commit }: OwnerSettingsView, change: string) {
  return { action: `/${owner}/settings`, hidden: { csrf, change, commit: commit ?? '' } }
}

/** Returns the same for the button that removes an entry of a list. @param place the entry's place in the list */
export function removalOf(view: OwnerSettingsView, change: string, place: number) {
  const { action, hidden } = originOf(view, change)
  return { action, fields: { ...hidden, place: String(place) } }
}
