// Formats dates for people, in the build, in functions and in the browser.

/** Created once, because creating a formatter takes far longer than using it. UTC, because a static page does not know its reader's time zone. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Formats a time as a date in UTC, such as "20 Nov 2026". @param moment ISO 8601 */
export function formatDay(moment: string): string {
  return DAY.format(new Date(moment))
}
