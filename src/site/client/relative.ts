// Shows dates relative to the reader's clock.

const WORDS = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const DAY_MS = 86_400_000
const UNITS = [
  ['year', 365],
  ['month', 30],
  ['week', 7],
  ['day', 1],
] as const

/** Shows a time relative to now, with the date as its tooltip. */
export function showRelativeTime(time: HTMLTimeElement): void {
  const days = Math.floor((Date.now() - Date.parse(time.dateTime)) / DAY_MS)
  // If the reader's clock is behind, the date is left unchanged.
  if (Number.isNaN(days) || days < 0) return
  const [unit, length] = UNITS.find(([, length]) => days >= length) ?? (['day', 1] as const)
  time.title = time.textContent
  time.textContent = WORDS.format(-Math.floor(days / length), unit)
  time.removeAttribute('data-relative')
}
