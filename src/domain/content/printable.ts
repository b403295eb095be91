// Owns how a text from outside is repeated in a message: short, and without characters that would move the cursor or colour a terminal.

const MOST_UNITS = 80

/** Cuts a text from outside to a short one and replaces control and format characters with `?`. */
export function printable(text: string): string {
  // Twice as many units as are kept: no more is looked at, however long the text.
  const clean = text.slice(0, 2 * MOST_UNITS + 1).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?')
  return clean.length > MOST_UNITS ? `${clean.slice(0, MOST_UNITS).replace(/\p{Cs}$/u, '')}…` : clean
}
