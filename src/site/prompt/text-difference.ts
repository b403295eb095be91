// Compares two texts line by line, and changed paragraphs word by word, regardless of their line breaks. The only importer of `diff`.
import { type Change, diffLines, diffWordsWithSpace, wordsWithSpaceDiff } from 'diff'
import { findContinued, groupLines, type Paragraph } from './paragraphs.ts'
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
  /** Whether only the line breaks around its words changed. */
  isWrapped?: boolean
  /** The paragraph that it belongs to, if the older and the newer one have different line breaks. */
  paragraph?: number
}

/** Texts with more lines are not compared, because nobody reads such long comparisons. */
const MAX_LINES = 10_000
/** Maximum number of edits between two texts; beyond that, they are shown as entirely different, because the comparison would take too long: the time grows with the square of this number. */
const MAX_EDITS = 500
/** Maximum number of edits between the words of two lines; beyond that, the words are not marked, because comparing them would take too long. */
const MAX_WORD_EDITS = 200
/** Maximum total length of lines with word marks; in later lines, no words are marked. */
const MAX_MARKED_CHARACTERS = 40_000
/** Maximum length of a line or paragraph whose words are compared. */
const MAX_LINE_CHARACTERS = 4_000
/** How many of the next paragraphs may be the newer form of one. */
const LOOKED_AHEAD = 6
/** The part of the characters that the words of both must have in common for that. Most texts of one language share a third. */
const MUCH_ALIKE = 0.6
/** Maximum total length of paragraphs that are looked at to find the newer form of others; after that, they are paired in order. */
const MAX_LOOKED_CHARACTERS = 200_000
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
  const [older, newer] = [before, after].map((text) => findContinued(splitLines(text))) as [boolean[], boolean[]]
  const looks = { left: MAX_LOOKED_CHARACTERS }
  let left = 1
  let right = 1
  for (const { same, removed, added } of listHunks(changes)) {
    for (const line of same)
      rows.push({ kind: 'same', left: left++, right: right++, pieces: [{ text: line, isChanged: false }] })
    const pairs = pairParagraphs(
      groupLines(removed, older.slice(left - 1, left - 1 + removed.length)),
      groupLines(added, newer.slice(right - 1, right - 1 + added.length)),
      looks,
    )
    for (const row of listRows(pairs, marks, rows.length)) {
      if (row.kind !== 'added') row.left = left++
      if (row.kind !== 'removed') row.right = right++
      rows.push(row)
    }
  }
  return rows
}

/** Unchanged lines, and the changed ones after them. */
interface Hunk {
  same: string[]
  removed: string[]
  added: string[]
}

/** Returns the changes as hunks. Blank lines between two changes are part of both texts of one hunk: which blank line is the same one says nothing about the paragraphs around it. */
function listHunks(changes: readonly Pick<Change, 'value' | 'removed' | 'added'>[]): Hunk[] {
  const hunks: Hunk[] = []
  for (const [index, { value, removed, added }] of changes.entries()) {
    const lines = splitLines(value)
    const last = hunks.at(-1)
    if (removed || added) {
      const hunk = last ?? { same: [], removed: [], added: [] }
      if (!last) hunks.push(hunk)
      for (const line of lines) hunk[removed ? 'removed' : 'added'].push(line)
    } else if (last && index < changes.length - 1 && value.trim() === '') {
      for (const line of lines) {
        last.removed.push(line)
        last.added.push(line)
      }
    } else hunks.push({ same: lines, removed: [], added: [] })
  }
  return hunks
}

/** A paragraph and its newer form; one of them is missing if it was added or removed. */
type Pair = [older: Paragraph | undefined, newer: Paragraph | undefined]

