// Tests that a copy never stands before its original, in any list, search, page or MCP response. See docs/contract.md
// section 5.
import { afterAll, describe, expect, test } from 'vitest'
import { filesInto } from '../../src/content/write-files.ts'
import { findPrompts } from '../../src/server/pages/find.ts'
import { openMcpHub } from '../hubs/mcp.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const TEXT =
  'Read the change as its future maintainer would. List every defect with its line, its consequence and the smallest fix, most serious first. End with one sentence on whether to merge.'
const version = (at: string, content: string, more = '') =>
  `---\npublished_at: "${at}"\npublished_by: octocat\n${more}---\n${content}\n`
/** Every field that ranking rewards. */
const RICH =
  'description: Reviews a change and lists its defects with their lines and fixes.\ntags: [review]\nlicense: MIT\n'

const folder = temporaryFolder('prompt-hub-copies-')
for (const [path, content] of [
  ['/nina/careful-review/versions/1.0.0.md', version('2025-03-01T00:00:00Z', TEXT)],
  ['/nina/careful-review/index.md', '---\ntitle: Careful review\n---\n'],
  // A fork with better metadata, published today, with a changed sentence and a minor version after it.
  ['/zoe/careful-review/versions/1.0.0.md', version('2026-11-20T00:00:00Z', `${TEXT} Be kind.`)],
  ['/zoe/careful-review/versions/1.1.0.md', version('2026-11-20T01:00:00Z', `${TEXT} Be kind!`, 'changelog: Kinder\n')],
  [
    '/zoe/careful-review/index.md',
    `---\ntitle: Careful review\nforked_from: nina/careful-review@1.0.0\n${RICH}---\nReadme\n`,
  ],
  // The same words with other punctuation, which does not say that it is a copy.
  [
    '/mallory/careful-review/versions/1.0.0.md',
    version('2026-11-20T00:00:00Z', TEXT.replaceAll('.', '!').toUpperCase()),
  ],
  ['/mallory/careful-review/index.md', `---\ntitle: Careful review\n${RICH}---\nReadme\n`],
  ['/other/poem/versions/1.0.0.md', version('2026-11-19T00:00:00Z', 'Write a poem about the sea.')],
] as const)
  filesInto(folder)(path, content)
const hub = openMcpHub(folder)
afterAll(() => hub.close())

type Listed = { data: { owner: string; forked_from: string | null }[] }
const COPIES = ['mallory', 'zoe']

function expectOriginalFirst(owners: readonly string[]): void {
  expect(owners).toEqual(expect.arrayContaining(['nina', ...COPIES]))
  for (const copy of COPIES) expect(owners.indexOf('nina')).toBeLessThan(owners.indexOf(copy))
}

describe.each(['', '?sort=top', '?sort=trending', '?sort=new'])('lists %s', (query) => {
  test('the original stands before its copies', async () => {
    const { data } = (await hub.rest(`/api/v1/repos${query}`)) as Listed
    expectOriginalFirst(data.map(({ owner }) => owner))
  })
})

describe.each([
  'careful review',
  'careful-review',
  'every defect with its line',
  'review defects fixes',
  'kind',
  'reviewing changes lines',
])('searches %s', (q) => {
  const inOrder = (owners: string[]) => {
    if (owners.includes('nina')) {
      for (const copy of COPIES.filter((owner) => owners.includes(owner)))
        expect(owners.indexOf('nina')).toBeLessThan(owners.indexOf(copy))
    } else expect(owners.length).toBeGreaterThan(0)
  }

  test.each(['', '&sort=top', '&sort=trending', '&sort=new'])('the API and its suggestions %s', async (sort) => {
    const { data } = (await hub.rest(`/api/v1/repos?q=${encodeURIComponent(q)}${sort}`)) as Listed
    inOrder(data.map(({ owner }) => owner))
  })

  test('the search page', async () => {
    const question = { q, tags: [], sort: undefined, owner: undefined, license: undefined, page: 1 }
    const all = { ...question, withVariables: false, withProvenance: false, withResults: false, kind: undefined }
    const { rows } = await findPrompts(all, hub.hub.search())
    inOrder(rows.map(({ owner }) => owner))
  })

  test('search_prompts', async () => {
    const { structuredContent } = (await hub.tool('search_prompts', { q })) as { structuredContent: Listed }
    inOrder(structuredContent.data.map(({ owner }) => owner))
  })
})

describe('MCP', () => {
  test('search_prompts without words', async () => {
    const { structuredContent } = (await hub.tool('search_prompts', {})) as { structuredContent: Listed }
    expectOriginalFirst(structuredContent.data.map(({ owner }) => owner))
  })

  test('search_prompts names the original of a fork', async () => {
    const { structuredContent } = (await hub.tool('search_prompts', { q: 'careful review' })) as {
      structuredContent: Listed
    }
    expect(Object.fromEntries(structuredContent.data.map(({ owner, forked_from }) => [owner, forked_from]))).toEqual({
      nina: null,
      zoe: 'nina/careful-review@1.0.0',
      mallory: null,
    })
  })

  test('prompts/list and resources/list: in this order, and a fork names its original', async () => {
    const { prompts } = (await hub.call('prompts/list')) as { prompts: { title: string; description: string }[] }
    expectOriginalFirst(prompts.map(({ title }) => title.split('/')[0]!))
    const fork = prompts.find(({ title }) => title === 'zoe/careful-review')
    expect(fork?.description).toMatch(/^Careful review \(fork of nina\/careful-review\): Reviews/)
    const { resources } = (await hub.call('resources/list')) as { resources: { name: string; description: string }[] }
    expectOriginalFirst(resources.map(({ name }) => name.split('/')[0]!))
  })
})
