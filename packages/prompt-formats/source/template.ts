// Finds placeholders of other template languages, checks whether a hub can fill them, and rewrites them. Nothing is ever evaluated.
import type { Variable } from '../../../src/domain/api/schema.ts'
import { lineCounter } from '../../../src/domain/text/plain-text.ts'
import { VARIABLE_NAME_PATTERN } from '../../../src/domain/values/names.ts'
import { toVariable } from './names.ts'
import { type ConversionProblems, MAX_FINDINGS } from './portable.ts'
import type { References } from './references.ts'

/** A template language with double braces. */
type BraceLanguage = 'handlebars' | 'mustache' | 'jinja2' | 'literal'

/** A tag; three closing braces match three opening braces. */
const TAG = /\{\{\{[^{}]*\}\}\}|\{\{[\s\S]*?\}\}/y
/** The inside of a tag that inserts a partial: its name, and the values that it passes. */
const PARTIAL = /^>\s*([A-Za-z0-9_][\w./-]{0,199})\s*(\S?)/
const JINJA_LOGIC = /\{%|\{#/g

/**
 * Converts a text in another template language to the hub's `{{name}}`.
 *
 * @param firstLine line number of the text in its file
 * @param references collects partials, which then stay in the text
 * @returns the text, and its placeholder names in order of first appearance; anything beyond a name is rejected with its line
 */
export function readBraces(
  text: string,
  language: BraceLanguage,
  findings: ConversionProblems,
  firstLine = 1,
  references?: References,
): { text: string; names: string[] } {
  const names = new Set<string>()
  const lines = lineCounter(text, firstLine)
  for (const match of language === 'jinja2' ? text.matchAll(JINJA_LOGIC).take(MAX_FINDINGS) : [])
    findings.refused('template', `${match[0]} is template logic; Prompt Hub only fills in {{name}}`, lines(match.index))
  let rewritten = ''
  let at = 0
  // No tag ends after the last closing braces, so the search stops there: otherwise, a text of only opening braces would take quadratic time.
  const lastEnd = text.lastIndexOf('}}')
  const lastLongEnd = text.lastIndexOf('--}}')
  const hasComments = language === 'handlebars' || language === 'mustache'
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    const slashes = language === 'handlebars' ? countSlashes(text, at, open) : 0
    if (hasComments && slashes === 0 && text[open + 2] === '!' && open < lastEnd) {
      const isLong = text.startsWith('--', open + 3) && open + 5 <= lastLongEnd
      const end = isLong ? text.indexOf('--}}', open + 5) + 4 : text.indexOf('}}', open) + 2
      const comment = spanOfComment(text, at, open, end)
      findings.lost('template', `${clip(text.slice(open, end))} is a comment`, lines(open))
      rewritten += text.slice(at, comment.from)
      at = comment.to
      continue
    }
    TAG.lastIndex = open
    const tag = slashes === 1 || open > lastEnd ? '{{' : (TAG.exec(text)?.[0] ?? '{{')
    // In Handlebars, one backslash escapes the braces; if two or more precede a tag, one of them is removed.
    rewritten += text.slice(at, slashes > 0 ? open - 1 : open)
    rewritten += slashes === 1 ? tag : readTag(tag, open)
    at = open + tag.length
  }
  rewritten += text.slice(at)
  return { text: rewritten, names: [...names] }

  function readTag(tag: string, offset: number): string {
    const inner = tag.replace(/^\{+|\}+$/g, '')
    const name = inner.trim()
    if (VARIABLE_NAME_PATTERN.test(name) && !(tag.startsWith('{{{') && language === 'literal')) {
      names.add(name)
      return `{{${name}}}`
    }
    if (language === 'literal') return tag
    const [, partial, rest] = PARTIAL.exec(inner) ?? []
    if (references && partial !== undefined) {
      references.add(tag, rest === '' ? { name: partial } : { obstacle: 'it passes values to the partial' })
      return tag
    }
    findings.refused('template', `${clip(tag)} is more than a name; Prompt Hub only fills in {{name}}`, lines(offset))
    return tag
  }
}

/** A comment on a line of its own is removed with its line, as Handlebars and Mustache do. */
function spanOfComment(text: string, after: number, open: number, end: number): { from: number; to: number } {
  let from = open
  while (from > after && (text[from - 1] === ' ' || text[from - 1] === '\t')) from--
  const isFirst = from === 0 || text[from - 1] === '\n'
  const rest = /[ \t]*(?:\r?\n|$)/y
  rest.lastIndex = end
  const line = rest.exec(text)
  return isFirst && line ? { from, to: end + line[0].length } : { from: open, to: end }
}

function countSlashes(text: string, from: number, open: number): number {
  let count = 0
  while (open - count > from && text[open - count - 1] === '\\') count++
  return count
}

/** Like `readBraces`, for Python's f-strings: `{name}`, and doubled braces for literal braces. */
export function readFString(text: string, findings: ConversionProblems): { text: string; names: string[] } {
  const names = new Set<string>()
  const lines = lineCounter(text, 1)
  const rewritten = text.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (whole, inner: string | undefined, offset: number) => {
    if (whole === '{{' || whole === '}}') return whole[0]!
    if (inner !== undefined && VARIABLE_NAME_PATTERN.test(inner)) {
      names.add(inner)
      return `{{${inner}}}`
    }
    findings.refused('template', `${clip(whole)} is not a plain {name}`, lines(offset))
    return whole
  })
  return { text: rewritten, names: [...names] }
}

