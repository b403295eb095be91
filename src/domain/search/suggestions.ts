// What the search field suggests while somebody types, and where it asks for that.

/** Answers the script of the search field; its query is that of the search page. */
export const SUGGESTIONS_ADDRESS = '/search/suggestions.json'

/** A page that the search field suggests. */
export interface Suggestion {
  words: string
  /** The full name of a prompt, or what else it is. */
  about: string
  address: string
}
