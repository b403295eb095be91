// Findings in a text: secrets, hidden characters and look-alike letters.
import type { Warning } from '../api/schema.ts'

/** Something in a text that deserves a warning. */
export interface Finding {
  code: Warning['code']
  message: string
  /** The offset in the text, in UTF-16 code units. */
  offset: number
}
