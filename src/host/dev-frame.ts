// Builds the account pages' frame in `astro dev` from the dev server's own page.
import type { Bytes } from '../ports/site-files.ts'

/** Vite inlines style sheets, which the account pages' content security policy blocks; at this URL it serves them as files. */
const STYLES = '<link rel="stylesheet" href="/src/site/styles.css?direct">'

/** Reads the frame from the dev server. @returns undefined if the server has no address yet, or no such page */
export async function readDevFrame(address: string | undefined): Promise<Bytes | undefined> {
  if (address === undefined) return undefined
  const answer = await fetch(new URL('assets/account-frame', address))
  if (!answer.ok) return undefined
  const page = (await answer.text())
    .replace(/<style[^>]*>[\s\S]*?<\/style>/, STYLES)
    .replaceAll(/<style[^>]*>[\s\S]*?<\/style>/g, '')
  return new TextEncoder().encode(page)
}
