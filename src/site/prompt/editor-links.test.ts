// Tests which links to editors a version has, and what they contain.
import { expect, test } from 'vitest'
import type { VersionRecord } from '../../domain/api/schema.ts'
import { undeclaredVariable } from '../../domain/content/prompt-file.ts'
import { listEditorLinks } from './editor-links.ts'
import { listSkillInstalls, listUses } from './use-it.ts'

const URL_ = 'https://hub.example/api/v1/repos/acme/tidy/versions/1.0.0'
const list = (given: Partial<VersionRecord>, isForReaders = false) =>
  listEditorLinks(
    { name: 'tidy', format: 'text', content: 'Tidy & fix it.\n', variables: [], url: URL_, ...given } as VersionRecord,
    isForReaders,
  )
const VS_CODE = `vscode:chat-prompt/install?url=${encodeURIComponent(`${URL_}/export/copilot-prompt`)}`
const IN_TEXT = [
  'cursor://anysphere.cursor-deeplink/command?name=tidy&text=Tidy%20%26%20fix%20it.%0A',
  'cursor://anysphere.cursor-deeplink/rule?name=tidy&text=Tidy%20%26%20fix%20it.%0A',
  'claude-cli://open?q=Tidy%20%26%20fix%20it.%0A',
]

test.each([
  ['a text', {}, false, [VS_CODE, ...IN_TEXT]],
  ['a text on a hub for readers', {}, true, IN_TEXT],
  ['a chat prompt', { format: 'chat' }, false, []],
  ['a text with a variable that needs a value', { variables: [undeclaredVariable('it')] }, false, [VS_CODE]],
  [
    'a text that Copilot would fill in',
    { content: `Read \${file}.`, variables: [undeclaredVariable('it')] },
    false,
    [],
  ],
  ['a text that names a file', { content: 'Read @src/a.ts.' }, false, [VS_CODE]],
  ['a long text', { content: 'x'.repeat(8_000) }, false, [VS_CODE]],
] as const)('%s', (_, given, isForReaders, links) => {
  expect(list(given as Partial<VersionRecord>, isForReaders).map(({ href }) => href)).toEqual(links)
})

test('commands carry the token on a hub for readers, and what cannot work there is not offered', () => {
  const prompt = { owner: 'acme', name: 'tidy', full_name: 'acme/tidy', title: 'Tidy', variables: [], format: 'text' }
  const version = { ...prompt, version: '1.0.0', url: URL_, files: [{}] }
  const list = (isForReaders: boolean) => [
    ...listUses(prompt as never, 'https://hub.example', isForReaders).map(({ id, code }) => [id, code('')] as const),
    ...listSkillInstalls(version as never, 'https://hub.example', isForReaders).map(
      ({ id, code }) => [id, code] as const,
    ),
  ]
  expect(list(false).filter(([, code]) => code.includes('HUB_TOKEN'))).toEqual([])
  const [open, closed] = [list(false), list(true)]
  expect(
    closed.filter(([, code]) => code.includes('curl') && !code.includes('Authorization: Bearer $HUB_TOKEN')),
  ).toEqual([])
  const ids = new Set(closed.map(([id]) => id))
  expect(open.map(([id]) => id).filter((id) => !ids.has(id))).toEqual(['badge', 'npx'])
})
