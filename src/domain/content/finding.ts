// The findings of a text: secrets, hidden characters and look-alike letters.
import type { Warning } from '../api/schema.ts'

/** Something in a text that deserves a warning. */
export interface Finding {
  code: Warning['code']
  message: string
  /** Start, in UTF-16 units from the start of the text. */
  offset: number
}
