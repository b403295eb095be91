// Formats dates for people, in the build, in functions and in the browser.

/** Created once, because creating a formatter takes far longer than using it. UTC, because a static page does not know its reader's time zone. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A cache of dates, because the same few thousand appear on a hundred thousand pages. */
const known = new Map<string, string>()
const MAX_KNOWN = 10_000
/** A time whose UTC date is its first ten characters. */
const PLAIN_MOMENT = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/

/** Formats a time as a date in UTC, such as "20 Nov 2026". @param moment ISO 8601 */
export function formatDay(moment: string): string {
  const [, day] = PLAIN_MOMENT.exec(moment) ?? []
  if (day === undefined) return DAY.format(new Date(moment))
  const before = known.get(day)
  if (before !== undefined) return before
  const words = DAY.format(new Date(moment))
  if (known.size < MAX_KNOWN) known.set(day, words)
  return words
}
