// Owns filling in a prompt's variables in the page: the same rules as the API's, for it is the same function.
import { fillPlaceholders, findPlaceholders } from '../../domain/content/placeholders.ts'
import { exactText } from '../exact-text.ts'

const form = document.querySelector<HTMLFormElement>('#fill-in')
const source = document.querySelector<HTMLElement>('#content')
const filled = document.querySelector<HTMLElement>('#filled')
const missing = document.querySelector<HTMLElement>('#missing')
const withExamples = document.querySelector<HTMLButtonElement>('#with-examples')
if (form && source && filled && missing) {
  const content = exactText(source)
  const fields = [
    ...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>('[data-variable]'),
  ]
  const placeholders = findPlaceholders(content)
  const show = () => {
    const values = readValues(fields)
    filled.textContent = fillPlaceholders(content, values)
    const open = fields
      .map((field) => field.dataset.variable ?? '')
      .filter((name) => !values.has(name) && placeholders.includes(name))
    const words = open.length === 0 ? 'Everything is filled in.' : `Still open: ${open.join(', ')}.`
    if (missing.textContent !== words) missing.textContent = words
  }
  form.addEventListener('input', show)
  form.addEventListener('submit', (event) => event.preventDefault())
  // The browser empties the fields after this event, and brings values back when a reader returns to the page.
  form.addEventListener('reset', () => setTimeout(show))
  addEventListener('pageshow', show)
  withExamples?.addEventListener('click', () => {
    for (const field of fields) if (field.dataset.example !== undefined) field.value = field.dataset.example
    show()
  })
  show()
}

/** A value given wins, else the default, else the placeholder stays. docs/notes/mcp.md section 5. */
function readValues(fields: readonly (HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement)[]) {
  const values = new Map<string, string>()
  for (const { value, dataset } of fields) {
    const text = value === '' ? dataset.default : value
    if (text !== undefined) values.set(dataset.variable ?? '', text)
  }
  return values
}
