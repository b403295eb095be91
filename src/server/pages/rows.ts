// Owns how a repository looks in a list: the one renderer of rows, for the built pages and for what a function draws.
import type { RepositorySummary } from '../../domain/api/schema.ts'
import { countOf } from '../../domain/content/count-of.ts'
import { formatDay } from '../../domain/content/days.ts'
import { type Html, html } from '../account/html.ts'

/** Tags shown in a row; more would draw the eye away from the titles. */
const MOST_TAGS = 2
/** As many colours as styles/parts.css has. */
const HUES = 8

/** Draws a repository as a row of a list. @param mark draws a text and marks in it the words that were looked for; when left out, nothing is marked */
export function drawRow(summary: RepositorySummary, mark: (text: string) => Html = (text) => html`${text}`): Html {
  const { owner, full_name, title, description, latest_version, variables_count, license, status, tags } = summary
  return html`<li class="row">
${drawMonogram(owner)}
<div>
<div class="line"><h3 dir="auto"><a href="/${full_name}">${mark(title)}</a></h3> <span class="full-name">${mark(full_name)}</span></div>
${description === '' ? undefined : html`<p class="description" dir="auto">${mark(description)}</p>`}
<p class="facts"><span>v${latest_version ?? '–'}</span>${
    variables_count > 0 ? html` <span>${countOf(variables_count, 'variable')}</span>` : undefined
  }${license === null ? undefined : html` <span>${license}</span>`} <span>${drawDay(summary.updated_at)}</span>${
    status === 'active' ? undefined : html` <span class="mark warns">${status}</span>`
  }${drawTags(tags)}</p>
</div>
</li>`
}

/** Draws the tags as one element, so that no single tag begins a line. */
function drawTags(tags: readonly string[]): Html | undefined {
  if (tags.length === 0) return undefined
  return html` <span class="few-tags">${tags.slice(0, MOST_TAGS).map((tag, index) => html`${index === 0 ? '' : ' '}<span class="tag">${tag}</span>`)}</span>`
}

/** A picture for an owner without one: the first letters of the handle on a colour that follows from it. @param more further classes, each with a space before it */
export function drawMonogram(handle: string, more = ''): Html {
  let sum = 0
  for (const character of handle) sum = (sum * 31 + character.charCodeAt(0)) % 65_521
  const letters = handle
    .split('-')
    .slice(0, 2)
    .map((part) => part.slice(0, 1))
    .join('')
  return html`<span class="monogram hue-${sum % HUES}${more}" aria-hidden="true">${letters.toUpperCase()}</span>`
}

/** A day that a script turns into "3 weeks ago". @param moment ISO 8601 */
export function drawDay(moment: string): Html {
  return html`<time datetime="${moment}" data-relative>${formatDay(moment)}</time>`
}
