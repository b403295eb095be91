// Keeps a draft of a form in the tab's session storage, where other people who use the browser later do not find it, and warns before unpublished text is lost.

/** The key of the draft that was submitted last. */
const SENT_KEY = 'draft sent'
/** Delay between the last keystroke and storing the draft. */
const KEPT_MS = 300
/** What the form sends that is not a part of a draft. */
const NOT_KEPT = new Set(['csrf', 'step', 'apply', 'source_format', 'columns'])

type Values = Readonly<Record<string, string>>

/** Returns the values of a form, by field name. */
export function readValues(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of new FormData(form)) if (!NOT_KEPT.has(name)) values[name] = String(value)
  return values
}

/** Removes the draft that was submitted last. */
export function forgetSentDraft(): void {
  const key = sessionStorage.getItem(SENT_KEY)
  if (key !== null) sessionStorage.removeItem(key)
  sessionStorage.removeItem(SENT_KEY)
}

/** Keeps the draft of a form. @param restore writes values into the form */
export function keepDraft(form: HTMLFormElement, restore: (values: Values) => void): void {
  const key = `draft ${form.dataset.draft}`
  const published = JSON.stringify(readValues(form))
  // A form that the server returned contains text that is not published.
  const isReturned = form.dataset.sent !== undefined
  const isChanged = () => isReturned || JSON.stringify(readValues(form)) !== published
  let isSending = false
  let keeping: number | undefined
  const keep = () => {
    clearTimeout(keeping)
    if (!isChanged()) {
      sessionStorage.removeItem(key)
      return
    }
    try {
      sessionStorage.setItem(key, JSON.stringify(readValues(form)))
    } catch {
      // The storage is full or disabled. The warning before leaving still protects the text.
    }
  }
  const draft = sessionStorage.getItem(key)
  if (isReturned) keep()
  else if (draft !== null && draft !== published) {
    restore(JSON.parse(draft))
    const notice = document.querySelector<HTMLElement>('[data-draft-notice]')
    if (notice) notice.hidden = false
    document.querySelector('[data-draft-discard]')?.addEventListener('click', () => {
      sessionStorage.removeItem(key)
      isSending = true
      location.assign(location.href)
    })
  }
  form.addEventListener('input', () => {
    clearTimeout(keeping)
    keeping = window.setTimeout(keep, KEPT_MS)
  })
  form.addEventListener('submit', () => {
    isSending = true
    keep()
    sessionStorage.setItem(SENT_KEY, key)
  })
  addEventListener('pagehide', () => {
    if (!isSending) keep()
  })
  // A page from the back/forward cache can be left without being submitted.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) isSending = false
  })
  addEventListener('beforeunload', (event) => {
    if (!isSending && isChanged()) event.preventDefault()
  })
}
