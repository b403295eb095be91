// Splits text into tokens and converts tokens to terms, in the same way for the index and for queries. Only this file imports the stemmer.
import { stemmer } from '@orama/stemmers/english'

/** Maximum token length. It equals the maximum length of a name, so that a one-word name is one token; longer tokens are split. */
const MAX_TOKEN_CHARACTERS = 64
/** Letters and digits only: Han also has radicals such as `⺀`, which are symbols. */
const IDEOGRAPHS = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]&&[\p{L}\p{N}]`
/** A run of a script whose words are not separated by spaces, and only a dictionary can find them. */
const UNSPACED_RUN =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}][\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]*/gu
/**
 * Finds words by ICU's dictionaries. The locale does not matter, because each dictionary applies to its own script. Made
 * when a text needs it: every start of a program would otherwise wait 15 ms for the dictionaries.
 */
let segmenter: Intl.Segmenter | undefined
/** Letters that have no accent to remove, but that people type as other letters. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  œ: 'oe',
  æ: 'ae',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ſ: 's',
}
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu')
/** In scripts without spaces, each character is a token, so that phrases are found inside sentences. */
const TOKEN = new RegExp(`[${IDEOGRAPHS}]|[[\\p{L}\\p{N}]--[${IDEOGRAPHS}]]{1,${MAX_TOKEN_CHARACTERS}}`, 'gv')
const IDEOGRAPH = new RegExp(`^[${IDEOGRAPHS}]$`, 'v')
/** Single letters that are separated by punctuation form one token: `R&R`, `e.g.`, `w/o`, `1:1`. */
const INITIALS = /(?<![\p{L}\p{N}])(?:[a-z](?:[.&/][a-z])+|\d:\d)(?![\p{L}\p{N}])/gu
const SIGNS = /[.&/:]/g
/** Most text is ASCII, which only needs to be converted to lower case. */
const BEYOND_ASCII = /[^\0-\x7f]/

/** Splits text into tokens, in order: lower case, without accents; everything except letters and digits is a separator. */
export function tokenize(text: string): string[] {
  // A sigma at the end of a word is written `ς`. In a prefix, the last letter is not the end of the word, so both forms are unified.
  const folded = BEYOND_ASCII.test(text) ? fold(separateWords(text)) : text.toLowerCase()
  return splitWords(folded.replace(INITIALS, (letters) => letters.replace(SIGNS, '')))
}

/** Splits words into tokens again: a pair of ideographs is two tokens. Unlike text, words are not looked up in a dictionary, because without their accents they may be split differently. */
export function splitWords(words: string): string[] {
  return words.match(TOKEN) ?? []
}

/** Puts spaces between the words of scripts that are written without them. */
function separateWords(text: string): string {
  return text.replace(UNSPACED_RUN, (run) => {
    segmenter ??= new Intl.Segmenter('th', { granularity: 'word' })
    return Array.from(segmenter.segment(run), ({ segment }) => segment).join(' ')
  })
}

/** Converts to lower case, removes accents, and replaces letters that people type as other letters. */
function fold(text: string): string {
  const lower = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return lower.replaceAll('ς', 'σ').replace(LETTER, (letter) => LETTERS[letter]!)
}

/** British spellings and their American forms. A rule may also change a word that has only one spelling; that is harmless, because it changes text and queries in the same way. */
const SPELLINGS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^(\w{2,})is(e|es|ed|ing|er|ers|ation|ations|able)$/, '$1iz$2'],
  [/^(\w+)lys(e|es|ed|ing|er|ers)$/, '$1lyz$2'],
  [/^(\w{3,})our(s|ed|ing|able|ite|ites|ful|al|er|ers|hood)?$/, '$1or$2'],
  [/^(\w{3,})tre(s|d)?$/, '$1ter$2'],
  [/^(\w{2,})logue(s|d)?$/, '$1log$2'],
  [/^(def|off|lic)ence(s|d)?$/, '$1ense$2'],
  [/^(\w*)programme(s)?$/, '$1program$2'],
  [/^(\w{2,}[aeiou])ll(ed|ing|er|ers)$/, '$1l$2'],
]

/** Converts a token to its term, which is the same for all forms and spellings of a word (`summarise`, `summarizes`, `summarizing`). Only English words are stemmed; others stay unchanged. */
export function toTerm(token: string): string {
  if (!/^[a-z]+$/.test(token)) return token
  const rule = token.length < 5 ? undefined : SPELLINGS.find(([pattern]) => pattern.test(token))
  return stemmer(rule ? token.replace(...rule) : token)
}

/** Stop words, which are removed from a query unless it consists only of them. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about abt am an and any are as at bc be been btw but by can could did do does eg etc for from get give got had has have
  help her his how i ie if in into is it its just like ll m me my need of on or our out please pls plz s should so some such t
  tell than that the their them then there these they this those thru to us ve very want was we were what when where which who
  why will with wo would you your`.split(/\s+/),
)

/** Returns whether a token is a stop word. */
export function isStopWord(token: string): boolean {
  return STOP_WORDS.has(token)
}

/** Maximum number of words in a query; more words would take longer and hardly change the results. docs/contract.md section 4. */
const MAX_WORDS = 12

/**
 * Extracts the distinct significant words of a query, in the order typed. In scripts without spaces, each pair of adjacent characters is a word.
 *
 * @returns the words used, the words beyond the limit, and the last word if it may be incomplete
 */
export function readWords(question: string): { words: string[]; ignored: string[]; last: string | undefined } {
  const typed = question.split(/\s+/u).map(tokenize)
  const telling = typed.map((phrase) => phrase.filter((token) => !isStopWord(token)))
  const counted = telling.flat().length > 0 ? telling : typed
  const words = [...new Set(counted.flatMap(pairIdeographs))]
  return { words: words.slice(0, MAX_WORDS), ignored: words.slice(MAX_WORDS), last: typed.flat().at(-1) }
}

function pairIdeographs(phrase: readonly string[]): string[] {
  const isPair = (index: number) => IDEOGRAPH.test(phrase[index] ?? '') && IDEOGRAPH.test(phrase[index + 1] ?? '')
  return phrase.flatMap((token, index) =>
    isPair(index) ? [token + phrase[index + 1]] : isPair(index - 1) ? [] : [token],
  )
}
