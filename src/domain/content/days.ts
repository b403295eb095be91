// Owns how a moment is written for people, in the build, in functions and in the browser alike.

/** Made once: making one costs far more than using it. UTC, because a static page does not know where its reader is. */
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A moment as a day in UTC, such as "20 Nov 2026". @param moment ISO 8601 */
export function formatDay(moment: string): string {
  return DAY.format(new Date(moment))
}
