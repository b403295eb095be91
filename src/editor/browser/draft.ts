// Keeps a draft of a form in the tab's session storage, where other people who use the browser later do not find it, and warns before unpublished text is lost.

import { readValues } from './fields.ts'

/** Delay between the last keystroke and storing the draft. */
const KEPT_MS = 300

/** The draft of a form. */
export interface Draft {
  /** Returns what an earlier visit left; undefined if nothing. */
  earlier: Readonly<Record<string, string>> | undefined
  /** Removes it: what was typed is published, or not wanted. */
  forget(): void
}

const keyOf = (login: string, address: string) => `draft ${login} ${address}`

/** Leaves a draft for another page of the editor, which opens with it. */
export function leaveDraft(login: string, address: string, values: Readonly<Record<string, string>>): void {
  sessionStorage.setItem(keyOf(login, address), JSON.stringify(values))
}

/** Keeps the draft of a form, whose fields have the published values. */
export function keepDraft(form: HTMLFormElement, login: string): Draft {
  const key = keyOf(login, location.pathname + location.search)
  const published = JSON.stringify(readValues(form))
  const isChanged = () => JSON.stringify(readValues(form)) !== published
  let isDone = false
  let keeping: number | undefined
  const keep = () => {
    clearTimeout(keeping)
    if (isDone) return
    try {
      if (isChanged()) sessionStorage.setItem(key, JSON.stringify(readValues(form)))
      else sessionStorage.removeItem(key)
    } catch {
      // The storage is full or disabled. The warning before leaving still protects the text.
    }
  }
  form.addEventListener('input', () => {
    clearTimeout(keeping)
    keeping = window.setTimeout(keep, KEPT_MS)
  })
  addEventListener('pagehide', keep)
  addEventListener('beforeunload', (event) => {
    if (!isDone && isChanged()) event.preventDefault()
  })
  const kept = sessionStorage.getItem(key)
  return {
    earlier: kept === null || kept === published ? undefined : JSON.parse(kept),
    forget() {
      isDone = true
      sessionStorage.removeItem(key)
    },
  }
}
