// The limits that scripts of prompt pages need. They are apart from the others, because a script loads the whole object.

/** The limits of filling in, of chat messages, and of tags. limits.ts contains them too. docs/contract.md section 1. */
export const PAGE_LIMITS = {
  tagCharacters: 36,
  /** Maximum number of `messages` in a publish request: each message uses two of the thousand keys allowed in a field. */
  messagesPerVersion: 500,
  /** The size of a filled text: four times the content limit, because values can be long too. */
  filledBytes: 1_048_576,
  /** Maximum number of problems in a message: nobody reads a longer list, and an unlimited list would grow with the input. */
  problemsNamed: 10,
} as const
