// Searches while the reader types on the search page: replaces what is around the form, and updates the URL and the title.
import { showRelativeTime } from './relative.ts'

const TYPING_MS = 200
const place = document.getElementById('find')
const form = place?.querySelector('form')
let running: AbortController | undefined
let typing: number | undefined

form?.addEventListener('input', () => {
  clearTimeout(typing)
  typing = window.setTimeout(() => search(place!, form).catch(reportError), TYPING_MS)
})

async function search(place: HTMLElement, form: HTMLFormElement): Promise<void> {
  running?.abort()
  running = new AbortController()
  const { signal } = running
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (value !== '') query.append(name, String(value))
  const address = `/search?${query}`
  place.setAttribute('aria-busy', 'true')
  const { parts, title } = await ask(address, signal)
  if (signal.aborted) return
  // The form stays, with the focus and the cursor.
  const at = parts.findIndex((part) => part.matches('form'))
  for (const old of [...place.children]) if (old !== form) old.remove()
  form.before(...parts.slice(0, Math.max(at, 0)))
  form.after(...parts.slice(at + 1))
  place.removeAttribute('aria-busy')
  for (const time of place.querySelectorAll<HTMLTimeElement>('time[data-relative]')) showRelativeTime(time)
  history.replaceState(null, '', address)
  document.title = title
  // Screen readers speak new words in an element that stays, but not an element that is new with its words.
  const words = place.querySelector('.bar p:not(:empty), .nothing h2')?.textContent ?? ''
  document.getElementById('spoken')!.textContent = words
}

/** Returns what the search page shows for a query, or an error, and its title. */
async function ask(address: string, signal: AbortSignal): Promise<{ parts: Element[]; title: string }> {
  try {
    const response = await fetch(address, { signal, headers: { Accept: 'text/html' } })
    if (!response.ok) throw new Error(await describeError(response))
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return { parts: [...(page.getElementById('find')?.children ?? [])], title: page.title }
  } catch (error) {
    const message = error instanceof TypeError ? 'The hub did not respond.' : String(error).replace(/^Error: /, '')
    const box = Object.assign(document.createElement('div'), { className: 'nothing' })
    const words = Object.assign(document.createElement('p'), { role: 'alert', textContent: message })
    const again = Object.assign(document.createElement('a'), { className: 'button', href: address })
    again.textContent = 'Try again'
    box.append(words, again)
    return { parts: [box], title: document.title }
  }
}

async function describeError(response: Response): Promise<string> {
  const envelope: { error?: { message?: string } } = await response.json().catch(() => ({}))
  return envelope.error?.message ?? 'Search is not available right now.'
}
