// Chooses which version of a label a caller gets, without a hub. docs/splits.md
import { PromptHubError } from './trouble.ts'

/** A second version, for a share of callers. */
export interface Split {
  version: string
  /** From 1 to 99. */
  percent: number
  salt: string
}

/** The target of a label. */
export interface LabelTarget {
  version: string
  split: Split | null
}

/** Chooses the version of a caller; without a key, the first one. @throws PromptHubError `integrity` if no SHA-256 can be computed here */
export async function chooseVersion({ version, split }: LabelTarget, key: string | undefined): Promise<string> {
  if (!split || !key) return version
  return (await numberOf(split.salt, key)) < split.percent ? split.version : version
}

/** The number of a caller, from 0 to 99. */
export async function numberOf(salt: string, key: string): Promise<number> {
  const subtle = globalThis.crypto?.subtle
  if (!subtle)
    throw new PromptHubError('integrity', 'A key needs crypto.subtle, which browsers have only on https and localhost.')
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(`${salt}\n${key}`))
  return Math.floor((new DataView(digest).getUint32(0) * 100) / 2 ** 32)
}
