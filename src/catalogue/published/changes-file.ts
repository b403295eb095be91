// Formats the file with the changes between the versions of a repository.
import { onlyPage } from '../../domain/api/envelope.ts'
import type { Difference } from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import { countBytes } from '../../domain/text/text-length.ts'

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
