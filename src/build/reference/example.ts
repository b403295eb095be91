// The prompt used in the examples of the docs. Docs pages do not depend on the content, so the prompt need not exist on this hub.

import { buildCatalogue, type Catalogue } from '../../catalogue/catalogue.ts'
import { DEFAULT_REPOSITORY_FILE, parseVersionFile } from '../../domain/content/prompt-file.ts'
import { measure } from '../../files/measure.ts'

/** The example prompt, as owner/name. */
export const EXAMPLE = 'acme/code-review'

const FILE = `---
published_at: "2026-05-12T08:15:00Z"
published_by: example-ada
changelog: First version
variables:
  - name: language
    description: Programming language of the code
    example: Go
  - name: code
    description: The file or function to review
parameters:
  temperature: 0.2
---
You review {{language}} code written by a colleague.

{{code}}
`

/** Returns a catalogue that contains only the example; the API reference shows its records. @param baseUrl the hub's base URL */
export function makeExample(baseUrl: string): Catalogue {
  const { value } = parseVersionFile(FILE)
  if (!value) throw new Error('The example in the docs cannot be parsed.')
  const [owner = '', name = ''] = EXAMPLE.split('/')
  const versions = [{ ...value, ...measure(value.content), version: '1.0.0' }]
  const file = {
    title: 'Code review',
    description: 'Reviews a change and returns a short list of findings.',
    tags: ['code-review', 'engineering'],
    license: 'CC0-1.0',
  }
  const repository = { owner, name, file: { ...DEFAULT_REPOSITORY_FILE, ...file }, versions }
  return buildCatalogue(
    {
      owners: new Map(),
      repositories: new Map([[EXAMPLE, repository]]),
      usage: new Map(),
      equivalents: [],
      models: new Map(),
    },
    { baseUrl, day: '2026-05-12' },
  )
}
