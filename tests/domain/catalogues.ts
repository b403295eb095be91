// Shared fixtures for the catalogue tests: a repository with every field, and its summary.
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import type { ContentTree } from '../../src/catalogue/content-tree.ts'
import { INDEX_OF_RECORD } from '../fixtures/repository-fields.ts'
import { anIndex, aRepository, aVersion } from './fixtures.ts'

/** Builds the catalogue from a content folder, as of a fixed day. */
export const build = (tree: ContentTree) => buildCatalogue(tree, { baseUrl: 'https://hub.test', day: '2026-11-20' })

/** One repository in each state, and one with as many fields as possible. */
export const full = aRepository('acme/code-review', {
  file: anIndex(INDEX_OF_RECORD),
  versions: [
    aVersion('1.2.0', {
      published_at: '2026-11-03T10:00:00Z',
      published_by: 'mona',
      changelog: 'Asks for a severity',
      variables: [
        {
          name: 'code',
          description: 'The code',
          type: 'string',
          required: true,
          default: null,
          options: [],
          example: 'x',
        },
      ],
      parameters: { temperature: 0.2 },
      content: 'Review {{code}}',
      content_sha256: 'b'.repeat(64),
      size_bytes: 15,
      provenance: {
        issuer: 'i',
        repository: 'acme/prompts',
        workflow: 'w.yml',
        ref: 'refs/heads/main',
        sha: 'c0ffee',
        run_id: '7',
      },
    }),
    aVersion('1.10.0', { published_at: '2026-11-04T10:00:00Z' }),
    aVersion('1.0.0', { published_at: '2026-11-02T10:00:00Z' }),
  ],
})
