// Owns the picture of an owner: their own from GitHub, the one other site whose pictures the site's policy allows, else a monogram.
import { type Html, html } from '../../server/account/html.ts'
import { drawMonogram } from '../../server/pages/rows.ts'

/** Draws it. @param avatar the address of their picture, or null */
export function drawOwnerPicture(handle: string, avatar: string | null, { isLarge = false } = {}): Html {
  const more = isLarge ? ' large' : ''
  if (!avatar?.startsWith('https://avatars.githubusercontent.com/')) return drawMonogram(handle, more)
  const size = isLarge ? 56 : 32
  return html`<img class="monogram${more}" src="${avatar}" alt="" width="${size}" height="${size}" loading="lazy" referrerpolicy="no-referrer">`
}
