// Converts between the arguments of a Claude Code command and the hub's placeholders, without changing any other byte. https://code.claude.com/docs/en/skills
import type { Variable } from '../../../src/domain/api/schema.ts'
import { blankCode } from '../../../src/domain/content/skill.ts'
import { isVariableName } from '../../../src/domain/values/names.ts'
import { MAX_FINDINGS } from './portable.ts'

/** What Claude Code replaces: positions count from 0, and a backslash before the dollar sign keeps it. */
const REPLACED = /(?<!(?<!\\)\\)\$(?:(ARGUMENTS)|(\d+)(?!\w)|([A-Za-z_]\w*)(?![\w[]))/g
/** The same, as people mean it: `$1.50` is a price. */
const TOKEN =
  /(?<!(?<!\\)\\)\$(?:ARGUMENTS(?:\[(\d{1,2})\]|(?!\w|\[\d+\]))|(\d{1,2})(?!\w|[.,]\d)|([A-Za-z_]\w*)(?![\w[]))/g
const PLACEHOLDER = /\{\{( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\}/g
/** Variables named after what Claude Code calls them: `arguments`, and `argument_0` for position 0. */
const POSITION = /^argument_(0|[1-9]\d?)$/
const isPosition = (name: string) => name === 'arguments' || POSITION.test(name)

/** What a command's front matter says about its arguments. */
interface ArgumentFront {
  /** The `argument-hint`, such as `[file] [line]`; empty if there is none. */
  hint: string
  /** The names in `arguments`, in order. */
  declared: readonly string[]
}

interface Token {
  text: string
  offset: number
  /** The name of its variable; undefined if it is none of the command's arguments. */
  name: string | undefined
  /** Whether it is `$ARGUMENTS[n]`, whose placeholder has spaces. */
  isIndexed: boolean
}

/** A text whose arguments are placeholders. */
interface ReadArguments {
  text: string
  /** The names of its variables: declared names in their order, then the others in order of appearance. */
  names: string[]
  /** What stays text although Claude Code would replace it, with its offset and the reason. */
  kept: { text: string; offset: number; reason: string } | undefined
}

/**
 * Replaces a command's arguments with placeholders: `$ARGUMENTS`, `$ARGUMENTS[n]`, `$n` and declared names, outside of code, if the front matter or `$ARGUMENTS` shows that it takes arguments.
 *
 * @returns a text from which `writeArguments` restores the same bytes, or the unchanged text
 */
export function readArguments(body: string, front: ArgumentFront): ReadArguments {
  const tokens = listTokens(blankCode(body), front)
  const found = tokens.filter(({ name }) => name !== undefined)
  const takesArguments = front.hint !== '' || front.declared.length > 0 || tokens.some(isArguments)
  const unread = { text: body, names: [] }
  if (!takesArguments) {
    const [first] = found
    const reason = 'stays text; an argument-hint would show that the command takes arguments'
    return { ...unread, kept: first && { text: first.text, offset: first.offset, reason } }
  }
  const used = new Set(found.map(({ name }) => name!))
  let text = ''
  let at = 0
  for (const { name = '', isIndexed, offset, text: token } of found) {
    const isSpaced = isIndexed || (used.size === 1 && !isPosition(name))
    text += body.slice(at, offset) + (isSpaced ? `{{ ${name} }}` : `{{${name}}}`)
    at = offset + token.length
  }
  text += body.slice(at)
  const names = [...front.declared.filter((name) => used.delete(name)), ...used]
  const variables = names.map((name) => ({ name, description: front.hint, required: true }))
  const written = writeArguments(text, variables)
  const isSame =
    written.text === body &&
    written.problems.length === 0 &&
    written.declared.every((name, index) => name === front.declared[index])
  const [first] = found
  if (!isSame && first)
    return {
      ...unread,
      kept: {
        text: first.text,
        offset: first.offset,
        reason: 'and all arguments stay text, because the text could not be restored from placeholders',
      },
    }
  const inProse = new Set(tokens.map(({ offset }) => offset))
  const inCode = listTokens(body, front).find((token) => isArguments(token) && !inProse.has(token.offset))
  const kept = inCode && { text: inCode.text, offset: inCode.offset, reason: 'stays text, because it is in code' }
  return { text, names, kept }
}

const isArguments = ({ text }: Token) => text.startsWith('$ARGUMENTS')

/** Lists the tokens of a text. `$n` is an argument if all positions before it are used too, or if the text also has `$ARGUMENTS[n]`, so `$5` alone is a price. */
function listTokens(text: string, { hint, declared }: ArgumentFront): Token[] {
  const matches = [...text.matchAll(TOKEN)]
  const seen = new Set(matches.map(([, index, position]) => Number(index ?? position ?? -1)))
  const first = seen.has(0) ? 0 : 1
  const most = declared.length || countHints(hint) || Number.POSITIVE_INFINITY
  let end = first
  while (seen.has(end) && end < first + most) end++
  const indexed = new Set(matches.flatMap(([, index]) => (index === undefined ? [] : [Number(index)])))
  const names = new Set(declared)
  return matches.flatMap(({ 0: whole, 1: index, 2: position, 3: word, index: offset }): Token[] => {
    const token = (name: string | undefined, isIndexed = false) => [{ text: whole, offset, name, isIndexed }]
    if (index !== undefined) return token(`argument_${Number(index)}`, true)
    if (position !== undefined) {
      const number = Number(position)
      const isArgument = (indexed.has(number) || (number >= first && number < end)) && !/^0\d/.test(position)
      return token(isArgument ? `argument_${position}` : undefined)
    }
    if (word === undefined) return token('arguments')
    return names.has(word) ? token(word) : []
  })
}

/** Counts the arguments in a hint: `[file] [line]` has two. */
function countHints(hint: string): number {
  return hint.match(/<[^<>]*>|\[[^[\]]*\]|[^\s<[]+/g)?.length ?? 0
}

/** Returns the names in the front matter’s `arguments`, a list or a text. @returns undefined if a name could not be a variable, or stands there twice */
export function readDeclared(value: unknown): string[] | undefined {
  const names = Array.isArray(value)
    ? value.map(String)
    : String(value ?? '')
        .split(/[\s,]+/)
        .filter(Boolean)
  return names.every((name) => isVariableName(name) && !isPosition(name)) && new Set(names).size === names.length
    ? names
    : undefined
}

/** A text with Claude Code's arguments, and what its front matter needs. */
interface WrittenArguments {
  text: string
  declared: string[]
  hint: string
  /** What could not be written, with its offset in the given text. */
  problems: { offset: number; message: string }[]
}

/**
 * Replaces placeholders with arguments. `{{arguments}}` and a text's only variable become `$ARGUMENTS`, `{{argument_0}}` becomes `$0`, `{{ argument_0 }}` becomes `$ARGUMENTS[0]`, and all others are declared and become `$name`.
 *
 * A single variable that is only written with spaces is declared too.
 */
export function writeArguments(
  text: string,
  variables: readonly Pick<Variable, 'name' | 'description' | 'required'>[],
): WrittenArguments {
  const names = new Set(variables.map(({ name }) => name))
  const only = variables.length === 1 && !isPosition(variables[0]!.name) ? variables[0]!.name : undefined
  const isWhole = only !== undefined && text.includes(`{{${only}}}`)
  const declared = isWhole ? [] : [...names].filter((name) => !isPosition(name))
  const problems: WrittenArguments['problems'] = []
  /** Where the arguments are in the written text, and how much longer the given text is up to there. */
  const places = new Map<number, number>()
  let written = ''
  let at = 0
  for (const { 0: whole, 1: space, 2: name = '', index: offset } of text.matchAll(PLACEHOLDER)) {
    if (!names.has(name)) continue
    const end = offset + whole.length
    const next = text.slice(end, end + 3)
    const position = POSITION.exec(name)?.[1]
    const isAll = name === 'arguments' || isWhole
    if (/(?<!\\)\\$/.test(text.slice(Math.max(0, offset - 2), offset)))
      problems.push({ offset, message: `a backslash before ${whole} would keep Claude Code from filling it in` })
    if (isAll && /^(?:\w|\[\d)/.test(next)) problems.push({ offset, message: `a command needs a space after ${whole}` })
    const isShort = position === undefined ? !/^[\w[]/.test(next) : space === '' && !/^(?:\w|[.,]\d)/.test(next)
    written += text.slice(at, offset)
    places.set(written.length, offset - written.length)
    if (isAll) written += '$ARGUMENTS'
    else if (isShort) written += `$${position ?? name}`
    else written += `$ARGUMENTS[${position ?? declared.indexOf(name)}]`
    at = end
  }
  written += text.slice(at)
  const hint = describeHint(variables)
  const literals =
    declared.length > 0 || isWhole
      ? listReplaced(text, declared, isWhole)
      : listRead(written, hint, places, text.length - written.length)
  for (const { token, offset } of literals) problems.push({ offset, message: `${token} would be an argument` })
  return { text: written, declared, hint, problems: problems.slice(0, MAX_FINDINGS) }
}

interface Literal {
  token: string
  offset: number
}

/** Lists what Claude Code would replace in a text of the hub. A declared name in code is left to it, as in imported commands. */
function listReplaced(text: string, declared: readonly string[], isWhole: boolean): Literal[] {
  const names = new Set(declared)
  const prose = blankCode(text)
  return [...text.matchAll(REPLACED)].flatMap(({ 0: token, 1: all, 2: position, 3: word = '', index: offset }) => {
    const isArgument = all !== undefined || (position !== undefined && (isWhole || Number(position) < declared.length))
    return isArgument || (names.has(word) && prose[offset] === '$') ? [{ token, offset }] : []
  })
}

/**
 * Lists what an import would read as an argument, in a text whose variables are named after positions, as in imported commands. There, code and prices stay as they are.
 *
 * @param places the offsets of the arguments, and how much longer the given text is before each of them
 * @param longer how much longer the whole given text is
 */
function listRead(written: string, hint: string, places: ReadonlyMap<number, number>, longer: number): Literal[] {
  const literals: Literal[] = []
  const starts = [...places]
  let next = 0
  for (const token of listTokens(blankCode(written), { hint, declared: [] })) {
    while (next < starts.length && starts[next]![0] < token.offset) next++
    if (token.name === undefined || places.has(token.offset) || !(places.size > 0 || isArguments(token))) continue
    literals.push({ token: token.text, offset: token.offset + (starts[next]?.[1] ?? longer) })
  }
  return literals
}

/** Writes the hint: the one that all variables were imported with, or their names. */
function describeHint(variables: readonly Pick<Variable, 'name' | 'description' | 'required'>[]): string {
  const [first] = variables
  if (!first) return ''
  const isShared = variables.every(({ description }) => description === first.description)
  const arePositions = variables.every(({ name }) => isPosition(name))
  if (isShared && first.description !== '' && (arePositions || variables.length > 1)) return first.description
  if (isShared && variables.some(({ name }) => name === 'arguments')) return ''
  return variables.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')
}
