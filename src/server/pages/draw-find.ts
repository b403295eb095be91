// Owns what the find page says: the question as a form, what it was read as, filters with counts, rows and pages. Links alone, so that it works without a script.
import { LIMITS } from '../../domain/api/limits.ts'
import { countOf } from '../../domain/content/count-of.ts'
import { type Html, html } from '../account/html.ts'
import { type Facet, type Found, MOST_CANDIDATES } from './find.ts'
import { type FindQuestion, formatFindQuestion } from './find-question.ts'
import { listSoughtWords, markWords } from './marks.ts'
import { drawRow } from './rows.ts'

const ORDERS = [
  [undefined, 'Best match'],
  ['top', 'Top'],
  ['trending', 'Trending'],
  ['new', 'New'],
] as const

/** What is offered when nothing was found. */
interface Offers {
  /** The most used tags. */
  tags: readonly string[]
  /** Words of the catalogue that are close to those that were typed. */
  nearby: readonly string[]
}

/** Draws what was found. */
export function drawFound(question: FindQuestion, found: Found, offers: Offers): Html {
  const { q } = question
  const mark = (text: string) =>
    html`${markWords(text, listSoughtWords(q, found.corrected)).map((part) => (part.isMatch ? html`<mark>${part.text}</mark>` : part.text))}`
  const facets = drawFacets(question, found)
  return html`
<div class="page-head"><h1>${q === '' ? 'Prompts' : html`Prompts for “${q}”`}</h1></div>
<form class="find-form" action="/search" method="get" role="search">
  <label class="visually-hidden" for="find-q">Search</label>
  <div class="ask"><input id="find-q" name="q" type="search" value="${q}" maxlength="${LIMITS.queryCharacters}" autocomplete="off" spellcheck="false" placeholder="What should the prompt do?" data-find></div>
  ${listFilters(question).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
  <button class="strong" type="submit">Search</button>
</form>
${drawChosen(question)}
${drawReading(question, found)}
<div class="bar"><p class="quiet" role="status">${sayCount(found)}</p>${found.rows.length === 0 ? undefined : drawOrders(question)}</div>
<div class="found${facets ? ' has-facets' : ''}">
${facets}
${
  found.rows.length === 0
    ? drawNothing(question, offers)
    : html`<div><h2 class="visually-hidden">Found</h2><ul class="rows">${found.rows.map((row) => drawRow(row, mark))}</ul>${drawPages(question, found)}</div>`
}
</div>`
}

/** What the form sends beside the words, so that everything else of the question stays when other words are asked for. */
function listFilters(question: FindQuestion): [name: string, value: string][] {
  return [...new URL(formatFindQuestion({ ...question, q: '', page: 1 }), 'http://localhost').searchParams]
}

function drawOrders(question: FindQuestion): Html {
  const { q } = question
  const orders = ORDERS.filter(([sort]) => sort !== undefined || q !== '')
  return html`<nav class="orders" aria-label="Order">${orders.map(([sort, words]) => {
    const isNow = question.sort === sort || (question.sort === undefined && q === '' && sort === 'top')
    return html`<a href="${formatFindQuestion({ ...question, sort, page: 1 })}"${isNow ? html` aria-current="true"` : undefined}>${words}</a>`
  })}</nav>`
}

function sayCount({ total, isCut, exact }: Found): string {
  const all = isCut
    ? `the best ${MOST_CANDIDATES} looked at, ${countOf(total, 'prompt')} kept`
    : countOf(total, 'prompt')
  return exact !== undefined && exact > 0 && exact < total && !isCut ? `${all}, of which ${exact} with every word` : all
}

function drawChosen(question: FindQuestion): Html | undefined {
  const without = (change: Partial<FindQuestion>) => formatFindQuestion({ ...question, ...change, page: 1 })
  const chosen: [words: string, address: string][] = [
    ...question.tags.map((tag): [string, string] => [
      tag,
      without({ tags: question.tags.filter((other) => other !== tag) }),
    ]),
  ]
  if (question.owner !== undefined) chosen.push([`by ${question.owner}`, without({ owner: undefined })])
  if (question.license !== undefined) chosen.push([question.license, without({ license: undefined })])
  if (question.withVariables) chosen.push(['takes variables', without({ withVariables: false })])
  if (question.withProvenance) chosen.push(['published by CI', without({ withProvenance: false })])
  if (chosen.length === 0) return undefined
  return html`<ul class="tags" aria-label="Only these">${chosen.map(
    ([words, address]) =>
      html`<li><a href="${address}">${words} <span aria-hidden="true">×</span><span class="visually-hidden">, take off</span></a></li>`,
  )}</ul>`
}

