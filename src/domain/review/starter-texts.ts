// The texts with which our tools begin a new file. Each stands for what its author must write, so none may be published.

/** What `npm run new` writes. */
export const STARTER = {
  readme: 'When to use it, and what to give for each placeholder.',
  content: 'Say here what the model should do with {{input}}.',
  variable: 'What to give for it',
} as const

/** All of them, and what "Suggest a change" once wrote. Compared without white space around them. */
export const STARTER_TEXTS: ReadonlySet<string> = new Set([...Object.values(STARTER), 'Say what changes, and why'])
