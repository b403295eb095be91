// Tests which names are suggested for an unknown repository: only similar ones, found with a single lookup.
import { expect, test } from 'vitest'
import { words } from '../../../tests/words.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { Hub } from '../hub.ts'
import { findClose } from './close-names.ts'

const KNOWN = words`
  acme/code-review acme/incident-report acme/note bob/code-review bob/cv acme/a-very-long-name
`

/** Returns a search that finds every given name for any query. */
function searching() {
  const asked: string[] = []
  const matches = KNOWN.map((full_name) => ({
    full_name,
    owner: full_name.split('/')[0],
    name: full_name.split('/')[1],
  }))
  const find = async ({ text }: { text: string }) => {
    asked.push(text)
    return { matches, total: matches.length, isTotalExact: true, matched: undefined }
  }
  return { asked, tools: { search: () => ({ find }) } as unknown as Hub }
}

//  requested                 suggested
test.each([
  ['acme/code-reviw', ['acme/code-review']],
  ['acem/code-review', ['acme/code-review', 'bob/code-review']],
  ['someone/code-review', ['acme/code-review', 'bob/code-review']],
  ['someone/code-reviw', []],
  ['acme/nope', ['acme/note']],
  ['acme/other', []],
  ['acme/notes', ['acme/note']],
  ['acme/incident', []],
  ['bob/vc', []],
  ['zzqxjk/zzqxjk', []],
])('%s', async (fullName, suggested) => {
  const { asked, tools } = searching()
  const [owner = '', name = ''] = fullName.split('/')
  expect(await findClose(owner, name, tools)).toEqual(suggested)
  expect(asked).toHaveLength(1)
})

test('suggests nothing when the search is unavailable', async () => {
  const find = async () => {
    throw new HubError('unavailable', 'The search cannot be read just now.', { retryAfterSeconds: 5 })
  }
  expect(await findClose('acme', 'code-reviw', { search: () => ({ find }) } as unknown as Hub)).toEqual([])
})
