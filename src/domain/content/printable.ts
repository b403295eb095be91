// Owns how a text from outside is repeated in a message: short, and without characters that draw.

const MOST_UNITS = 80

/** Names from outside are echoed short and without control or format characters, so that a message cannot draw on a terminal. */
export function printable(text: string): string {
  // Twice as many units as are kept: no more is looked at, however long the text.
  const clean = text.slice(0, 2 * MOST_UNITS + 1).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?')
  return clean.length > MOST_UNITS ? `${clean.slice(0, MOST_UNITS).replace(/\p{Cs}$/u, '')}…` : clean
}
