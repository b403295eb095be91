// Builds the frame of the account pages in `astro dev`, from a page that the dev server renders.
import type { Bytes } from '../ports/site-files.ts'

/** Vite inlines style sheets, which the account pages' content security policy blocks. At this URL, it serves the style sheet as a file. */
const STYLES = '<link rel="stylesheet" href="/src/site/styles.css?direct">'

/** Reads the frame from the dev server. @returns undefined if the server is not listening yet or does not have the page */
export async function readDevFrame(address: string | undefined): Promise<Bytes | undefined> {
  if (address === undefined) return undefined
  const answer = await fetch(new URL('assets/account-frame', address))
  if (!answer.ok) return undefined
  const page = (await answer.text())
    .replace(/<style[^>]*>[\s\S]*?<\/style>/, STYLES)
    .replaceAll(/<style[^>]*>[\s\S]*?<\/style>/g, '')
  return new TextEncoder().encode(page)
}
