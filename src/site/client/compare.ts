// Moves between the changes of a comparison with the keys n and p.
const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input:not([type=radio]), select, textarea, [contenteditable]') !== null

let at = -1
document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event
  if ((key !== 'n' && key !== 'p') || ctrlKey || metaKey || altKey || isTyping(event.target)) return
  const changes = [...document.querySelectorAll<HTMLElement>('.change:not(.wrapped)')].filter((one) => one.offsetParent)
  // The reader may have gone on by another way.
  const focused = changes.indexOf(document.activeElement as HTMLElement)
  at = Math.min(Math.max((focused < 0 ? at : focused) + (key === 'n' ? 1 : -1), 0), changes.length - 1)
  const change = changes[at]
  if (!change) return
  change.tabIndex = -1
  change.focus({ preventScroll: true })
  change.scrollIntoView({ block: 'center' })
})
