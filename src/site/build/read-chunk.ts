// Owns reading some repositories of a content folder, in any thread, as rows for the cache.
import type { Usage } from '../../domain/content/front-matter.ts'
import { formatParsed, type UnitRow } from '../../stores/content-cache.ts'
import type { ListedFile } from '../../stores/content-listing.ts'
import { readSound } from '../../stores/sound-repository.ts'
import { outlinesBelow } from './load-catalogue.ts'

/** What reading needs beside the files. */
export interface ChunkGiven {
  contentDir: string
  /** The hub's own address, without a final slash. */
  baseUrl: string
  /** Counts of downloads, by full name. */
  usage: ReadonlyMap<string, Usage[string]>
}

/** Repositories by their full names, with their files. */
export type Chunk = [fullName: string, files: ListedFile[]][]

/** Reads a chunk. @returns what is to be kept; nothing of a repository that must be seen beside others, or with which something is wrong */
export function readChunk(chunk: Chunk, { contentDir, baseUrl, usage }: ChunkGiven): UnitRow[] {
  const outlines = outlinesBelow(baseUrl)
  return chunk.flatMap(([fullName, files]) => {
    const read = readSound(contentDir, fullName, files, outlines, usage)
    if (!read) return []
    const { unit, parsed } = read
    const { name, lines, settled } = unit
    return [{ name, lines, settled: JSON.stringify(settled), parsed: [...formatParsed(parsed)] }]
  })
}
