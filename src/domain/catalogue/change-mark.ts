// What the commit of a change says about it besides its author: who sent it, why, and that it is a return to an earlier version.

/** The facts of a change that `index.md` does not have. */
export interface ChangeMark {
  /** The name of the token that sent it. */
  by_token: string | null
  /** The CI workflow that sent it. */
  by_workflow: string | null
  reason: string | null
  /** Whether it moved a label back to a version that it had before. */
  isRestored: boolean
}

const TRAILERS = { by_token: 'Changed-With', by_workflow: 'Changed-In', reason: 'Reason' } as const
const RESTORED = 'Restored'
/** What would end a line of the message for some reader. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
/** Maximum length of each in the activity; a commit that the hub did not make may say anything. */
const MAX_CHARACTERS = 500

/** Returns the trailers of a commit that makes a change. */
export function listTrailers(mark: ChangeMark): [name: string, value: string][] {
  const said = Object.entries(TRAILERS).flatMap(([key, name]): [string, string][] => {
    const value = mark[key as keyof typeof TRAILERS]?.replace(BREAKS, ' ').trim()
    return value ? [[name, value]] : []
  })
  return mark.isRestored ? [...said, [RESTORED, 'true']] : said
}

/** Reads what the trailers of a commit say. */
export function readMark(trailers: ReadonlyMap<string, string>): ChangeMark {
  const read = (key: keyof typeof TRAILERS) =>
    trailers.get(TRAILERS[key])?.replace(BREAKS, ' ').slice(0, MAX_CHARACTERS) || null
  return {
    by_token: read('by_token'),
    by_workflow: read('by_workflow'),
    reason: read('reason'),
    isRestored: trailers.get(RESTORED) === 'true',
  }
}
