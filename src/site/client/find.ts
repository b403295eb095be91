// Searches without leaving the page: replaces the list and updates the URL, so that the Back button works.
import { showRelativeTime } from './relative.ts'

const TYPING_MS = 200
const place = document.getElementById('find')

if (place) begin(place)

function begin(place: HTMLElement): void {
  const home = location.pathname
  const first = place.innerHTML
  let running: AbortController | undefined
  let typing: number | undefined

  /** Returns the search page URL for the query in the current URL. */
  const wanted = () => (location.search === '' && home === '/' ? undefined : `/search${location.search}`)
  const put = (html: string, isTyping: boolean) => {
    const field = place.querySelector<HTMLInputElement>('[data-find]')
    const [value, at] = [field?.value, field?.selectionStart ?? null]
    place.innerHTML = html
    place.removeAttribute('aria-busy')
    for (const time of place.querySelectorAll<HTMLTimeElement>('time[data-relative]')) showRelativeTime(time)
    if (!isTyping) return
    // The new field takes over focus and the cursor position from the old field, so that the user can keep typing.
    const next = place.querySelector<HTMLInputElement>('[data-find]')
    if (!next || value === undefined) return
    next.value = value
    next.focus()
    next.setSelectionRange(at, at)
  }
  const show = async (isTyping = false) => {
    running?.abort()
    const address = wanted()
    document.body.classList.toggle('finding', address !== undefined)
    if (address === undefined) return put(first, false)
    const mine = new AbortController()
    running = mine
    place.setAttribute('aria-busy', 'true')
    const html = await ask(address, mine.signal)
    if (html === undefined || mine.signal.aborted) return
    put(html, isTyping)
  }
  const go = (address: string, isTyping = false) => {
    const target = home + new URL(address, location.href).search
    // A second request for the same URL is a retry.
    if (target === location.pathname + location.search) {
      if (!isTyping) show().catch(reportError)
      return
    }
    if (isTyping && document.body.classList.contains('finding')) history.replaceState(null, '', target)
    else history.pushState(null, '', target)
    show(isTyping).catch(reportError)
    if (!isTyping) scrollTo({ top: 0 })
  }

  place.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const { pathname, origin } = new URL(link.href)
    if (origin !== location.origin || pathname !== '/search') return
    event.preventDefault()
    go(link.href)
  })
  document.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement) || new URL(event.target.action).pathname !== '/search') return
    event.preventDefault()
    clearTimeout(typing)
    const query = new URLSearchParams()
    for (const [name, value] of new FormData(event.target)) if (value !== '') query.append(name, String(value))
    go(`/search?${query}`)
  })
  place.addEventListener('input', (event) => {
    if (!(event.target instanceof HTMLInputElement) || !event.target.matches('[data-find]')) return
    const { value } = event.target
    clearTimeout(typing)
    typing = window.setTimeout(() => {
      const query = new URLSearchParams(location.search)
      query.delete('page')
      if (value.trim() === '') query.delete('q')
      else query.set('q', value)
      go(`/search?${query}`, true)
    }, TYPING_MS)
  })
  addEventListener('popstate', () => show().catch(reportError))
  if (home === '/' && location.search !== '') show().catch(reportError)
}

async function ask(address: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(address, { signal, headers: { Accept: 'text/html' } })
    if (!response.ok) throw new Error(await describeError(response))
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.getElementById('find')?.innerHTML ?? ''
  } catch (error) {
    if (signal.aborted) return undefined
    return renderError(
      address,
      error instanceof TypeError ? 'The hub did not respond.' : String(error).replace(/^Error: /, ''),
    )
  }
}

async function describeError(response: Response): Promise<string> {
  const envelope: { error?: { message?: string } } = await response.json().catch(() => ({}))
  return envelope.error?.message ?? 'Search is not available right now.'
}

/** Renders an error. The message is inserted as text, not as HTML. */
function renderError(address: string, message: string): string {
  const box = Object.assign(document.createElement('div'), { className: 'nothing' })
  const words = Object.assign(document.createElement('p'), { role: 'alert', textContent: message })
  const again = document.createElement('a')
  Object.assign(again, { className: 'button', href: address, textContent: 'Try again' })
  box.append(words, again)
  return box.outerHTML
}
