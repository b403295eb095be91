// Names lines of assembled content as lines of its source, which is what the author has. docs/compose.md
import type { Warning } from '../api/schema.ts'
import { lineOf } from '../text/plain-text.ts'
import type { ValueProblem } from '../text/problems.ts'
import type { Include } from '../values/include.ts'
import { type Composed, divideContent } from './include-lines.ts'

/** A line of the source. */
interface SourceLine {
  line: number
  /** The include whose line it is, if the text comes from a part. */
  include?: Include
}

/** The lines that a part takes in the content. */
interface PartLines extends SourceLine {
  first: number
  last: number
}

/** Opens a version to find lines of its source. @returns the function from a 1-based line of the content */
function openSource(composed: Composed): (line: number) => SourceLine {
  const parts: PartLines[] = []
  /** The current line of the content, and of the source. */
  let [at, line] = [1, 1]
  for (const { text, include } of divideContent(composed)) {
    const breaks = lineOf(text, text.length) - 1
    if (include) parts.push({ include, line, first: at, last: at + breaks })
    else line += breaks
    at += breaks
  }
  return (wanted) => {
    const part = parts.find(({ first, last }) => wanted >= first && wanted <= last)
    if (part) return part
    const before = parts.findLast(({ last }) => last < wanted)
    return { line: before ? before.line + wanted - before.last : wanted }
  }
}

/** Counts the lines of warnings in the source. What is found in a part is on the line that includes it. */
export function placeInSource(warnings: readonly Warning[], composed: Composed): Warning[] {
  const find = openSource(composed)
  return warnings.map((warning) => {
    if (warning.line === null) return warning
    const { line, include } = find(warning.line)
    const message = include ? `${addressOf(include)}: ${warning.message}` : warning.message
    return { ...warning, message, line }
  })
}

/** Adds the line of the source to each problem in assembled content. */
export function nameSourceLines(problems: readonly ValueProblem[], composed: Composed): ValueProblem[] {
  const find = openSource(composed)
  return problems.map(({ key, message, offset }) => {
    if (offset === undefined) return { key, message }
    const { line, include } = find(lineOf(composed.content, offset))
    return { key, message: `line ${line}: ${include ? `in ${addressOf(include)}: ` : ''}${message}` }
  })
}

const addressOf = ({ repository, version }: Include) => `${repository}@${version}`
