// Renders a prompt's text: lines, variables as chips, hidden characters made visible. The text content stays the same, byte for byte.

import type { Variable } from '../../domain/api/schema.ts'
import { splitHidden } from '../../domain/content/hidden-characters.ts'
import { splitContent } from '../../domain/content/placeholders.ts'
import { escapeHtml } from '../../domain/text/html-text.ts'

/** How to render a text. */
interface DrawOptions {
  /** Values that are shown instead of chips, as on the home page. */
  filled?: ReadonlyMap<string, string>
  /** Whether chips link to the fields of their variables. */
  isLinked?: boolean
}

/** Longer content is shown without line numbers, which would make the page several times larger. */
const MAX_DRAWN_CHARACTERS = 120_000

/** Maximum number of chips and marks in one prompt. The rest is plain text, because the serving thread renders the page, and content that consisted only of chips produced five megabytes. */
const MAX_MARKS = 10_000

/** Renders content as HTML; the text of the result equals the content, unless values are inserted. */
export function renderContent(content: string, variables: readonly Variable[], options: DrawOptions = {}): string {
  const names = new Set(variables.map(({ name }) => name))
  const seen = new Set<string>()
  const budget = { left: MAX_MARKS }
  const html = splitContent(content, names)
    .map(({ text, name }) => {
      if (name === undefined || budget.left-- <= 0) return renderText(text, budget)
      const value = options.filled?.get(name)
      if (!options.isLinked)
        return value === undefined
          ? `<span class="chip">${renderText(text)}</span>`
          : `<span class="chip filled" data-name="${name}">${renderText(value)}</span>`
      // Only the first chip of a variable is reachable by keyboard, because the others link to the same field.
      const isFirst = !seen.has(name)
      seen.add(name)
      return `<a class="chip" href="#variable-${name}" data-chip="${name}"${isFirst ? '' : ' tabindex="-1"'}>${renderText(text)}</a>`
    })
    .join('')
  return content.length > MAX_DRAWN_CHARACTERS ? html : renderNumbered(html)
}

/** Renders text as HTML; hidden characters are shown by their code points. @param budget the remaining number of marks, which is decremented */
export function renderText(text: string, budget = { left: Number.POSITIVE_INFINITY }): string {
  return splitHidden(text)
    .map(({ text, code }) =>
      code === undefined || budget.left-- <= 0
        ? escapeHtml(text)
        : `<span class="unseen" data-code="${code}">${escapeHtml(text)}</span>`,
    )
    .join('')
}

/** Style sheets number the lines, so that numbers are never copied. Only text contains line breaks; tags do not. */
function renderNumbered(html: string): string {
  return splitLines(html)
    .map((line) => `<span class="l${kindOf(line)}">${line}</span>`)
    .join('')
}

/** Splits text into lines with their line breaks; the last line may have none. */
export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** Markdown headings, and XML tags on their own line. */
function kindOf(line: string): string {
  if (/^#{1,6} /.test(line)) return ' h'
  return /^\s*&lt;\/?[\w-]+(?:&gt;)\s*$/.test(line) ? ' t' : ''
}
