// Owns reading a record out of a blob: one that was cut short or bent is no record, and the log says which.

import type * as z from 'zod'
import { logTrouble } from '../ports/log.ts'

/** Parses a record. @param key named in the log, so it must hold no secret. @returns undefined for a text that is no such record */
export function parseRecord<Schema extends z.ZodType>(key: string, text: string, schema: Schema) {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    logTrouble('error', `The record ${key} is broken and counts for nothing.`)
    return undefined
  }
}
