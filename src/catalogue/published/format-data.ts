// Formats the text of data files.
import { listEnvelope, onlyPage } from '../../domain/api/envelope.ts'
import type { Difference, RepositorySummary } from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import { countBytes } from '../../domain/text/plain-text.ts'
import { oncePer } from '../remember.ts'

/** Formats a single record. */
export const formatRecord = (record: object) => JSON.stringify({ data: record })

/** Formats the envelope of a single-page list. */
export function onOnePage<Record extends object>(
  records: readonly Record[],
  format: (record: Record) => string = JSON.stringify,
): string {
  return formatEnvelope(records, { page: 1, size: Math.max(1, records.length), total: records.length }, format)
}

/** Formats a summary. Its text is generated only once, because it appears in up to thirty lists of a catalogue and again in the next catalogue. */
export const formatSummary = oncePer((summary: RepositorySummary) => JSON.stringify(summary))

/** Formats a page of a list. */
export function formatEnvelope<Record extends object>(
  records: readonly Record[],
  place: { page: number; size: number; total: number },
  format: (record: Record) => string,
): string {
  const { meta } = listEnvelope([], place)
  // Joined once, because a build makes thousands of long lists.
  const texts = records.map((record) => format(record))
  texts[0] = `{"data":[${texts[0] ?? ''}`
  texts.push(`${texts.pop()}],"meta":${JSON.stringify(meta)}}`)
  return texts.join(',')
}

/** Formats the changes between neighbouring versions: the newest up to a size, because each can name everything in two versions. At least one is always there. @param changes newest first; no more are taken than fit @param versions the number of versions */
export function formatChanges(changes: Iterable<Difference>, versions: number): string {
  const texts: string[] = []
  let left: number = LIMITS.changesBytes
  for (const change of changes) {
    const text = JSON.stringify(change)
    left -= countBytes(text)
    if (left < 0 && texts.length > 0) break
    texts.push(text)
  }
  const { meta } = onlyPage([], Math.max(0, versions - 1))
  return `{"data":[${texts.join(',')}],"meta":${JSON.stringify(meta)}}`
}
