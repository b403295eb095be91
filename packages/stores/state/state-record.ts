// Reads a record from the state store. An invalid record counts as missing, and its key is logged.

import type * as z from 'zod'

/** Parses a record. @param key named in the log, so it must not contain a secret. @returns undefined for an invalid record */
export async function parseRecord<Schema extends z.ZodType>(
  key: string,
  text: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    const { logProblem } = await import('../../../src/ports/log.ts')
    logProblem('error', `The record ${key} is corrupt and was ignored.`)
    return undefined
  }
}
