// Owns the envelope of a list on the wire.
import type { Meta } from './schema.ts'

/** A page of records on the wire. */
export interface ListEnvelope<Record> {
  data: Record[]
  meta: Meta
}

/**
 * Makes the envelope of one page.
 *
 * @param records the records of this page alone
 * @param place `total` of all pages, `size` records a page
 */
export function listEnvelope<Record>(
  records: Record[],
  place: { page: number; size: number; total: number },
): ListEnvelope<Record> {
  return { data: records, meta: { page: place.page, pages: Math.ceil(place.total / place.size), total: place.total } }
}
