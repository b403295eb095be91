// Finds which lines of a text belong to one paragraph, so that paragraphs can be compared regardless of their line breaks. Linear in the text.

/** The line breaks of a paragraph count as one space; so does the indentation with which a list item goes on. */
const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/
/** Lines that begin something of their own: headings, tags and role lines alone, tables, quotes, rules and fences. */
const OWN_LINE = /^[ \t]*(?:#{1,6} |[|>`~=]|-{3,}|<\/?[\w-]+>[ \t]*$|\{\{[^{}]*\}\}[ \t]*$)/
const FENCE = /^[ \t]*(?:```|~~~)/
/** Two spaces or a backslash at the end of a line are a line break that Markdown keeps. */
const KEPT_BREAK = /(?: {2}|\\)$/

/** A line with what precedes and follows its words. */
interface Part {
  /** Without the indentation, and without spaces before a line break that does not count. */
  words: string
  indent: string
  end: string
}

/** Consecutive lines that are one paragraph, or a line alone. */
export interface Paragraph {
  parts: Part[]
  /** Its words on one line. */
  text: string
}

/** Returns for each line whether it continues the paragraph of the line before. @param lines with their line breaks */
export function findContinued(lines: readonly string[]): boolean[] {
  let isFenced = false
  // The column at which the present paragraph goes on; undefined if no line can continue it.
  let column: number | undefined
  return lines.map((line) => {
    const text = line.replace(/\r?\n$/, '')
    if (FENCE.test(text)) {
      isFenced = !isFenced
      column = undefined
      return false
    }
    const item = LIST_ITEM.exec(text)
    const isOwn = isFenced || text.trim() === '' || OWN_LINE.test(text)
    const indent = text.length - text.trimStart().length
    const isContinued = !isOwn && !item && column === indent
    column = isOwn || KEPT_BREAK.test(text) ? undefined : item ? item[0].length : isContinued ? column : indent
    return isContinued
  })
}

/** Groups lines. @param lines with their line breaks @param continued what `findContinued` says about each */
export function groupLines(lines: readonly string[], continued: readonly boolean[]): Paragraph[] {
  const groups: string[][] = []
  for (const [index, line] of lines.entries()) {
    const last = groups.at(-1)
    if (last && continued[index]) last.push(line)
    else groups.push([line])
  }
  return groups.map((group) => {
    const parts = group.map((line, index): Part => {
      const start = index === 0 ? 0 : line.length - line.trimStart().length
      const stop = index === group.length - 1 ? line.length : line.trimEnd().length
      return { indent: line.slice(0, start), words: line.slice(start, stop), end: line.slice(stop) }
    })
    return { parts, text: parts.map(({ words }) => words).join(' ') }
  })
}
