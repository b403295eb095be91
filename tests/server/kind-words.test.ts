// Tests the words for kinds of prompts in the read API, in MCP and on the search page.
// They find what they name, and are never corrected or ignored. See docs/contract.md section 4.
import { afterAll, describe, expect, test } from 'vitest'
import { filesInto } from '../../src/content/write-files.ts'
import { findPrompts } from '../../src/server/pages/find.ts'
import { openMcpHub } from '../hubs/mcp.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const version = (content: string, more = '') =>
  `---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\n${more}---\n${content}\n`
const WITHOUT_KINDS = {
  'acme/still': version('Still water, chatty agenda, a cat.'),
  'acme/stills': version('Stills of age, and a chart.'),
}
const WITH_KINDS = {
  ...WITHOUT_KINDS,
  'acme/support-agent': version('Answer politely.'),
  'acme/pdf': version('Fill it in.', 'skill: {description: Fills in forms.}\n'),
  'acme/talk': version('{{role "user"}}\nHello', 'format: chat\n'),
}

function openHub(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder('prompt-hub-kinds-')
  for (const [name, content] of Object.entries(files)) filesInto(folder)(`/${name}/versions/1.0.0.md`, content)
  const hub = openMcpHub(folder)
  afterAll(() => hub.close())
  return hub
}
const hub = openHub(WITH_KINDS)
const plain = openHub(WITHOUT_KINDS)

interface Listed {
  data: { full_name: string }[]
  meta: { matched: { exact: number; corrected: object; ignored: string[] } }
}
type Found = [names: string[], matched: Listed['meta']['matched']]
const foundIn = ({ data, meta }: Listed): Found => [data.map(({ full_name }) => full_name), meta.matched]

/** The ways to search. */
const WAYS: [string, (of: typeof hub, q: string) => Promise<Found>][] = [
  [
    'GET /api/v1/repos',
    async (of, q) => foundIn((await of.rest(`/api/v1/repos?q=${encodeURIComponent(q)}`)) as unknown as Listed),
  ],
  [
    'search_prompts',
    async (of, q) => {
      const { structuredContent } = (await of.tool('search_prompts', { q })) as unknown as {
        structuredContent: { data: { owner: string; name: string }[]; meta: Listed['meta'] }
      }
      const { data, meta } = structuredContent
      return [data.map(({ owner, name }) => `${owner}/${name}`), meta.matched]
    },
  ],
  [
    'the search page',
    async (of, q) => {
      const asked = { q, tags: [], sort: undefined, owner: undefined, license: undefined, page: 1 }
      const question = { ...asked, withVariables: false, withProvenance: false, withResults: false, kind: undefined }
      const { rows, exact, corrected, ignored } = await findPrompts(question, of.hub.search())
      return [rows.map(({ full_name }) => full_name), { exact: exact!, corrected, ignored: [...ignored] }]
    },
  ],
]

describe.each(WAYS)('%s', (_, find) => {
  //  words              what they find, best first
  test.each([
    ['skill', ['acme/pdf']],
    ['skills', ['acme/pdf']],
    ['Skills', ['acme/pdf']],
    ['agent skills', ['acme/pdf']],
    ['pdf skill', ['acme/pdf']],
    ['agent', ['acme/support-agent', 'acme/pdf']],
    ['agents', ['acme/support-agent', 'acme/pdf']],
    ['chat', ['acme/talk']],
    ['chats', ['acme/talk']],
  ])('%s finds what it names', async (q, names) => {
    const [found, matched] = await find(hub, q)
    expect(found.slice(0, names.length)).toEqual(names)
    expect(matched).toMatchObject({ corrected: {}, ignored: [] })
  })

  test.each(['skill', 'skills', 'agent', 'agents', 'chats'])(
    '%s finds nothing where there is nothing of that kind',
    async (q) => {
      expect(await find(plain, q)).toEqual([[], { exact: 0, corrected: {}, ignored: [] }])
    },
  )
})
