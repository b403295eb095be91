// Writes HTML with escaping, inside the frame of the site.
import { FRAME_PATH, FRAME_PLACE, FRAME_TITLE } from '../../domain/api/account-frame.ts'
import { escapeHtml } from '../../domain/text/html-text.ts'
import type { SiteFiles } from '../../ports/site-files.ts'

/** HTML that is safe to send: made by `html`, or by `asDrawn` from another function of ours. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values that `html` accepts in its placeholders; undefined, null and false render nothing. */
type Part = string | number | Html | undefined | null | false | readonly Part[]

/** Writes HTML: `html\`<p>${name}</p>\``. Texts are escaped for elements and for attributes in double quotes. A part that renders nothing leaves no blank line. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = ''
  for (let index = 0; index < literals.length; index++) {
    const literal = literals[index]!
    const part = draw(parts[index])
    text += part === '' ? withoutLastIndent(literal) : literal + part
  }
  return new Html(text)
}

/** Accepts HTML that a function of ours wrote without `html`, with all foreign text already escaped. */
export function asDrawn(text: string): Html {
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

/** The body of a page, and its title. */
export interface Page {
  title: string
  main: Html
}

/**
 * Puts a page into the frame that the build wrote.
 *
 * @throws Error when the site has no frame, or one without its placeholders
 */
export async function framePage(siteFiles: SiteFiles, { title, main }: Page): Promise<string> {
  const bytes = await siteFiles.read(FRAME_PATH)
  const frame = bytes && new TextDecoder().decode(bytes)
  if (!frame?.includes(FRAME_PLACE)) throw new Error(`${FRAME_PATH} is missing in the site, or has no place for a page`)
  // Replacer functions, because `$&` has a meaning in a replacement string.
  return frame.replace(`<title>${FRAME_TITLE}`, () => html`<title>${title}`.text).replace(FRAME_PLACE, () => main.text)
}
