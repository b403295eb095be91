// Findings in a text: secrets, hidden characters and look-alike letters.
import type { Warning } from '../api/schema.ts'

/** Something in a text that deserves a warning. */
export interface Finding {
  code: Warning['code']
  /** The field that the message is about; omitted if it is about the text in which it was found. */
  key?: string
  message: string
  /** The offset in the text, in UTF-16 code units; -1 for none. */
  offset: number
}
