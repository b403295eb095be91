// Counts what each owner has.
import type { OwnerUsage } from '../domain/catalogue/usage.ts'
import { compareText } from '../domain/text/plain-text.ts'
import type { RepositoryOutline } from './outline.ts'

/** Counts the repositories of each owner, whether or not they are listed, sorted by owner. */
export function countUsage(outlines: Iterable<RepositoryOutline>): [owner: string, usage: OwnerUsage][] {
  const usages = new Map<string, OwnerUsage>()
  for (const { summary, bytes } of outlines) {
    const usage = usages.get(summary.owner) ?? { prompts: 0, bytes: 0 }
    usages.set(summary.owner, { prompts: usage.prompts + 1, bytes: usage.bytes + bytes })
  }
  return [...usages].sort(([a], [b]) => compareText(a, b))
}
