// Writes a version in another tool's format.
import { toExported, WRITERS } from '../../packages/prompt-formats/source/formats.ts'
import { allowInThreads } from '../concurrency/long-work.ts'
import type { ExportFormat, WriteResult } from '../domain/api/export-formats.ts'
import type { Repository, VersionRecord } from '../domain/api/schema.ts'

/** Writes a version in a format. */
export function exportVersion(format: ExportFormat, repository: Repository, record: VersionRecord): WriteResult {
  return WRITERS[format](toExported(repository, record, repository))
}

allowInThreads(import.meta.url, { exportVersion })
