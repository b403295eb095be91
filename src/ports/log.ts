// Owns the one form in which trouble is logged: one line of JSON, so that a line end in a value cannot start a false line.

/**
 * Logs one line to standard error.
 *
 * @param message a sentence of ours; what came from outside belongs into `details`
 * @param cause what was thrown, if anything was
 */
export function logTrouble(
  level: 'warning' | 'error',
  message: string,
  { cause, ...details }: Record<string, unknown> = {},
): void {
  console.error(JSON.stringify({ level, message, ...details, ...describeCause(cause) }))
}

function describeCause(cause: unknown): { cause?: string; stack?: string } {
  if (cause === undefined) return {}
  return cause instanceof Error ? { cause: cause.message, stack: cause.stack } : { cause: String(cause) }
}
