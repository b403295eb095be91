// Renders the Markdown of readmes and bios as safe HTML. The only importer of markdown-it.
import MarkdownIt, { type Token } from 'markdown-it'
import { escapeHtml } from '../domain/text/html-text.ts'
import { FOREIGN_LINK, isLinkable } from './links.ts'

/** Raw HTML is disabled, so tags are shown as text. The renderer is created once, because creating it compiles its rules. */
const markdown = new MarkdownIt('commonmark', { html: false }).enable(['table', 'strikethrough'])
/** Images are replaced with a link to them, because loading them from another host would reveal the readers' visits to that host. An image without a target, or inside another link, becomes its alt text. */
markdown.renderer.rules.image = (tokens, index) => {
  const { content = '', attrs } = tokens[index] ?? {}
  const [, target] = attrs?.find(([name]) => name === 'href') ?? []
  const words = markdown.utils.escapeHtml(content)
  if (!target) return words
  return `<a href="${markdown.utils.escapeHtml(String(target))}" rel="${FOREIGN_LINK}">${words === '' ? 'Picture' : words}</a>`
}

/** Tables can receive focus, so that wide tables can be scrolled with the keyboard. */
markdown.renderer.rules.table_open = () => '<table tabindex="0">'

const LOWEST_LEVEL = 6
/** Longer texts are formatted only up to this length: pages are rendered on the thread that serves everybody, and the worst Markdown takes 1.5 ms for each thousand characters. */
const MAX_FORMATTED_CHARACTERS = 32_768

/** The attributes that are kept, by tag. Classes, IDs and styles are not: they could imitate the site's own elements, and the Content-Security-Policy blocks inline styles. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = { a: ['href', 'title'], ol: ['start'] }

/** Removes from parsed Markdown what the site does not show. Tokens are restricted instead of HTML, so that nothing has to parse the HTML again. */
function restrict(token: Token): void {
  const kept = ATTRIBUTES[token.tag] ?? []
  token.attrs = (token.attrs ?? []).filter(
    ([name, value]) => kept.includes(name) && (name !== 'href' || isLinkable(String(value))),
  )
  if (token.type === 'link_open') token.attrPush(['rel', FOREIGN_LINK])
  // The language of a code block would become a class.
  token.info = ''
  let isLinked = false
  for (const child of token.children ?? []) {
    if (child.type === 'link_open' || child.type === 'link_close') isLinked = child.type === 'link_open'
    const source = child.type === 'image' && !isLinked ? child.attrGet('src') : null
    restrict(child)
    if (source !== null && isLinkable(String(source))) child.attrs = [['href', String(source)]]
  }
}

/** Shows the tasks of a list as boxes. */
function markTasks(tokens: readonly Token[]): void {
  for (const [index, { type, children }] of tokens.entries()) {
    const [first] = children ?? []
    if (type !== 'inline' || tokens[index - 2]?.type !== 'list_item_open' || first?.type !== 'text') continue
    first.content = first.content.replace(/^\[([ xX])\] /, (_, mark) => (mark === ' ' ? '☐ ' : '☑ '))
  }
}

/**
 * Renders untrusted Markdown. Its heading levels are shifted so that they follow one of the page's headings without gaps, whatever level they start at. The part of a text beyond 32,768 characters is shown as it is written.
 *
 * @param title the page's title; a first heading that repeats it is removed. `below` is the level of the page's heading above the text
 * @returns HTML without scripts, styles, images, forms, IDs or classes; links use http, https or mailto, or are relative to this site
 */
export function renderMarkdown(
  text: string,
  { title = '', below = 2 }: { title?: string; below?: number } = {},
): string {
  const [formatted, rest] = splitAtLine(text, MAX_FORMATTED_CHARACTERS)
  const html = formatted === '' ? '' : renderBelow(withoutTitle(formatted, title), below)
  return rest === '' ? html : `${html}<pre>${escapeHtml(rest)}</pre>`
}

/** Splits a text at the last line break before a length; a line that is longer is split within. */
function splitAtLine(text: string, most: number): [string, string] {
  if (text.length <= most) return [text, '']
  const end = text.lastIndexOf('\n', most - 1) + 1 || most
  return [text.slice(0, end).toWellFormed(), text.slice(end).toWellFormed()]
}

/** Shifts heading levels so that the highest one directly follows the page's heading and no level is skipped, because screen reader users navigate by headings. */
function renderBelow(text: string, below: number): string {
  const tokens = markdown.parse(text, {})
  tokens.forEach(restrict)
  markTasks(tokens)
  let before = below
  const levels: number[] = []
  let highest = Number.POSITIVE_INFINITY
  for (const { type, tag } of tokens) if (type === 'heading_open') highest = Math.min(highest, Number(tag.slice(1)))
  for (const token of tokens) {
    if (token.type === 'heading_open') {
      const level = Math.min(Number(token.tag.slice(1)) - highest + below + 1, before + 1, LOWEST_LEVEL)
      before = level
      levels.push(level)
      token.tag = `h${level}`
    } else if (token.type === 'heading_close') token.tag = `h${levels.pop() ?? below + 1}`
  }
  return markdown.renderer.render(tokens, markdown.options, {})
}

/** Removes a first heading that repeats the title, because the page already shows it. */
function withoutTitle(text: string, title: string): string {
  const end = text.indexOf('\n')
  if (title === '' || end === -1 || !text.startsWith('# ')) return text
  const heading = text.slice(2, end).trim()
  // Closing hashes are not part of the heading.
  const [words = '', hashes = ''] = [
    heading.slice(0, heading.lastIndexOf(' ') + 1),
    heading.slice(heading.lastIndexOf(' ') + 1),
  ]
  const written = /^#+$/.test(hashes) ? words.trim() : heading
  return written.toLowerCase() === title.trim().toLowerCase() ? text.slice(end + 1) : text
}
