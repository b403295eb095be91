// Prints results on standard output, and everything else on standard error, so that neither can control a terminal.

/** One line of text: control characters and line breaks become spaces, and invisible characters, such as bidi marks, are removed, except those that join emoji. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/(?!\u200d)\p{Cf}/gu, '')
}

/** Prints a message on standard error. */
export function complain(sentence: string): void {
  process.stderr.write(`prompt-hub: ${clean(sentence)}\n`)
}

/** Prints a message only for a person. */
export function note(sentence: string): void {
  if (process.stderr.isTTY) complain(sentence)
}

/** Prints a line of the result. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a value as JSON. */
export function sayJson(value: unknown): void {
  say(JSON.stringify(value, null, 2))
}

/** Ends the process when the reader of a pipe has closed it, as `head` does. */
export function endWithReader(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') complain('cannot write to standard output')
    process.exit(code === 'EPIPE' ? 141 : 1)
  })
}
