// Keeps the links to chat apps up to date with the filled-in text.
import { openInAddress } from '../prompt/open-in.ts'

/** Makes the links open the text that a function returns. @returns a function to call after the text has changed */
export function keepLinks(readText: () => string): () => void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-open-in]')]
  const why = document.getElementById('open-in-why')
  const keep = () => {
    const text = readText()
    const found = links.map((link) => ({ link, ...openInAddress(link.dataset.openIn ?? '', text) }))
    for (const { link, href, isShort } of found) {
      if (isShort) {
        link.href = href
        link.removeAttribute('aria-disabled')
        link.removeAttribute('role')
      } else {
        // A link without a target cannot be followed; it keeps its role, so that its state is announced.
        link.removeAttribute('href')
        link.role = 'link'
        link.ariaDisabled = 'true'
      }
    }
    if (why) why.hidden = found.every(({ isShort }) => isShort)
  }
  // The text may have changed a moment ago.
  for (const link of links) link.addEventListener('click', keep)
  return keep
}
