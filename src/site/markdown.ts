// Renders the Markdown of readmes and bios as safe HTML. The only importer of markdown-it and sanitize-html.
import MarkdownIt from 'markdown-it'
import sanitize from 'sanitize-html'
import { FOREIGN_LINK, LINKED_SCHEMES } from './links.ts'

/** Raw HTML is off, so that what somebody types as a tag is shown as text. Made once, because that compiles its rules. */
const markdown = new MarkdownIt('commonmark', { html: false }).enable(['table', 'strikethrough'])
/** Of an image only its words are shown: a picture from another host would tell that host who reads. */
markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '')

/** A table can have the focus, so that a wide one can be scrolled by keyboard too. */
markdown.renderer.rules.table_open = () => '<table tabindex="0">'

const LOWEST_LEVEL = 6

const POLICY: sanitize.IOptions = {
  allowedTags: [
    ...['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'hr', 'br'],
    ...['em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  // No class, id or style: they could look like ours, and an inline style is refused by the page's policy.
  allowedAttributes: { a: ['href', 'rel', 'title'], ol: ['start'], table: ['tabindex'] },
  allowedSchemes: [...LINKED_SCHEMES],
  allowProtocolRelative: false,
  transformTags: { a: sanitize.simpleTransform('a', { rel: FOREIGN_LINK }) },
}

/**
 * Renders markdown written by a stranger. Its headings stand below one of the page’s, without a gap whatever its first level is.
 *
 * @param title what the page is called: a first heading that only repeats it is left out; `below` is the level of the heading above
 * @returns HTML without scripts, styles, images, forms, ids or classes; links lead to http, https or mailto, or, relative, to this site
 */
export function renderMarkdown(
  text: string,
  { title = '', below = 2 }: { title?: string; below?: number } = {},
): string {
  return text === '' ? '' : sanitize(renderBelow(withoutTitle(text, title), below), POLICY)
}

/** Moves headings so that the highest one follows its page's, and none leaves out a level: readers by ear go from one to the next. */
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

/** Leaves out a first heading that repeats the title, because the page shows it already. */
function withoutTitle(text: string, title: string): string {
  const [, heading = '', rest = ''] = /^# +([^\n]*?)(?: #*)?\r?\n([\s\S]*)$/.exec(text) ?? []
  return heading !== '' && heading.trim().toLowerCase() === title.trim().toLowerCase() ? rest : text
}
