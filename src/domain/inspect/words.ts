// Splits a text into lines and finds, in one pass, which rules may match in each: a rule names the words without which it cannot match.

/** Longer lines are read in parts. */
const MAX_LINE = 1_000
/** How much of the lines before and after is read with a line. */
const MAX_NEXT = 200
/** The number of characters without a break from which a text may be encoded. */
const LONG_RUN = 160

const OTHER = 0
const WORD = 1
/** Not part of a word, but of an encoded text. */
const JOINT = 2

/** The class of each ASCII character. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[\w~]/.test(character) ? WORD : /[+/=-]/.test(character) ? JOINT : OTHER
})

/** The hash of a word: letters count as lower case. */
function hashOf(word: string): number {
  let hash = 0
  for (let at = 0; at < word.length; at++) hash = mix(hash, word.charCodeAt(at))
  return hash
}

const mix = (hash: number, code: number) => (Math.imul(hash, 31) + (code >= 65 && code <= 90 ? code + 32 : code)) | 0

/** The rules by the hash of their words. A rare collision only makes a rule look in vain. */
interface WordTable {
  /** Whether any word has these last 16 bits. */
  maybe: Uint8Array
  rules: ReadonlyMap<number, readonly number[]>
  /** The rules for texts without a break. */
  long: readonly number[]
}

/** Prepares the search. @param words those of each rule, between spaces; `*` stands for a long text without a break */
export function openWords(words: readonly string[]): WordTable {
  const maybe = new Uint8Array(65_536)
  const rules = new Map<number, number[]>()
  const long: number[] = []
  for (const [rule, all] of words.entries()) {
    for (const word of all.split(/\s+/)) {
      if (word === '*') {
        long.push(rule)
        continue
      }
      const hash = hashOf(word)
      maybe[hash & 0xffff] = 1
      rules.set(hash, [...(rules.get(hash) ?? []), rule])
    }
  }
  return { maybe, rules, long }
}

/** A line in which rules may match. */
interface FoundLine {
  /** 1-based. */
  line: number
  /** Where the line begins in the whole text. */
  offset: number
  /** The end of the line before, the line, and the start of the next one, with spaces between them. */
  text: string
  /** Where the line itself begins and ends in `text`. */
  from: number
  to: number
  rules: readonly number[]
  /** How often words were there again that had been found for a rule. */
  repeated: number
}

/** Finds the lines in which rules may match. Linear, whatever the text is. */
export function* findLines(text: string, { maybe, rules, long }: WordTable): Generator<FoundLine> {
  let line = 1
  let start = 0
  let hash = 0
  let run = 0
  let isWord = false
  let isHidden = false
  let found: number[] = []
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? LINE_END : text.charCodeAt(at)
    const kind = code < 128 ? CLASSES[code]! : OTHER
    if (kind === WORD) {
      hash = mix(hash, code)
      isWord = true
    } else if (isWord) {
      if (maybe[hash & 0xffff] === 1) found.push(...(rules.get(hash) ?? []))
      hash = 0
      isWord = false
    }
    run = kind === OTHER ? 0 : run + 1
    if (run === LONG_RUN) found.push(...long)
    if (code >= FIRST_HIDDEN && !isHidden && isHiddenCode(code)) {
      isHidden = true
      found.push(...(rules.get(HIDDEN) ?? []))
    }
    // A part of a long line ends between words, unless it is one word.
    if (code !== LINE_END && (at - start < MAX_LINE || (kind === WORD && run <= LONG_RUN))) continue
    if (found.length > 0) {
      const distinct = [...new Set(found)]
      const repeated = found.length - distinct.length
      yield { line, offset: start, ...withNeighbours(text, start, at), rules: distinct, repeated }
      found = []
    }
    start = at
    isHidden = false
    if (code !== LINE_END) continue
    start = at + 1
    line++
  }
}

const LINE_END = 10

/** The word of rules for characters that nobody sees. */
const HIDDEN = hashOf('hidden_character')

/** The first Greek letter. */
const FIRST_HIDDEN = 0x370
const AFTER_CYRILLIC = 0x530

/** Returns whether a code unit is, or begins, a character that nobody sees, or a letter that looks like a Latin one. */
const isHiddenCode = (code: number) =>
  code < AFTER_CYRILLIC ||
  (code >= 0x200b && code <= 0x2069) ||
  (code >= 0xff21 && code <= 0xff5a) ||
  (code >= 0xfe00 && code <= 0xfe0e) ||
  code === HIGH_SURROGATE_OF_TAGS
const HIGH_SURROGATE_OF_TAGS = 0xdb40

/** Adds what is around a line, because sentences and commands go on there. */
function withNeighbours(text: string, start: number, end: number): Pick<FoundLine, 'text' | 'from' | 'to'> {
  const isWhole = start === 0 || text[start - 1] === '\n'
  const before = isWhole ? lastLine(text.slice(Math.max(0, start - 1 - MAX_NEXT), Math.max(0, start - 1))) : ''
  const own = text.slice(isWhole ? start : Math.max(0, start - MAX_NEXT), end)
  const isEnd = text[end] === '\n'
  const after = text.slice(isEnd ? end + 1 : end, end + 1 + MAX_NEXT)
  const next = after.slice(0, after.indexOf('\n') < 0 ? after.length : after.indexOf('\n'))
  const from = before === '' ? 0 : before.length + 1
  return {
    text: `${before === '' ? '' : `${before} `}${own}${isEnd ? ` ${next.trimStart()}` : next}`,
    from,
    to: from + own.length,
  }
}

const lastLine = (text: string) => text.slice(text.lastIndexOf('\n') + 1)
