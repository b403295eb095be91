// A fast reader and writer for simple YAML, which nearly all front matter is. The library handles everything else.

/** A line of a mapping, without its indentation; keys are always strings. */
const KEY_LINE = /^([A-Za-z0-9_][A-Za-z0-9_.-]{0,99}):(?: (\S.*))?$/
/** Characters allowed in a line: no tabs, control characters, or characters that some parser treats as a space or a line break. */
const ODD_CHARACTER = /[^\n\x20-\x7e\u00a1-\u167f\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff]/
/** A plain scalar that starts with a letter, so that it is neither a number nor an indicator; `isText` checks it further. */
const WORDS = /^[A-Za-z\u00c0-\u167f\u3040-\ud7ff]/
const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/
const DECIMAL = /^(?:0|[1-9]\d{0,5})\.\d{1,6}$/
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/
/** Items of a flow sequence. */
const FLOW_WORDS = /^[A-Za-z\u00c0-\u167f\u3040-\ud7ff][A-Za-z0-9_\u00c0-\u167f\u3040-\ud7ff -]*$/
/** The header of a block scalar, with or without a final line break. */
const LITERAL = /^\|-?$/
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
])
const STEP = 2
const MAX_CHARACTERS = 65_536

/** Keys written without quotes, unless they are constants. */
const PLAIN_KEY = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/
/** YAML parsers disagree on bare dates and on characters that some treat as line breaks; in double quotes all agree. */
const DISPUTED = /^\d{4}-\d\d-\d\d|[^\P{C}\n]|[\u0085\u2028\u2029]|^\s|\s$/u
/** Values that would be parsed as null, a boolean or a number without quotes. The library has its own pattern for each type. */
const NO_TEXT =
  /^(?:~|[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE|0o[0-7]+|0x[0-9A-Fa-f]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)?$/
/** Strings that start with an indicator, or contain the start of a value or a comment. */
const INDICATED = /^[,[\]{}#&*!|>'"%@`]|^[?-](?: |$)|: | #|:$/

/** The error that stops the reader or the writer, so that the library takes over. It is created once, because recording a stack takes longer than reading a line. */
const UNKNOWN = new Error('not plain')

/**
 * Parses a mapping in simple YAML.
 *
 * @param text only the YAML
 * @returns exactly the library's value, or undefined for anything that is not simple; text with an error is never simple
 */
export function readPlainYaml(text: string): Record<string, unknown> | undefined {
  if (text.length > MAX_CHARACTERS || !text.endsWith('\n') || ODD_CHARACTER.test(text)) return undefined
  const lines = text.slice(0, -1).split('\n')
  const reader = { lines, at: 0 }
  try {
    const value = readMapping(reader, 0, undefined)
    // A line indented further than its mapping continues the previous value, which is not simple.
    return reader.at === lines.length ? value : undefined
  } catch (error) {
    if (error !== UNKNOWN) throw error
    return undefined
  }
}

interface Reader {
  lines: readonly string[]
  /** The next line. */
  at: number
}

/** Returns the indentation of a line; -Infinity after the last line. */
function indentOf({ lines, at }: Reader): number {
  const line = lines[at]
  if (line === undefined) return Number.NEGATIVE_INFINITY
  let indent = 0
  while (line.charCodeAt(indent) === 32) indent++
  return indent
}

/** @param first the text after the hyphen of a list item, where the mapping starts there */
function readMapping(reader: Reader, indent: number, first: string | undefined): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  let line = first ?? reader.lines[reader.at]!.slice(indent)
  do {
    const [, key = '', rest] = KEY_LINE.exec(line) ?? leave()
    if (key === '__proto__' || Object.hasOwn(value, key)) leave()
    reader.at++
    if (rest === undefined) value[key] = readBelow(reader, indent)
    else value[key] = LITERAL.test(rest) ? readLiteral(reader, indent, rest) : readValue(rest)
    line = reader.lines[reader.at]?.slice(indent) ?? ''
  } while (indentOf(reader) === indent)
  return value
}

function readBelow(reader: Reader, indent: number): unknown {
  const below = indentOf(reader)
  if (below < indent) return null
  const isList = reader.lines[reader.at]!.startsWith('- ', below)
  if (below === indent) return isList ? leave() : null
  if (below !== indent + STEP) leave()
  return isList ? readList(reader, below) : readMapping(reader, below, undefined)
}

function readList(reader: Reader, indent: number): unknown[] {
  const values: unknown[] = []
  while (indentOf(reader) === indent) {
    const line = reader.lines[reader.at]!
    if (!line.startsWith('- ', indent)) leave()
    const entry = line.slice(indent + STEP)
    if (KEY_LINE.test(entry)) values.push(readMapping(reader, indent + STEP, entry))
    else {
      values.push(readValue(entry))
      reader.at++
    }
  }
  return values
}

/** @param sign `|` or `|-` */
function readLiteral(reader: Reader, indent: number, sign: string): string {
  const below = indent + STEP
  if (indentOf(reader) !== below) leave()
  const lines: string[] = []
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at]!
    if (line !== '') {
      const own = indentOf(reader)
      if (own < below) break
      // The line has only spaces, and some of them are part of the text.
      if (own === line.length) leave()
    }
    lines.push(line.slice(below))
  }
  while (lines.at(-1) === '') lines.pop()
  return lines.join('\n') + (sign === '|' ? '\n' : '')
}

