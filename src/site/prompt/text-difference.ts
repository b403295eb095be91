// Compares two texts line by line, and word by word in changed lines. The only importer of `diff`.
import { diffLines, diffWordsWithSpace, wordsWithSpaceDiff } from 'diff'
import { splitLines } from './prompt-text.ts'

/** A part of a line, and whether it differs. */
export interface Piece {
  text: string
  isChanged: boolean
}

/** A line of the older text, of the newer text, or of both; `left` and `right` are its 1-based line numbers. */
export interface DifferenceRow {
  kind: 'same' | 'removed' | 'added'
  left?: number
  right?: number
  pieces: Piece[]
}

/** Texts with more lines are not compared, because nobody reads such long comparisons. */
const MAX_LINES = 10_000
/** Maximum number of edits between two texts; beyond that, they are shown as entirely different, because the comparison would take too long: the time grows with the square of this number. */
const MAX_EDITS = 500
/** Maximum number of edits between the words of two lines; beyond that, the words are not marked, because comparing them would take too long. */
const MAX_WORD_EDITS = 200
/** Maximum total length of lines with word marks; in later lines, no words are marked. */
const MAX_MARKED_CHARACTERS = 40_000
/** Maximum length of a line whose words are compared. */
const MAX_LINE_CHARACTERS = 2_000
/** Differing words are marked only if at least one in this many of the line's characters is unchanged. */
const SHARED_PART = 3

/** Returns whether two texts are short enough to be compared. */
export function isComparable(before: string, after: string): boolean {
  return [before, after].every((text) => text.split('\n', MAX_LINES + 2).length <= MAX_LINES + 1)
}

/** How much may be compared: the number of edits, and the total length of lines with word marks, which is decremented. */
interface Effort {
  edits: number
  marks: { left: number }
}

/** The effort for two texts. */
const usualEffort = (): Effort => ({ edits: MAX_EDITS, marks: { left: MAX_MARKED_CHARACTERS } })

/** Maximum number of edits between two of several texts, and of all texts together. */
const MAX_EDITS_OF_MANY = { each: 250, all: 1_000 }

/** Compares several pairs of texts, in order, with about the effort for one. @returns the rows of each pair; undefined for one that is too long, and for those after too many edits */
export function compareManyTexts(pairs: readonly (readonly [before: string, after: string])[]) {
  const { marks } = usualEffort()
  let left = MAX_EDITS_OF_MANY.all
  return pairs.map(([before, after]) => {
    if (left <= 0 || !isComparable(before, after)) return undefined
    const rows = compareTexts(before, after, { edits: MAX_EDITS_OF_MANY.each, marks })
    left -= Math.min(MAX_EDITS_OF_MANY.each, rows.filter(({ kind }) => kind !== 'same').length)
    return rows
  })
}

/** Compares two texts line by line; call `isComparable` first. The same texts produce the same rows on the server and in the browser. */
export function compareTexts(before: string, after: string, { edits, marks } = usualEffort()): DifferenceRow[] {
  const changes = diffLines(before, after, { maxEditLength: edits }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ]
  const rows: DifferenceRow[] = []
  let left = 1
  let right = 1
  const mark = (line: string, other: string) => {
    if (marks.left < 0) return undefined
    marks.left -= line.length + other.length
    return compareLines(line, other)
  }
  for (let index = 0; index < changes.length; index++) {
    const { value, removed, added } = changes[index]!
    if (!removed && !added) {
      for (const line of splitLines(value))
        rows.push({ kind: 'same', left: left++, right: right++, pieces: [{ text: line, isChanged: false }] })
      continue
    }
    const next = changes[index + 1]
    const isPair = removed && next?.added === true
    const removedLines = removed ? splitLines(value) : []
    const addedLines = isPair ? splitLines(next.value) : added ? splitLines(value) : []
    if (isPair) index++
    const pairs = removedLines.map((line, place) =>
      place < addedLines.length ? mark(line, addedLines[place]!) : undefined,
    )
    for (const [place, line] of removedLines.entries())
      rows.push({ kind: 'removed', left: left++, pieces: pairs[place]?.[0] ?? [{ text: line, isChanged: false }] })
    for (const [place, line] of addedLines.entries())
      rows.push({ kind: 'added', right: right++, pieces: pairs[place]?.[1] ?? [{ text: line, isChanged: false }] })
  }
  return rows
}

/** Compares two lines word by word. @returns undefined if the lines have so little in common that marks would only be confusing */
function compareLines(before: string, after: string): [Piece[], Piece[]] | undefined {
  if (before.length > MAX_LINE_CHARACTERS || after.length > MAX_LINE_CHARACTERS) return undefined
  const least = Math.max(before.trim().length, after.trim().length) / SHARED_PART
  // Counting common words is far cheaper than comparing the lines, and gives an upper bound for the number of common characters.
  if (countCommon(before, after) < least) return undefined
  const words = diffWordsWithSpace(before, after, { maxEditLength: MAX_WORD_EDITS })
  if (!words) return undefined
  const shared = words.reduce((sum, { value, added, removed }) => sum + (added || removed ? 0 : value.trim().length), 0)
  if (shared < least) return undefined
  const side = (skipped: 'added' | 'removed') =>
    words
      .filter((word) => !word[skipped])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }))
  return [side('added'), side('removed')]
}

/** Returns an upper bound for the number of characters that two lines have in common: the total length of their common words, in any order. */
function countCommon(before: string, after: string): number {
  const left = new Map<string, number>()
  for (const word of wordsWithSpaceDiff.tokenize(before)) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of wordsWithSpaceDiff.tokenize(after)) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    left.set(word, count - 1)
    common += word.length
  }
  return common
}
