// Owns how a text from outside is repeated in a message: short, and without characters that draw.

/** Names from outside are echoed short and without control or format characters, so that a message cannot draw on a terminal. */
export function printable(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?')
  return clean.length > 80 ? `${clean.slice(0, 80).replace(/\p{Cs}$/u, '')}…` : clean
}
