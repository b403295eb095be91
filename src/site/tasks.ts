// The tasks on the home page, each with its search.

/** A task in words, and the question that it asks. */
export const TASKS: readonly { words: string; q: string }[] = [
  { words: 'Review code', q: 'code review' },
  { words: 'Write tests and docs', q: 'write tests' },
  { words: 'Summarise', q: 'summary' },
  { words: 'Extract data', q: 'extract' },
  { words: 'Support customers', q: 'customer' },
  { words: 'Teach and learn', q: 'learning' },
  { words: 'Run meetings', q: 'meeting' },
  { words: 'Instruct agents', q: 'agent' },
]