/** Pairs paragraphs, in order, with the most similar of the next ones if it is much alike; what is left over in between, and blank lines, by their place. */
function pairParagraphs(older: readonly Paragraph[], newer: readonly Paragraph[], looks: { left: number }): Pair[] {
  const pairs: Pair[] = []
  let [from, at] = [0, 0]
  const pairUntil = (to: number, until: number) => {
    for (; from < to || at < until; )
      pairs.push([from < to ? older[from++] : undefined, at < until ? newer[at++] : undefined])
  }
  for (const [index, paragraph] of older.entries()) {
    let best: { place: number; part: number } | undefined
    if (paragraph.text.trim() === '') continue
    for (let place = at; place < Math.min(at + LOOKED_AHEAD, newer.length); place++) {
      const other = newer[place]!
      looks.left -= paragraph.text.length + other.text.length
      if (looks.left < 0 || paragraph.text.length > MAX_LINE_CHARACTERS || other.text.length > MAX_LINE_CHARACTERS)
        break
      const part = countCommon(paragraph.text, other.text) / Math.max(paragraph.text.length, other.text.length)
      if (part >= MUCH_ALIKE && part > (best?.part ?? 0)) best = { place, part }
    }
    if (!best) continue
    pairUntil(index, best.place)
    pairUntil(index + 1, best.place + 1)
  }
  pairUntil(older.length, newer.length)
  return pairs
}

/** Returns the rows of paragraphs: removed lines, then added ones; a paragraph with other line breaks has rows of its own. */
function listRows(pairs: readonly Pair[], marks: { left: number }, first: number): DifferenceRow[] {
  const rows: DifferenceRow[] = []
  let removed: DifferenceRow[] = []
  let added: DifferenceRow[] = []
  const flush = () => {
    rows.push(...removed, ...added)
    removed = []
    added = []
  }
  for (const [older, newer] of pairs) {
    if (older && newer && isSame(older, newer)) {
      flush()
      for (const pieces of splitPieces(older, undefined)) rows.push({ kind: 'same', pieces })
      continue
    }
    const pieces = older && newer ? markWords(older.text, newer.text, marks) : undefined
    const isWrapped = pieces !== undefined && older!.parts.length + newer!.parts.length > 2
    if (isWrapped) flush()
    const paragraph = isWrapped ? first + rows.length : undefined
    const rowsOf = (kind: 'removed' | 'added', side: Paragraph | undefined, marked: Piece[] | undefined) =>
      (side ? splitPieces(side, marked) : []).map((pieces): DifferenceRow => {
        const isKept = isWrapped && pieces.every(({ text, isChanged }) => !isChanged || text.trim() === '')
        return { kind, pieces, ...(isWrapped && { paragraph, isWrapped: isKept }) } as DifferenceRow
      })
    removed.push(...rowsOf('removed', older, pieces?.[0]))
    added.push(...rowsOf('added', newer, pieces?.[1]))
    if (isWrapped) flush()
  }
  flush()
  return rows
}

const isSame = (older: Paragraph, newer: Paragraph) =>
  older.text === newer.text &&
  older.parts.every(({ indent, words, end }, index) => {
    const other = newer.parts[index]
    return other?.words === words && other.indent === indent && other.end === end
  })

/** Divides what differs in a paragraph among its lines. @param marked undefined if no words are marked */
function splitPieces({ parts }: Paragraph, marked: Piece[] | undefined): Piece[][] {
  if (!marked) return parts.map(({ indent, words, end }) => [{ text: indent + words + end, isChanged: false }])
  const left = [...marked].reverse()
  return parts.map(({ indent, words, end }, index) => {
    const pieces: Piece[] = indent === '' ? [] : [{ text: indent, isChanged: false }]
    // The space between two lines stands for the line break.
    let wanted = words.length
    const take = (isShown: boolean) => {
      while (wanted > 0) {
        const piece = left.pop()
        if (!piece) break
        const text = piece.text.slice(0, wanted)
        if (text.length < piece.text.length) left.push({ ...piece, text: piece.text.slice(wanted) })
        if (isShown) pieces.push({ ...piece, text })
        wanted -= text.length
      }
    }
    take(true)
    if (index < parts.length - 1) {
      wanted = 1
      take(false)
    }
    if (end !== '') pieces.push({ text: end, isChanged: false })
    return pieces
  })
}

/** Compares the words of two paragraphs, within what may still be marked. */
function markWords(older: string, newer: string, marks: { left: number }): [Piece[], Piece[]] | undefined {
  if (marks.left < 0) return undefined
  marks.left -= older.length + newer.length
  return compareLines(older, newer)
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
