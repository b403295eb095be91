// Makes external text safe for messages and terminals. Apart from problems.ts, so that the scripts of prompt pages load no more than this.

const MAX_UNITS = 80

/** Replaces control and format characters of an external text with `?`, so that it cannot command a terminal. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?')
}

/** Shortens an external text and replaces control and format characters with `?`. */
export function printable(text: string): string {
  // Reads only twice as many code units as are kept, however long the string is.
  const clean = withoutControls(text.slice(0, 2 * MAX_UNITS + 1))
  return clean.length > MAX_UNITS ? `${clean.slice(0, MAX_UNITS).replace(/\p{Cs}$/u, '')}…` : clean
}
