// Filters the menu of versions by number, label or date. Enter opens the first that is left, or the version with the number that was typed.
const menu = document.querySelector<HTMLDetailsElement>('.version-menu')
const field = menu?.querySelector('input')
const links = [...(menu?.querySelectorAll<HTMLAnchorElement>('a[href^="/"]') ?? [])]

field?.addEventListener('input', () => {
  const sought = field.value.trim().toLowerCase()
  for (const link of links) link.hidden = !link.textContent.toLowerCase().includes(sought)
})
field?.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return
  event.preventDefault()
  const sought = field.value.trim()
  const first = links.find((link) => !link.hidden)
  if (sought !== '' && first) first.click()
  else if (/^\d+\.\d+\.\d+$/.test(sought)) location.assign(`/${menu?.dataset.versions}/v/${sought}`)
})
const focus = () => menu?.open && field?.focus()
menu?.addEventListener('toggle', focus)
focus()

// A module, so that a page can import it.
export {}
