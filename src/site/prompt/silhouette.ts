// Draws a prompt as a small sheet: a bar for each of its first lines, darker for headings, lighter for tags, amber for variables. The same text always gives the same picture, of less than 1 kB.
import { PLACEHOLDER } from '../../domain/content/placeholders.ts'

/** What a silhouette is drawn from. */
export interface DrawnText {
  /** The text, or at least its start. */
  content: string
  isSkill?: boolean
}

/** Number of characters that are read; more do not fit on the sheet. */
export const DRAWN_CHARACTERS = 4_000
const MAX_ROWS = 12
/** Maximum number of bars, so that a text of nothing but variables stays small. */
const MAX_BARS = 44
/** Characters in a row, and the width of one in the picture's units. */
const COLUMNS = 64
const UNIT = 0.52
/** Width of the indentation of what a person says in a chat. */
const TURN = 7
const ROLE_LINE = /^[ \t]*\{\{role "(system|user|assistant)"\}\}[ \t]*$/

/** The kinds of bar, which are the classes of their paths: text, headings, tags, and variables. */
type Kind = 't' | 'h' | 'g' | 'v'

/** Returns the parts of an SVG with `viewBox="0 0 46 58"`. */
export function drawSilhouette({ content, isSkill = false }: DrawnText): string {
  const [left, top] = isSkill ? [0, 4] : [0, 0]
  const sheet = (x: number, y: number, width: number, height: number) =>
    `<rect x="${x + 0.5}" y="${y + 0.5}" width="${width - 1}" height="${height - 1}" rx="4"/>`
  // A skill has files beside its text, so another sheet is behind it.
  const sheets = isSkill ? sheet(4, 0, 42, 54) + sheet(0, 4, 42, 54) : sheet(0, 0, 46, 58)
  const paths: Record<Kind, string> = { t: '', h: '', g: '', v: '' }
  for (const { kind, x, y, width } of listBars(content)) paths[kind] += `M${left + 6 + x} ${top + 8 + y}h${width}`
  const drawn = Object.entries(paths).filter(([, path]) => path !== '')
  return sheets + drawn.map(([kind, path]) => `<path class="${kind}" d="${path}"/>`).join('')
}

interface Bar {
  kind: Kind
  x: number
  y: number
  width: number
}

function listBars(content: string): Bar[] {
  const bars: Bar[] = []
  let [y, rows, turn] = [0, 0, 0]
  const add = (kind: Kind, from: number, to: number) => {
    const x = turn + Math.round(from * UNIT)
    if (bars.length < MAX_BARS) bars.push({ kind, x, y, width: Math.max(1, Math.round((to - from) * UNIT) - 1) })
  }
  for (const line of content.slice(0, DRAWN_CHARACTERS).trimStart().split('\n')) {
    if (rows >= MAX_ROWS || y > 42) break
    const role = ROLE_LINE.exec(line)?.[1]
    if (role !== undefined) {
      turn = role === 'user' ? TURN : 0
      if (rows > 0) y += 2
      continue
    }
    const text = line.trimEnd()
    if (text === '') {
      y += 2
      continue
    }
    const columns = COLUMNS - turn / UNIT
    const kind = kindOf(text)
    const marks = [...text.matchAll(PLACEHOLDER)].map(({ index, 0: { length } }) => [index, index + length] as const)
    for (let start = text.search(/\S/); start < text.length && rows < MAX_ROWS && y <= 42; start += columns) {
      const end = Math.min(start + columns, text.length)
      // Only the first row of a paragraph is indented.
      const base = start < columns ? 0 : start
      let at = start
      for (const [from, to] of marks) {
        if (to <= start || from >= end) continue
        if (from > at) add(kind, at - base, from - base)
        add('v', Math.max(from, start) - base, Math.min(to, end) - base)
        at = to
      }
      if (at < end) add(kind, at - base, end - base)
      rows++
      y += 4
    }
  }
  return bars
}

function kindOf(line: string): Kind {
  if (/^#{1,6} /.test(line)) return 'h'
  return /^\s*<\/?[\w-]+>$/.test(line) ? 'g' : 't'
}
