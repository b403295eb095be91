// Owns searching and browsing on the catalogue page: it asks the API as a reader types and shows what it answers.
import type { ErrorEnvelope, ListEnvelope, RepositorySummary } from '../../domain/api/schema.ts'
import { makeCard } from './card.ts'
import { findSort, formatQuestion, formatRequest, parseQuestion, type Question } from './question.ts'

/** Shorter asks for words that nobody finished; longer feels slow. */
const TYPING_MS = 150

const find = <Kind extends HTMLElement>(selector: string): Kind => {
  const element = document.querySelector<Kind>(selector)
  if (!element) throw new Error(`The page has no ${selector}.`)
  return element
}
const form = find<HTMLFormElement>('#search')
const field = find<HTMLInputElement>('#q')
const sorts = find<HTMLSelectElement>('#sort')
const results = find<HTMLUListElement>('#results')
const template = find<HTMLTemplateElement>('#card')
const status = find('#status')
const filters = find<HTMLUListElement>('#filters')
const more = find<HTMLButtonElement>('#more')
const again = find<HTMLButtonElement>('#again')
const list = form.dataset.list ?? ''

let question = parseQuestion(location.search)
let page = 1
let pages = Number(more.dataset.pages)
let running: AbortController | undefined
let typing: number | undefined

field.addEventListener('input', () => {
  clearTimeout(typing)
  typing = window.setTimeout(() => change({ q: field.value }), TYPING_MS)
})
sorts.addEventListener('change', () => change({ q: field.value, sort: findSort(sorts.value) }))
form.addEventListener('submit', (event) => {
  event.preventDefault()
  change({ q: field.value })
})
more.addEventListener('click', () => show(page + 1))
again.addEventListener('click', () => show(page))
// The header's link to the search leads here from every page, this one too.
const focusWhenAsked = () => location.hash === '#q' && field.focus()
addEventListener('hashchange', focusWhenAsked)

showQuestion()
if (formatQuestion(question) !== '') show(1)
focusWhenAsked()

/** Asks something else, and keeps it in the address, so that it can be shared and come back to. */
function change(changed: Partial<Question>): void {
  clearTimeout(typing)
  const before = formatQuestion(question)
  question = { ...question, ...changed }
  showQuestion()
  const after = formatQuestion(question)
  if (after === before) return
  history.replaceState(null, '', location.pathname + after)
  show(1)
}

/** Shows one page of answers, some time. */
function show(number: number): void {
  load(number).catch(reportError)
}

/** Shows one page of answers: the first in place of what stands there, others after it. */
async function load(wanted: number): Promise<void> {
  running?.abort()
  const mine = new AbortController()
  running = mine
  results.setAttribute('aria-busy', 'true')
  again.hidden = true
  try {
    const { data, meta } = await ask(formatRequest(list, question, wanted), mine.signal)
    page = wanted
    pages = meta.pages
    const cards = data.map((repository) => makeCard(template, repository))
    if (wanted === 1) results.replaceChildren(...cards)
    else appendAndFocus(cards)
    status.textContent = sayCount(meta.total)
    more.hidden = page >= pages
  } catch (error) {
    if (mine.signal.aborted) return
    if (wanted === 1) results.replaceChildren()
    page = wanted === 1 ? 1 : wanted - 1
    more.hidden = wanted === 1
    status.textContent = error instanceof Error ? error.message : String(error)
    again.hidden = wanted > 1
  } finally {
    if (running === mine) results.removeAttribute('aria-busy')
  }
}

/** @throws with words for the reader, whatever went wrong */
async function ask(address: string, signal: AbortSignal): Promise<ListEnvelope<RepositorySummary>> {
  const response = await fetch(address, { signal }).catch(() => {
    throw new Error('The catalogue did not answer. Check the connection and try again.')
  })
  if (response.ok) return await response.json()
  const envelope: ErrorEnvelope = await response.json().catch(() => {
    throw new Error('The catalogue cannot be searched just now. Try again in a few seconds.')
  })
  throw new Error(envelope.error.message)
}

/** Whoever pressed "More" by keyboard goes on reading where the new ones begin. */
function appendAndFocus(cards: DocumentFragment[]): void {
  const first = results.children.length
  results.append(...cards)
  results.children[first]?.querySelector('a')?.focus()
}

function sayCount(total: number): string {
  if (total > 0) return `${total.toLocaleString('en')} ${total === 1 ? 'prompt' : 'prompts'}`
  return question.q.trim() === ''
    ? 'No prompts here.'
    : `Nothing matches “${question.q.trim()}”. Try fewer or other words.`
}

/** Brings the form in line with the question. */
function showQuestion(): void {
  const { q, sort, tags } = question
  if (field.value !== q) field.value = q
  const isSearching = q.trim() !== ''
  // "Best match" means something only when there is something to match.
  for (const option of sorts.options) if (option.value === '') option.hidden = option.disabled = !isSearching
  sorts.value = sort ?? (isSearching ? '' : 'top')
  filters.replaceChildren(...tags.map(makeFilter))
  filters.hidden = tags.length === 0
}

function makeFilter(tag: string): HTMLLIElement {
  const place = document.createElement('li')
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `${tag} ×`
  button.setAttribute('aria-label', `Remove the tag ${tag}`)
  button.addEventListener('click', () => {
    change({ tags: question.tags.filter((other) => other !== tag) })
    field.focus()
  })
  place.append(button)
  return place
}
