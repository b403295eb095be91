// Counts what each owner has: the basis of quotas.

import { compareText } from '../text/compare-text.ts'
import type { RepositoryOutline } from './outline.ts'

/** The number of an owner's repositories, and of bytes of content in all their versions. */
export interface OwnerUsage {
  prompts: number
  bytes: number
}

/** Returns the path of the file with an owner's usage. An owner without repositories has no file. @param owner a validated handle */
export const usagePath = (owner: string) => `/data/accounts/usage/${owner}.json`

/** Counts the repositories of each owner, whether or not they are listed, sorted by owner. */
export function countUsage(outlines: Iterable<RepositoryOutline>): [owner: string, usage: OwnerUsage][] {
  const usages = new Map<string, OwnerUsage>()
  for (const { summary, bytes } of outlines) {
    const usage = usages.get(summary.owner) ?? { prompts: 0, bytes: 0 }
    usages.set(summary.owner, { prompts: usage.prompts + 1, bytes: usage.bytes + bytes })
  }
  return [...usages].sort(([a], [b]) => compareText(a, b))
}
