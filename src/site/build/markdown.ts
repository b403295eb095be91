// Owns turning the markdown of readmes and bios into HTML that is safe in our pages; the only importer of markdown-it and sanitize-html.
import MarkdownIt from 'markdown-it'
import sanitize from 'sanitize-html'
import { FOREIGN_LINK, LINKED_SCHEMES } from '../links.ts'

/** Raw HTML is off, so that what somebody types as a tag is shown as text. Made once: it compiles its rules. */
const markdown = new MarkdownIt('commonmark', { html: false }).enable(['table', 'strikethrough'])
/** Of an image only its words are shown: a picture from another host would tell that host who reads. */
markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '')

/** Headings of a readme stand below those of its page. */
const HEADINGS = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' }

const POLICY: sanitize.IOptions = {
  allowedTags: [
    ...['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'hr', 'br'],
    ...['em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  // No class, id or style: they could look like ours, and an inline style is refused by the page's policy.
  allowedAttributes: { a: ['href', 'rel', 'title'], ol: ['start'] },
  allowedSchemes: [...LINKED_SCHEMES],
  allowProtocolRelative: false,
  transformTags: { ...HEADINGS, a: sanitize.simpleTransform('a', { rel: FOREIGN_LINK }) },
}

/**
 * Renders markdown written by a stranger.
 *
 * @returns HTML without scripts, styles, images, forms, ids or classes; links lead to http, https or mailto, or, relative, to this site
 */
export function renderMarkdown(text: string): string {
  return text === '' ? '' : sanitize(markdown.render(text), POLICY)
}