/** A declared placeholder or other braces; three braces are one tag in Mustache. */
const BRACES = {
  langfuse: /\{\{\{|\{\{( ?)([A-Za-z_]\w*)\1\}\}|\{\{/g,
  github: /\{\{( ?)([A-Za-z_]\w*)\1\}\}|\{\{(?!\{)/g,
}

/**
 * Refuses double braces that are no variable of the prompt, for formats that have no way to escape them: another tool would fill them in, empty them, or stop.
 *
 * @param declared the names of the prompt's variables
 */
export function refuseForeignBraces(
  text: string,
  declared: ReadonlySet<string>,
  format: keyof typeof BRACES,
  findings: ConversionProblems,
): void {
  // GitHub leaves braces that are never closed as they are; Mustache, which Langfuse uses, stops at them.
  const lastEnd = format === 'github' ? text.lastIndexOf('}}') : text.length
  const lines = lineCounter(text, 1)
  const foreign = text
    .matchAll(BRACES[format])
    .filter(({ 2: name = '', index }) => !declared.has(name) && index < lastEnd)
  for (const { index } of foreign.take(MAX_FINDINGS)) {
    const end = text.indexOf('}}', index)
    const tag = clip(text.slice(index, end === -1 ? index + 60 : Math.min(end + 2, index + 61)))
    const wayOut = 'declare it as a variable, or export as dotprompt or langchain, which escape braces'
    findings.refused(
      'content',
      `${tag} is no variable of this prompt, but the format cannot escape it; ${wayOut}`,
      lines(index),
    )
  }
}

/** A variable in braces after a dollar sign: its name, and what follows a colon. */
const DOLLAR_BRACES = /\$\{(input:)?([A-Za-z][A-Za-z0-9 _-]{0,63})(?::([^{}\n]*))?\}/g

/**
 * Converts `${name}` and `${name:…}` to the hub's `{{name}}`. Other characters in a name become `_`.
 *
 * @param prefix what stands before a name: `input:` in Copilot's files, where a hint follows the name; nothing on prompts.chat, where a default follows it
 */
export function readDollarBraces(
  text: string,
  prefix: 'input:' | '',
  findings: ConversionProblems,
): { text: string; variables: Map<string, Variable> } {
  const variables = new Map<string, Variable>()
  const rewritten = text.replace(
    DOLLAR_BRACES,
    (whole, before: string | undefined, given: string, after: string | undefined) => {
      if ((before ?? '') !== prefix) return whole
      const name = given.trim().replace(/[^A-Za-z0-9_]/g, '_')
      const said = after?.trim() ?? ''
      const known = variables.get(name)
      const usual = prefix === '' && said !== '' ? said : null
      if (!known || (known.default === null && usual !== null)) {
        const value = usual === null ? { description: said } : { default: usual }
        variables.set(name, toVariable(name, { type: 'string', required: usual === null, ...value }, findings))
      } else if (usual !== null && known.default !== usual)
        findings.lost(`variables.${name}.default`, `“${clip(usual)}” is a second default`)
      return `{{${name}}}`
    },
  )
  return { text: rewritten, variables }
}

/** Shortens a text for a message. */
export function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
