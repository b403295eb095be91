// Owns measuring a content: its digest and its length, which only its bytes can tell.
import { hash } from 'node:crypto'
import type { Measure } from '../domain/publishing/request.ts'

/** Measures a content's bytes of UTF-8. */
export const measure: Measure = (content) => ({
  content_sha256: hash('sha256', content),
  size_bytes: Buffer.byteLength(content),
})
