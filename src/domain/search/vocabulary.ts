// Owns what a search asks of an index about words. Stores answer it; this room only reads the answers.

/** What an index knows of a term, or of anything else that it files prompts under (domain/search/keys.ts). */
export interface Term {
  key: number
  /** The term as a small number: an index keeps the order of a prompt's words as a row of these. */
  number: number
  /** How many prompts are filed under it. */
  prompts: number
}

/** A word that somebody may have meant. Each prompt that holds it gives it a vote, or two (`voteForWords` in document.ts). */
export interface Candidate {
  word: string
  votes: number
}

/** What an index knows of words; every answer takes a bounded number of look-ups. */
export interface Vocabulary {
  /** What is filed under a key. */
  findTerm(key: number): Term | undefined
  /** Whether a prompt has this very word. A stem that is no word itself is not found. */
  hasWord(word: string): boolean
  /** Words that begin so, in the order of letters, at most so many. */
  listBeginning(prefix: string, most: number): { word: string; prompts: number }[]
  /** The words that are closest to a mistyped one, at most so many typos away; and how many words were compared. */
  findClose(word: string, most: number): { close: Candidate[]; looked: number }
  /** The words that one may be a contraction of, the shortest first; and how many words were compared. */
  findContracted(word: string): { close: Candidate[]; looked: number }
}
