// What a check of one text finds: secrets, hidden characters and look-alike letters all answer in this shape.
import type { Warning } from '../api/schema.ts'

/** Something in a text that is worth a second look. */
export interface Finding {
  code: Warning['code']
  message: string
  /** Where it begins, in UTF-16 units from the start of the text. */
  offset: number
}
