// What the commit of a change says about it besides its author: who sent it, why, and of which prompts it moved a label back to an earlier version.

/** The facts of a change that `index.md` does not have. */
export interface ChangeMark {
  /** The name of the token that sent it. */
  by_token: string | null
  /** The CI workflow that sent it. */
  by_workflow: string | null
  reason: string | null
  /** The names of the prompts whose label it moved back to a version that it had before. */
  restored: readonly string[]
}

const TRAILERS = { by_token: 'Changed-With', by_workflow: 'Changed-In', reason: 'Reason' } as const
const RESTORED = 'Restored'
const BETWEEN = ', '
/** Longer than the names of all prompts that one commit may change. */
const MAX_NAMES_CHARACTERS = 5_000
/** What would end a line of the message for some reader. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
/** Maximum length of each in the activity; a commit that the hub did not make may say anything. */
const MAX_CHARACTERS = 500

/** Returns the trailers of a commit that makes a change. */
export function listTrailers(mark: ChangeMark): [name: string, value: string][] {
  const said: [name: string, value: string][] = []
  for (const [key, name] of Object.entries(TRAILERS)) {
    const value = mark[key as keyof typeof TRAILERS]?.replace(BREAKS, ' ').trim()
    if (value) said.push([name, value])
  }
  if (mark.restored.length > 0) said.push([RESTORED, mark.restored.join(BETWEEN)])
  return said
}

/** Reads what the trailers of a commit say. */
export function readMark(trailers: ReadonlyMap<string, string>): ChangeMark {
  const read = (key: keyof typeof TRAILERS) =>
    trailers.get(TRAILERS[key])?.replace(BREAKS, ' ').slice(0, MAX_CHARACTERS) || null
  return {
    by_token: read('by_token'),
    by_workflow: read('by_workflow'),
    reason: read('reason'),
    restored: trailers.get(RESTORED)?.slice(0, MAX_NAMES_CHARACTERS).split(BETWEEN) ?? [],
  }
}

/** Returns what a commit says of one prompt. */
export function markFor({ restored, ...mark }: ChangeMark, name: string) {
  return { ...mark, isRestored: restored.includes(name) }
}
