// Renders the Markdown of readmes and bios as safe HTML. The only importer of markdown-it and sanitize-html.
import MarkdownIt from 'markdown-it'
import sanitize from 'sanitize-html'
import { FOREIGN_LINK, LINKED_SCHEMES } from './links.ts'

/** Raw HTML is disabled, so that tags are shown as text. Created once, because creating it compiles its rules. */
const markdown = new MarkdownIt('commonmark', { html: false }).enable(['table', 'strikethrough'])
/** An image is replaced with its alt text: loading it from another host would reveal readers to that host. */
markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '')

/** Tables can receive focus, so that wide ones can also be scrolled with the keyboard. */
markdown.renderer.rules.table_open = () => '<table tabindex="0">'

const LOWEST_LEVEL = 6

const POLICY: sanitize.IOptions = {
  allowedTags: [
    ...['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'hr', 'br'],
    ...['em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  // Classes, IDs and styles are not allowed: they could imitate ours, and the page's policy blocks inline styles.
  allowedAttributes: { a: ['href', 'rel', 'title'], ol: ['start'], table: ['tabindex'] },
  allowedSchemes: [...LINKED_SCHEMES],
  allowProtocolRelative: false,
  transformTags: { a: sanitize.simpleTransform('a', { rel: FOREIGN_LINK }) },
}

/**
 * Renders untrusted Markdown. Its headings are moved below one of the page’s headings, without gaps, whatever level they start with.
 *
 * @param title the page's title: a first heading that repeats it is removed; `below` is the level of the heading above
 * @returns HTML without scripts, styles, images, forms, IDs or classes; links have http, https or mailto, or are relative to this site
 */
export function renderMarkdown(
  text: string,
  { title = '', below = 2 }: { title?: string; below?: number } = {},
): string {
  return text === '' ? '' : sanitize(renderBelow(withoutTitle(text, title), below), POLICY)
}

/** Moves headings so that the highest one follows the page's, and no level is skipped, because screen reader users navigate by headings. */
function renderBelow(text: string, below: number): string {
  const tokens = markdown.parse(text, {})
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
  const [, heading = '', rest = ''] = /^# +([^\n]*?)(?: #*)?\r?\n([\s\S]*)$/.exec(text) ?? []
  return heading !== '' && heading.trim().toLowerCase() === title.trim().toLowerCase() ? rest : text
}
