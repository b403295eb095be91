// Measures a string: digest and length in bytes. These functions are passed to `domain`, which does not import Node.
import { hash } from 'node:crypto'
import type { Digest } from '../domain/published/data-files.ts'
import type { Measure } from '../domain/publishing/request.ts'

/** Computes the SHA-256 of a string's UTF-8 bytes. */
export const digestText: Digest = (text) => hash('sha256', text)

/** Measures the UTF-8 bytes of a prompt's content. */
export const measure: Measure = (content) => ({
  content_sha256: digestText(content),
  size_bytes: Buffer.byteLength(content),
})
