// The ranges and labels that an include line may have. This file imports no schemas, so that pages load none.
import { LIMITS } from '../limits.ts'
import { TAG_PATTERN } from './names.ts'

const N = '(?:0|[1-9][0-9]{0,5})'
const W = '[xX*]'
/** The ranges that clients understand. docs/lock-file.md */
const RANGE_PATTERN = new RegExp(
  `^[\\^~]?(?:${N}(?:\\.${N}(?:\\.(?:${N}|${W}))?|(?:\\.${W}){1,2})?|${W}(?:\\.${W}){0,2})$`,
)
/** What may follow `@` in an include line. */
export const RANGE_OR_LABEL = new RegExp(`${RANGE_PATTERN.source}|${TAG_PATTERN.source}`)

/** What follows `@` in an include line: a range that clients understand, which may be a version, or a label. */
type ReferenceKind = 'range' | 'label'

/** Tells a range from a label, as clients do. @returns undefined for what is neither */
export function kindOfRange(text: string): ReferenceKind | undefined {
  if (text.length > LIMITS.tagCharacters || text === 'latest') return undefined
  if (RANGE_PATTERN.test(text)) return 'range'
  return TAG_PATTERN.test(text) ? 'label' : undefined
}
