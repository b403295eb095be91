// Writes escaped HTML into the site's frame.
import { FRAME_PATH, FRAME_PLACE, FRAME_TITLE } from '../../domain/api/account-frame.ts'
import { escapeHtml } from '../../domain/text/html-text.ts'
import type { SiteFiles } from '../../ports/site-files.ts'

/** HTML that is safe to send: created by `html`, or by `trustedHtml` from the output of another of our functions. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values that `html` accepts in its placeholders; undefined, null and false render nothing. */
type Part = string | number | Html | undefined | null | false | readonly Part[]

/** Writes HTML: `html\`<p>${name}</p>\``. Strings are escaped for elements and for double-quoted attributes. A part that renders nothing leaves no blank line. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = ''
  for (let index = 0; index < literals.length; index++) {
    const literal = literals[index]!
    const part = draw(parts[index])
    text += part === '' ? withoutLastIndent(literal) : literal + part
  }
  return new Html(text)
}

/** Accepts HTML that one of our functions wrote without `html`; all external text in it must already be escaped. */
export function trustedHtml(text: string): Html {
  return new Html(text)
}

function withoutLastIndent(literal: string): string {
  return literal.endsWith(' ') ? literal.replace(/\n +$/, '') : literal
}

function draw(part: Part): string {
  if (typeof part === 'string') return escapeHtml(part)
  if (part === undefined || part === null || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'number') return String(part)
  let text = ''
  for (const one of part) text += draw(one)
  return text
}

/** A page's title and body. */
export interface Page {
  title: string
  main: Html
}

/**
 * Inserts a page into the frame that the build wrote.
 *
 * @throws Error if the site has no frame, or if its placeholders are missing
 */
export async function framePage(siteFiles: SiteFiles, { title, main }: Page): Promise<string> {
  const bytes = await siteFiles.read(FRAME_PATH)
  const frame = bytes && new TextDecoder().decode(bytes)
  if (!frame?.includes(FRAME_PLACE))
    throw new Error(`${FRAME_PATH} is missing from the site, or has no placeholder for a page`)
  // Replacer functions are used because `$&` has a special meaning in a replacement string.
  return frame.replace(`<title>${FRAME_TITLE}`, () => html`<title>${title}`.text).replace(FRAME_PLACE, () => main.text)
}
