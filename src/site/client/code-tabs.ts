// Remembers which tab of code a reader chose, and shows it in every guide that has it.
const KEY = 'code-tabs'
const MAX_NAMES = 10

/** The chosen names, the newest first. A browser may forbid storage; then, the choice holds for the page. */
let chosen: string[] = []
try {
  const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
  if (Array.isArray(stored)) chosen = stored.filter((name) => typeof name === 'string')
} catch {}

const show = () => {
  for (const row of document.querySelectorAll('.code-tabs')) {
    const radios = [...row.querySelectorAll<HTMLInputElement>(':scope > input')]
    const name = chosen.find((name) => radios.some(({ value }) => value === name))
    for (const radio of radios) if (radio.value === name) radio.checked = true
  }
}

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement && target.closest('.code-tabs'))) return
  chosen = [target.value, ...chosen.filter((name) => name !== target.value)].slice(0, MAX_NAMES)
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen))
  } catch {}
  // Code above may become longer or shorter; what the reader chose stays where it is.
  const { top } = target.getBoundingClientRect()
  show()
  scrollBy(0, target.getBoundingClientRect().top - top)
})
show()
