// Template texts in new files. Authors must replace them, so none may be published.

/** The texts that `npm run new` writes. */
export const STARTER = {
  readme: 'When to use it, and what to give for each placeholder.',
  content: 'Say here what the model should do with {{input}}.',
  variable: 'What to give for it',
} as const

/** All template texts, including those that "Suggest a change" used to write. Compared without surrounding whitespace. */
export const STARTER_TEXTS: ReadonlySet<string> = new Set([...Object.values(STARTER), 'Say what changes, and why'])
