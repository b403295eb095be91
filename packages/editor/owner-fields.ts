// Finds what the fields of an owner's settings show after a form was rejected, and what every form sends.
import type { OwnerSettingsView } from './views.ts'

/** Returns what somebody typed into a field of the rejected form. */
export function typedIn({ rejected }: OwnerSettingsView, change: string, name: string): string | undefined {
  return isRejected({ rejected }, change) ? (rejected?.form.get(name) ?? undefined) : undefined
}

/** Returns whether a form was rejected. */
export function isRejected({ rejected }: Pick<OwnerSettingsView, 'rejected'>, change: string): boolean {
  return rejected?.form.get('change') === change
}

/** Returns the attributes that connect a field with its hint and its problems. */
export function marksAt({ rejected }: OwnerSettingsView, name: string, hasHint: boolean): Record<string, string> {
  const isWrong = rejected?.problems.has(name) ?? false
  const described = [...(hasHint ? [`${name}-hint`] : []), ...(isWrong ? [`${name}-problem`] : [])].join(' ')
  return { ...(isWrong && { 'aria-invalid': 'true' }), ...(described !== '' && { 'aria-describedby': described }) }
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
