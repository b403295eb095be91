// Runs on every page: search field, theme, relative dates, menus, copy buttons, and who is signed in.
import './copy.ts'
import './session.ts'
import './suggest.ts'
import { showRelativeTime } from './relative.ts'
import './theme-choice.ts'

for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-relative]')) showRelativeTime(time)

// The browser opens menus without a script; this closes them when the reader clicks or moves focus elsewhere.
const closeMenus = (kept: EventTarget | null) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]'))
    if (!(kept instanceof Node && menu.contains(kept))) menu.open = false
}
document.addEventListener('click', ({ target }) => closeMenus(target))
document.addEventListener('focusin', ({ target }) => closeMenus(target))
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  const open = document.querySelector<HTMLDetailsElement>('details.menu[open]')
  if (!open) return
  open.open = false
  open.querySelector('summary')?.focus()
})

// Going back to a cached page aborts its transition. The page itself is fine, but without these handlers the console shows an error.
for (const name of ['pageswap', 'pagereveal'] as const)
  addEventListener(name, ({ viewTransition }) => {
    viewTransition?.ready.catch(() => {})
    viewTransition?.finished.catch(() => {})
  })
