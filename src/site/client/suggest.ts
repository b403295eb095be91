// Makes the search fields work: `/`, Ctrl-K and ⌘K focus a field, and typing suggests prompts, tags, owners and guides.
import { SUGGESTIONS_ADDRESS, type Suggestion } from '../../domain/search/suggestions.ts'

const TYPING_MS = 150
const MIN_CHARACTERS = 2

document.addEventListener('keydown', (event) => {
  const isCommand =
    event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
  if (!isCommand && (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey)) return
  if (
    !isCommand &&
    event.target instanceof HTMLElement &&
    event.target.matches('input, textarea, select, [contenteditable]')
  )
    return
  const field = document.querySelector<HTMLInputElement>('[data-find], [data-ask]')
  if (!field) return
  event.preventDefault()
  field.focus()
  field.select()
})

for (const field of document.querySelectorAll<HTMLInputElement>('[data-ask]')) suggestAt(field)

function suggestAt(field: HTMLInputElement): void {
  const list = document.createElement('ul')
  const id = `${field.id}-suggestions`
  Object.assign(list, { id, className: 'suggestions', role: 'listbox', ariaLabel: 'Suggestions', hidden: true })
  field.after(list)
  field.role = 'combobox'
  field.setAttribute('aria-controls', id)
  field.setAttribute('aria-autocomplete', 'list')
  let chosen = -1
  let typing: number | undefined
  let running: AbortController | undefined

  const close = () => {
    running?.abort()
    clearTimeout(typing)
    list.hidden = true
    chosen = -1
    field.setAttribute('aria-expanded', 'false')
    field.removeAttribute('aria-activedescendant')
  }
  const choose = (index: number) => {
    const { children } = list
    chosen = (index + children.length + 1) % (children.length + 1)
    for (const [place, option] of [...children].entries()) option.ariaSelected = String(place === chosen)
    // The position after the last suggestion selects no suggestion.
    if (chosen === children.length) chosen = -1
    const option = children[chosen]
    if (option) field.setAttribute('aria-activedescendant', option.id)
    else field.removeAttribute('aria-activedescendant')
  }
  const ask = async () => {
    running?.abort()
    const mine = new AbortController()
    running = mine
    const q = field.value.trim()
    if (q.length < MIN_CHARACTERS) return close()
    const found = await askFor(q, mine.signal)
    if (mine.signal.aborted || found.length === 0) return found.length === 0 ? close() : undefined
    const options = found.map((one, index) => renderOption(one, `${id}-${index}`))
    list.replaceChildren(...options, renderAll(q, `${id}-${options.length}`))
    list.hidden = document.activeElement !== field
    chosen = -1
    field.setAttribute('aria-expanded', String(!list.hidden))
    field.removeAttribute('aria-activedescendant')
  }
  close()
  field.addEventListener('input', () => {
    clearTimeout(typing)
    typing = window.setTimeout(() => ask().catch(reportError), TYPING_MS)
  })
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault()
      return close()
    }
    if (list.hidden) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      choose(chosen + (event.key === 'ArrowDown' ? 1 : chosen < 0 ? list.children.length : -1))
    }
    const option = list.children[chosen]
    if (event.key === 'Enter' && option instanceof HTMLElement) {
      event.preventDefault()
      location.href = option.dataset.address ?? '/'
    }
  })
  // Listens for mousedown, because by the time of a click the field has lost focus and the list is hidden.
  list.addEventListener('mousedown', (event) => {
    event.preventDefault()
    const option = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-address]') : null
    if (option) location.href = option.dataset.address ?? '/'
  })
  field.addEventListener('blur', close)
}

/** Fetches suggestions. If the request fails, returns no suggestions; the form still works. */
async function askFor(q: string, signal: AbortSignal): Promise<Suggestion[]> {
  try {
    const response = await fetch(`${SUGGESTIONS_ADDRESS}?${new URLSearchParams({ q })}`, { signal })
    if (!response.ok) return []
    const { data }: { data: Suggestion[] } = await response.json()
    return data
  } catch {
    return []
  }
}

/** Renders the way to the search page. */
function renderAll(q: string, id: string): HTMLLIElement {
  const option = Object.assign(document.createElement('li'), { id, role: 'option', ariaSelected: 'false' })
  option.dataset.address = `/search?${new URLSearchParams({ q })}`
  option.textContent = 'See all results'
  return option
}

function renderOption({ words, about, address }: Suggestion, id: string): HTMLLIElement {
  const option = Object.assign(document.createElement('li'), { id, role: 'option', ariaSelected: 'false' })
  option.dataset.address = address
  const title = Object.assign(document.createElement('span'), { textContent: words, dir: 'auto' })
  option.append(
    title,
    ' ',
    Object.assign(document.createElement('span'), { textContent: about, className: 'full-name' }),
  )
  return option
}
