// Formats dates for people, in the build, in functions and in the browser.

/** Made once: making one costs far more than using it. UTC, because a static page does not know where its reader is. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** What the days of a catalogue are called: the same few thousand come again on a hundred thousand pages. */
const known = new Map<string, string>()
const MAX_KNOWN = 10_000
/** A moment whose day in UTC is the one that it begins with. */
const PLAIN_MOMENT = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/

/** A moment as a day in UTC, such as "20 Nov 2026". @param moment ISO 8601 */
export function formatDay(moment: string): string {
  const [, day] = PLAIN_MOMENT.exec(moment) ?? []
  if (day === undefined) return DAY.format(new Date(moment))
  const before = known.get(day)
  if (before !== undefined) return before
  const words = DAY.format(new Date(moment))
  if (known.size < MAX_KNOWN) known.set(day, words)
  return words
}
