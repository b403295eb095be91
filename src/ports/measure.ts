// Measures a text: digest and length in bytes. Passed to `domain` as functions, because it does not import Node.
import { hash } from 'node:crypto'
import type { Digest } from '../domain/catalogue/data-files.ts'
import type { Measure } from '../domain/publishing/request.ts'

/** The SHA-256 of a text's bytes. */
export const digestText: Digest = (text) => hash('sha256', text)

/** Measures a content's UTF-8 bytes. */
export const measure: Measure = (content) => ({
  content_sha256: digestText(content),
  size_bytes: Buffer.byteLength(content),
})
