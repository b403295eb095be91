// Measures a text: digest and length of its bytes. `domain` gets these functions as arguments, because it does not import Node.
import { hash } from 'node:crypto'
import type { Digest } from '../domain/catalogue/data-files.ts'
import type { Measure } from '../domain/publishing/request.ts'

/** The SHA-256 of a text's bytes. */
export const digestText: Digest = (text) => hash('sha256', text)

/** Measures a content's bytes of UTF-8. */
export const measure: Measure = (content) => ({
  content_sha256: digestText(content),
  size_bytes: Buffer.byteLength(content),
})
