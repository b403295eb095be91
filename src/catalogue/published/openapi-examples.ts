// Examples for the OpenAPI document. They work without changes.

/** Examples by kind and name. They use a prompt from the starter catalogue, so every example works on a hub that has this catalogue. */
export const EXAMPLES: {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly publish: Readonly<Record<string, { summary: string; value: unknown }>>
} = {
  path: {
    owner: 'acme',
    name: 'code-review',
    version: '1.0.0',
    handle: 'acme',
    label: 'production',
    suite: 'quality',
    proposal: '0123456789abcdef0123456789abcdef',
  },
  query: {
    page: 1,
    sort: 'top',
    q: 'code review',
    tag: ['engineering'],
    version: '1.0.0',
    label: 'production',
    at: '2026-11-20T10:00:00Z',
    from: '1.0.0',
  },
  publish: {
    content: { summary: 'Only the content', value: { content: 'Summarise {{text}} in three sentences.\n' } },
    everything: {
      summary: 'With everything readers and callers need',
      value: {
        content: 'Summarise {{text}} in {{sentences}} sentences.\n',
        changelog: 'Let the caller choose the length',
        bump: 'minor',
        variables: [
          { name: 'text', description: 'What to summarise', example: 'A long report' },
          { name: 'sentences', description: 'How many sentences', type: 'integer', default: 3 },
        ],
        parameters: { temperature: 0.2 },
        title: 'Summary',
        description: 'Summarises a text in the requested number of sentences.',
        tags: ['writing', 'summary'],
        license: 'CC0-1.0',
      },
    },
  },
}
