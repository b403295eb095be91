// Template texts in new files. Authors must replace them, so none may be published.

/** What `npm run new` writes. */
export const STARTER = {
  readme: 'When to use it, and what to give for each placeholder.',
  content: 'Say here what the model should do with {{input}}.',
  variable: 'What to give for it',
} as const

/** All of them, including what "Suggest a change" once wrote. Compared without surrounding white space. */
export const STARTER_TEXTS: ReadonlySet<string> = new Set([...Object.values(STARTER), 'Say what changes, and why'])
