// Owns writing HTML in a function: everything is escaped unless it was written here, and the site's frame goes around it.
import { FRAME_PATH, FRAME_PLACE, FRAME_TITLE } from '../../domain/api/account-frame.ts'
import type { SiteFiles } from '../../ports/site-files.ts'

/** HTML that is safe to send as it is; only `html` makes it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand between the braces of `html`; nothing is drawn of undefined. */
type Part = string | number | Html | undefined | readonly Part[]

/** Writes HTML: `html\`<p>${name}</p>\``. Texts are escaped for elements and for attributes in double quotes. A part that draws nothing leaves no line of spaces. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const drawn = literals.map((literal, index) => {
    const part = draw(parts[index])
    return part === '' ? literal.replace(/\n +$/, '') : literal + part
  })
  return new Html(drawn.join(''))
}

function draw(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(draw).join('') : escapeHtml(String(part))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}

/** A page's own part, and its title. */
export interface Page {
  title: string
  main: Html
}

/**
 * Puts a page into the frame that the build wrote.
 *
 * @throws Error when the site has no frame, or one without its places
 */
export async function framePage(siteFiles: SiteFiles, { title, main }: Page): Promise<string> {
  const bytes = await siteFiles.read(FRAME_PATH)
  const frame = bytes && new TextDecoder().decode(bytes)
  if (!frame?.includes(FRAME_PLACE)) throw new Error(`${FRAME_PATH} is missing in the site, or has no place for a page`)
  // Replaced by functions, because in a replacement text `$&` would have a meaning.
  return frame.replace(`<title>${FRAME_TITLE}`, () => html`<title>${title}`.text).replace(FRAME_PLACE, () => main.text)
}
