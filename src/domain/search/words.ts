// Says what a word is to the search: the same splitting and folding for what is indexed and for what is asked.

/** Scripts written without spaces: each character is a word of its own, so that a phrase of them is found inside a sentence. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv

/** Most texts have nothing but ASCII, of which nothing needs folding but capitals. */
const BEYOND_ASCII = /[^\0-\x7f]/
const ASCII_WORD = /[a-z0-9]+/g

/** The words of a text, in order: lower case, without accents and other marks; everything but letters and digits separates. */
export function splitWords(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? []
  // At the end of a word a sigma is written `ς`, in the middle `σ`. A beginning that was typed ends where the whole word goes on, so both become one.
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ').match(WORD) ?? []
}

/** How much of a question counts; further words would cost time and hardly change the answer. docs/contract.md section 4. */
const QUESTION_LIMITS = { phrases: 12, wordsPerPhrase: 8 } as const

/** The part of a question that counts, and what was left out of it. */
interface SplitQuestion {
  /** Each once, in the order typed; `code-review` is one phrase of two words. Empty when the question holds no letter or digit. */
  phrases: string[][]
  /** The words beyond the limits, each once. */
  ignored: string[]
}

/** Parts a question into phrases: what was typed without white space in between belongs together. */
export function splitQuestion(question: string): SplitQuestion {
  const typed = question.split(/\s+/u).map(splitWords)
  const distinct = new Map(typed.filter((words) => words.length > 0).map((words) => [words.join(' '), words]))
  const all = [...distinct.values()]
  const phrases = all.slice(0, QUESTION_LIMITS.phrases).map((words) => words.slice(0, QUESTION_LIMITS.wordsPerPhrase))
  const kept = new Set(phrases.flat())
  return { phrases, ignored: [...new Set(all.flat())].filter((word) => !kept.has(word)) }
}

/** Whether a word is one character of a script without spaces. */
export function isIdeograph(word: string): boolean {
  return word.charCodeAt(0) >= FIRST_IDEOGRAPH && IDEOGRAPH.test(word)
}

/** No character of these scripts comes before it, and nearly every word does. */
const FIRST_IDEOGRAPH = 0x2e80
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/v
