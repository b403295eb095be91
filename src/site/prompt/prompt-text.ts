// Renders a prompt's text in lines, with chips for variables and visible marks for hidden characters. The text content of the result equals the prompt, byte for byte.

import type { Variable } from '../../domain/api/schema.ts'
import { type Effort, MAX_EMOJI, splitHidden } from '../../domain/content/hidden-characters.ts'
import { splitContent } from '../../domain/content/placeholders.ts'
import { escapeHtml } from '../../domain/text/html-text.ts'

interface DrawOptions {
  /** Values that are shown instead of placeholders, as on the home page. */
  filled?: ReadonlyMap<string, string>
  /** Whether the content is a part of a line. */
  isOneLine?: boolean
  /** Whether chips link to the fields of their variables. */
  isLinked?: boolean
  /** The remaining number of chips and marks, which is decremented. */
  budget?: Budget
}

/** Longer content is shown without line numbers, which would make the page several times larger. */
const MAX_DRAWN_CHARACTERS = 120_000

/** Maximum number of chips and marks in one prompt; the rest is plain text. The thread that serves requests also renders pages, and content that consisted only of chips would produce a page of five megabytes. */
const MAX_MARKS = 10_000

/** What may still be marked in texts that are shown together; decremented. */
export interface Budget extends Effort {
  /** The remaining number of chips and marks. */
  left: number
}

/** Opens the budget of a page. @param left the number of chips and marks */
export const openBudget = (left = MAX_MARKS): Budget => ({ left, emoji: MAX_EMOJI })

/** Renders content as HTML; the text of the result equals the content, unless values are filled in. */
export function renderContent(
  content: string,
  variables: readonly Pick<Variable, 'name'>[],
  options: DrawOptions = {},
): string {
  const names = new Set(variables.map(({ name }) => name))
  const seen = new Set<string>()
  const { budget = openBudget() } = options
  const html = splitContent(content, names)
    .map(({ text, name }) => {
      if (name === undefined || budget.left-- <= 0) return renderText(text, budget)
      const value = options.filled?.get(name)
      if (!options.isLinked)
        return value === undefined
          ? `<span class="chip">${renderText(text, budget)}</span>`
          : `<span class="chip filled" data-name="${name}">${renderText(value, budget)}</span>`
      // Only a variable's first chip is reachable by keyboard, because the others link to the same field.
      const isFirst = !seen.has(name)
      seen.add(name)
      return `<a class="chip" href="#variable-${name}" data-chip="${name}"${isFirst ? '' : ' tabindex="-1"'}>${renderText(text, budget)}</a>`
    })
    .join('')
  return options.isOneLine || content.length > MAX_DRAWN_CHARACTERS ? html : renderNumbered(html)
}

/** Renders texts of a prompt as HTML, with its variables as links. The limit on chips and marks applies to all texts together. */
export function renderContents(texts: readonly string[], variables: readonly Variable[]): string[] {
  const budget = openBudget()
  return texts.map((text) => renderContent(text, variables, { isLinked: true, budget }))
}

/** Renders text as HTML; hidden characters are shown by their code points. */
export function renderText(text: string, budget = openBudget()): string {
  if (budget.left <= 0) return escapeHtml(text)
  return splitHidden(text, budget)
    .map(({ text, code }) =>
      code === undefined || budget.left-- <= 0
        ? escapeHtml(text)
        : `<span class="unseen" data-code="${code}">${escapeHtml(text)}</span>`,
    )
    .join('')
}

/** Renders the first lines of a text as HTML, each in an element; hidden characters are shown by their code points. @returns also what is shown, byte for byte */
export function renderLines(text: string, most: number, budget = openBudget()) {
  const lines = text.split(/(?<=\n)/, most + 1)
  const shown = lines.slice(0, most).join('')
  return { shown, html: renderNumbered(renderText(shown, budget)), isCut: lines.length > most }
}

/** Wraps each line in an element. Style sheets number the lines, so line numbers are never copied. Only text contains line breaks; tags do not. */
function renderNumbered(html: string): string {
  return splitLines(html)
    .map((line) => `<span class="l${kindOf(line)}">${line}</span>`)
    .join('')
}

/** Splits text into lines that include their line breaks; the last line may have none. */
export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** Returns the kind of a line, to distinguish Markdown headings and XML tags on a separate line. */
function kindOf(line: string): string {
  if (/^#{1,6} /.test(line)) return ' h'
  return /^\s*&lt;\/?[\w-]+(?:&gt;)\s*$/.test(line) ? ' t' : ''
}
