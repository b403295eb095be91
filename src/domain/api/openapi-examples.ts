// Examples for the OpenAPI document. They work when sent as they are.

/** By kind and name. They use a prompt of the starter catalogue, so that on such a hub every example works. */
export const EXAMPLES: {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly publish: Readonly<Record<string, { summary: string; value: unknown }>>
} = {
  path: { owner: 'acme', name: 'code-review', version: '1.0.0', handle: 'acme', label: 'production' },
  query: { page: 1, sort: 'top', q: 'code review', tag: ['engineering'], version: '1.0.0', label: 'production' },
  publish: {
    content: { summary: 'The text alone', value: { content: 'Summarise {{text}} in three sentences.\n' } },
    everything: {
      summary: 'With what readers and callers need',
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
        description: 'Summarises a text in as many sentences as asked for.',
        tags: ['writing', 'summary'],
        license: 'CC0-1.0',
      },
    },
  },
}