/** Says which words were read as others or left out, because the rows would otherwise be a surprise. */
function drawReading({ q }: FindQuestion, { corrected, ignored, rows }: Found): Html | undefined {
  // When nothing was found, the page says so already.
  if (rows.length === 0) return undefined
  const changes = Object.entries(corrected)
  if (changes.length === 0 && ignored.length === 0) return undefined
  const used = changes.map(([, word]) => html`<strong>${word}</strong>`)
  return html`<p class="notice" id="reading">${
    changes.length > 0
      ? html`Showing results for ${used.map((word, index) => (index === 0 ? word : html`, ${word}`))} instead of “${changes.map(([typed]) => typed).join(', ')}”. `
      : undefined
  }${ignored.length > 0 ? html`Left out, because nothing holds it: ${ignored.join(', ')}.` : undefined}<span class="visually-hidden"> You asked for “${q}”.</span></p>`
}

function drawFacets(question: FindQuestion, { facets, total }: Found): Html | undefined {
  const group = (title: string, values: readonly Facet[], change: (value: string) => Partial<FindQuestion>) =>
    values.length > 1 || (values.length === 1 && values[0]!.count < total)
      ? html`<h3>${title}</h3><ul class="plain">${values.map(
          ({ value, count }) =>
            html`<li><a href="${formatFindQuestion({ ...question, ...change(value), page: 1 })}">${value} <span class="count">${count}</span></a></li>`,
        )}</ul>`
      : undefined
  const more: Html[] = []
  const add = (count: number, words: string, change: Partial<FindQuestion>) => {
    if (count > 0 && count < total)
      more.push(
        html`<li><a href="${formatFindQuestion({ ...question, ...change, page: 1 })}">${words} <span class="count">${count}</span></a></li>`,
      )
  }
  add(facets.withVariables, 'Takes variables', { withVariables: true })
  add(facets.withProvenance, 'Published by CI', { withProvenance: true })
  const groups = [
    group('Tags', facets.tags, (tag) => ({ tags: [...question.tags, tag] })),
    group('Owner', facets.owners, (owner) => ({ owner })),
    group('Licence', facets.licenses, (license) => ({ license })),
    more.length === 0 ? undefined : html`<h3>More</h3><ul class="plain">${more}</ul>`,
  ].filter((drawn) => drawn !== undefined)
  if (groups.length === 0) return undefined
  return html`<nav class="facets" aria-label="Filters"><h2 class="visually-hidden">Filters</h2><details class="unfolds"><summary>Filters</summary>${groups}</details></nav>`
}

function drawNothing(question: FindQuestion, { tags, nearby }: Offers): Html {
  const isFiltered =
    question.tags.length > 0 ||
    question.owner !== undefined ||
    question.license !== undefined ||
    question.withVariables ||
    question.withProvenance
  return html`<div class="nothing"><h2>${question.q === '' ? 'No prompt is like this' : html`Nothing matches “${question.q}”`}</h2>
<p class="quiet">${isFiltered ? html`Take a filter off, or <a href="/search">begin again</a>.` : 'Try fewer or other words, or begin with a tag.'}</p>
${nearby.length > 0 ? html`<p class="nearby">Close to it: ${nearby.map((word) => html` <a href="${formatFindQuestion({ ...question, q: word, page: 1 })}">${word}</a>`)}</p>` : undefined}
${tags.length > 0 ? html`<ul class="tags" aria-label="Popular tags">${tags.map((tag) => html`<li><a href="/search?tag=${tag}">${tag}</a></li>`)}</ul>` : undefined}</div>`
}

function drawPages(question: FindQuestion, { pages }: Found): Html | undefined {
  const { page } = question
  if (pages <= 1) return undefined
  const to = (target: number) => formatFindQuestion({ ...question, page: target })
  return html`<nav class="center" aria-label="Pages">${
    page > 1 ? html`<a class="button" rel="prev" href="${to(page - 1)}">Previous page</a>` : undefined
  }<p class="quiet">Page ${page} of ${pages}</p>${
    page < pages ? html`<a class="button" rel="next" href="${to(page + 1)}">Next page</a>` : undefined
  }</nav>`
}