function readValue(text: string): unknown {
  if (WORDS.test(text)) {
    const constant = CONSTANTS.get(text)
    if (constant !== undefined) return constant
    return isText(text) ? text : leave()
  }
  if (QUOTED.test(text)) return text.slice(1, -1)
  if (text.startsWith('[') && text.endsWith(']')) return readFlow(text.slice(1, -1).trim())
  if (WHOLE_NUMBER.test(text) || DECIMAL.test(text)) return Number(text)
  return VERSION.test(text) ? text : leave()
}

/** Returns whether a plain scalar ends at the end of its line and contains no key and no comment. */
function isText(text: string): boolean {
  return !text.includes(': ') && !text.includes(' #') && !text.endsWith(':') && !text.endsWith(' ')
}

function readFlow(text: string): unknown[] {
  if (text === '') return []
  return text.split(',').map((part) => {
    const entry = part.trim()
    if (!FLOW_WORDS.test(entry)) leave()
    const constant = CONSTANTS.get(entry)
    return constant === undefined ? entry : constant
  })
}

/**
 * Formats a mapping whose keys are words and whose values are JSON.
 *
 * @returns exactly the library's output, or undefined when anything in it is not simple
 */
export function writePlainYaml(value: Record<string, unknown>): string | undefined {
  try {
    return `${writeValue(value, '')}\n`
  } catch (error) {
    if (error !== UNKNOWN) throw error
    return undefined
  }
}

/** Returns whether a string needs double quotes for all YAML parsers to read it in the same way. */
export function needsQuotes(text: string): boolean {
  return DISPUTED.test(text)
}

/** @param indent of the lines after the value's first */
function writeValue(value: unknown, indent: string): string {
  if (typeof value === 'string') return writeText(value, indent)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return writeNumber(value)
  if (Array.isArray(value)) return writeList(value, indent)
  return typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
    ? writeMapping(value, indent)
    : leave()
}

function writeMapping(value: object, indent: string): string {
  const below = `${indent}  `
  let text = ''
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined) continue
    if (!PLAIN_KEY.test(key) || CONSTANTS.has(key)) leave()
    const written = writeValue(entry, below)
    // An empty value is written as brackets after its key.
    const isBelow = typeof entry === 'object' && entry !== null && written !== '[]' && written !== '{}'
    text += `${text && `\n${indent}`}${key}:${isBelow ? `\n${below}` : ' '}${written}`
  }
  return text || '{}'
}

function writeList(values: readonly unknown[], indent: string): string {
  const below = `${indent}  `
  let text = ''
  for (const value of values) text += `${text && `\n${indent}`}- ${writeValue(value, below)}`
  return text || '[]'
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) leave()
  return Object.is(value, -0) ? '-0' : String(value)
}

function writeText(text: string, indent: string): string {
  if (needsQuotes(text)) return writeQuoted(text)
  if (text.includes('\n')) return `|-\n${indent}${text.replace(/\n+/g, `$&${indent}`)}`
  if (!INDICATED.test(text) && !NO_TEXT.test(text)) return text
  return text.includes('"') && !text.includes("'") ? `'${text}'` : writeQuoted(text)
}

/** The library has shorter escapes than JSON for some characters, and folds at line breaks. */
function writeQuoted(text: string): string {
  const quoted = JSON.stringify(text)
  return /\\[nu]/.test(quoted) ? leave() : quoted
}

function leave(): never {
  throw UNKNOWN
}
