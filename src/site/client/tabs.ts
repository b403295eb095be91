// Marks the tab of the section that the reader sees.
const links = [...document.querySelectorAll<HTMLAnchorElement>('.sections a[href^="#"]')]
const heads = links.map((link) => document.getElementById(link.hash.slice(1)))
/** How far below the top of the window a section's heading counts as reached, in pixels. */
const REACHED = 160

const mark = () => {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
  const at = heads.findLastIndex((head) => head && head.getBoundingClientRect().top < REACHED)
  const current = isAtEnd && scrollY > 0 ? heads.length - 1 : Math.max(at, 0)
  for (const [index, link] of links.entries())
    if (index === current) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
}
let waiting = false
addEventListener(
  'scroll',
  () => {
    if (waiting) return
    waiting = true
    requestAnimationFrame(() => {
      waiting = false
      mark()
    })
  },
  { passive: true },
)
if (links.length > 0) mark()
