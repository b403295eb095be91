// Tests what a search finds: words, prefixes, accents, typos, tags and sort orders. No text is ever treated as a
// pattern.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import { filesInto } from '../../src/content/write-files.ts'
import { neighboursOf } from '../../src/domain/search/near-names.ts'
import { openSearchIndex } from '../../src/search/open-index.ts'
import type { SearchQuery } from '../../src/search/search.ts'
import { buildSearchIndex, openPreparedPrompts } from '../../src/search/write-index.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'

const dir = temporaryFolder('prompt-hub-search-')
const version = (content: string, day = 1) =>
  `---\npublished_at: "2026-01-0${day}T00:00:00Z"\npublished_by: octocat\n---\n${content}`
const index = (lines: string, readme = '') => `---\n${lines}\n---\n${readme}`

for (const [path, content] of [
  ['/a/code-review/versions/1.0.0.md', version('Look at the patch.')],
  [
    '/a/code-review/index.md',
    index('title: Code review\ntags: [code, quality]\ndescription: Finds real problems in a change and says so.'),
  ],
  ['/a/poetry/versions/1.0.0.md', version('A poem. The word review stands here by chance.', 2)],
  ['/a/cafe/versions/1.0.0.md', version('Crème brûlée für Äpfel; ΟΔΟΣΗΜΑ.', 3)],
  ['/a/cafe/index.md', index('title: Café menu\ntags: [code]')],
  ['/a/chinese/versions/1.0.0.md', version('请审查这段代码并给出建议', 4)],
  ['/a/thai/versions/1.0.0.md', version('กรุณาสรุปข้อความต่อไปนี้ให้สั้นลงและชัดเจน {{text}}', 7)],
  ['/a/lao/versions/1.0.0.md', version('ກະລຸນາສະຫຼຸບຂໍ້ຄວາມ', 8)],
  ['/a/khmer/versions/1.0.0.md', version('សូមសង្ខេបអត្ថបទនេះ', 9)],
  ['/a/letters/versions/1.0.0.md', version('Prüfe die Straße. œuvre cœur smørrebrød Øresund ærlig Đà Nẵng Łódź', 9)],
  ['/a/readme/versions/1.0.0.md', version('x', 5)],
  ['/a/readme/index.md', index('title: Notes', 'The zebra lives in the readme.')],
  ['/a/hidden/versions/1.0.0.md', version('zebra archived', 6)],
  ['/a/hidden/index.md', index('status: archived')],
] as const)
  filesInto(join(dir, 'content'))(path, content)
writeFileSync(join(dir, 'empty.db'), '')
const { tree, problems } = readContentDir(join(dir, 'content'))
const catalogue = buildCatalogue(tree, { baseUrl: 'http://localhost:8888', day: '2026-06-01' })
buildSearchIndex(catalogue, join(dir, 'search.db'))
const search = openSearchIndex(join(dir, 'search.db'))
afterAll(() => search.close())

const find = async (question: Partial<SearchQuery>) => {
  const { matches, total } = await search.find({
    text: '',
    tags: [],
    sort: undefined,
    offset: 0,
    limit: 20,
    ...question,
  })
  return { names: matches.map(({ name }) => name), total }
}

test('finds a prompt by each name that is almost its own, and by its name for an owner that is', async () => {
  const near = [
    'codereview',
    'code--review',
    'c0de-review',
    'code-revlew',
    'code-rev1ew',
    ...neighboursOf('code-review'),
  ]
  expect(near.length).toBeGreaterThan(800)
  for (const name of [...near, 'code-review'])
    expect([name, await search.findNear(name)]).toEqual([name, [{ owner: 'a', name: 'code-review' }]])
  expect(await search.findNear('code-rewrite')).toEqual([])
})

test('the fixture is valid content', () => expect(problems).toEqual([]))

describe('words', () => {
  test.each([
    ['a word in the title ranks before one in the content', 'review', ['code-review', 'poetry']],
    ['prompts with every word rank before others', 'review patch', ['code-review', 'poetry']],
    ['the last word may be a prefix', 'rev', ['code-review', 'poetry']],
    ['only the last word may be a prefix: the other is unknown and ignored', 'rev patch', ['code-review']],
    ['case does not matter', 'REVIEW pAtCh', ['code-review', 'poetry']],
    ['accents do not matter', 'creme brulee', ['cafe']],
    ['accents in the query do not matter', 'càfé', ['cafe']],
    ['nor do decomposed accents', 'cafe\u0301', ['cafe']],
    ['a final sigma may be a prefix', 'οδος', ['cafe']],
    ['the full name ranks first', 'a/code-review', ['code-review', 'cafe', 'poetry']],
    [
      'hyphenated words are separate words if no prompt has them together',
      'review-code',
      ['code-review', 'cafe', 'poetry'],
    ],
    ['a word in the readme', 'zebra', ['readme']],
    ['scripts without spaces', '代码', ['chinese']],
    ['scripts without spaces, in another order', '码代', []],
    ['a Thai word inside a run', 'สรุป', ['thai']],
    ['another Thai word', 'ข้อความ', ['thai']],
    ['a run of Thai words', 'สรุปข้อความ', ['thai']],
    ['a Lao word inside a run', 'ສະຫຼຸບ', ['lao']],
    ['a Khmer word inside a run', 'អត្ថបទ', ['khmer']],
    ['ss for ß', 'strasse', ['letters']],
    ['ß', 'straße', ['letters']],
    ['oe for œ', 'oeuvre coeur', ['letters']],
    ['o for ø', 'smorrebrod', ['letters']],
    ['o for Ø', 'oresund', ['letters']],
    ['ae for æ', 'aerlig', ['letters']],
    ['d for Đ and l for Ł', 'da nang lodz', ['letters']],
  ])('%s', async (_, text, names) => expect(await find({ text })).toEqual({ names, total: names.length }))
})

describe('a typo', () => {
  test.each([
    ['two letters swapped', 'reveiw', ['code-review', 'poetry']],
    ['a missing letter', 'revew', ['code-review', 'poetry']],
    ['an extra letter', 'revieew', ['code-review', 'poetry']],
    ['a wrong letter', 'rewiew', ['code-review', 'poetry']],
    ['in one of two words: partial matches are left out', 'reviwe patch', ['code-review']],
    ['in each of two words', 'reviwe codee', ['code-review', 'cafe', 'poetry']],
    ['in the first letter', 'zeview', ['code-review', 'poetry']],
    ['words of a single prompt are not suggested', 'pacth', []],
    ['two typos are not corrected', 'rwvieq', []],
    ['short words are not corrected', 'xoe', []],
  ])('%s', async (_, text, names) => expect((await find({ text })).names).toEqual(names))

  test('an exact match excludes similar words', async () =>
    expect((await find({ text: 'poem' })).names).toEqual(['poetry']))
})

describe('special characters in a query', () => {
  test.each([
    ...words`
      * AND OR NOT NEAR( title:review review* ^review -review (((
    `,
    ...[
      '"',
      '""',
      'NEAR(review patch)',
      'a AND',
      "'; DROP TABLE words; --",
      '\0',
      '😀',
      '{content}: review',
      'x'.repeat(200),
    ],
  ])('%j does not fail', async (text) => expect((await find({ text })).total).toBeGreaterThanOrEqual(0))
  test('punctuation between words does not change the results', async () => {
    const sign = fc.constantFrom(
      '"',
      '*',
      '^',
      ':',
      '-',
      '+',
      '(',
      ')',
      '{',
      '}',
      'NEAR('.slice(4),
      '\0',
      "'",
      '~',
      '.',
      ',',
      '|',
      '\\',
    )
    const word = fc.constantFrom('review', 'patch', 'code', 'cafe', 'reveiw', '代码')
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 4 }),
        fc.array(sign, { minLength: 5, maxLength: 5 }),
        async (words, signs) => {
          const typed = [...words.flatMap((one, index) => [signs[index]!, one]), signs[4]!].join(' ')
          expect((await find({ text: typed })).names).toEqual((await find({ text: words.join(' ') || '*' })).names)
        },
      ),
      { numRuns: 50 },
    )
  })
  test('random text of up to 200 characters does not fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        expect((await find({ text })).total).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 100 },
    )
  })
  test('FTS5 operators count as plain words', async () =>
    expect((await find({ text: 'review OR poem' })).names).toEqual(['poetry', 'code-review']))
  test('a column name counts as a plain word', async () =>
    expect((await find({ text: 'title:review' })).names).toEqual(['code-review', 'poetry']))
  test('a text without any word matches nothing', async () =>
    expect(await find({ text: '***' })).toEqual({ names: [], total: 0 }))
})

describe('tags, sorting and paging', () => {
  test.each([
    ['one tag', { tags: ['code'] }, ['cafe', 'code-review']],
    ['all of several tags', { tags: ['code', 'quality'] }, ['code-review']],
    ['an unknown tag', { tags: ['nothing'] }, []],
    ['a malformed tag', { tags: ['__proto__'] }, []],
    ['words and a tag', { text: 'review', tags: ['code'] }, ['code-review']],
    [
      'newest first',
      { sort: 'new' },
      ['letters', 'khmer', 'lao', 'thai', 'readme', 'chinese', 'cafe', 'poetry', 'code-review'],
    ],
    ['words, newest first', { text: 'review', sort: 'new' }, ['poetry', 'code-review']],
  ] as const)('%s', async (_, question, names) =>
    expect((await find(question)).names.toSorted()).toEqual([...names].toSorted()),
  )

  test('sort orders match the catalogue', async () => {
    for (const sort of ['top', 'trending', 'new'] as const)
      expect((await find({ sort })).names, sort).toEqual(catalogue.listed[sort].map(({ name }) => name))
  })
  test('a page is a slice of the full result', async () => {
    expect(await find({ sort: 'new', offset: 5, limit: 2 })).toEqual({ names: ['chinese', 'cafe'], total: 9 })
    expect(await find({ sort: 'new', offset: 9, limit: 2 })).toEqual({ names: [], total: 9 })
  })
  test('archived repositories are excluded', async () => expect((await find({ text: 'archived' })).total).toBe(0))
})

describe('broken files and rebuilds', () => {
  test.each([
    ['a missing file', join(dir, 'nothing.db')],
    ['a file that is not an index', join(dir, 'content/a/poetry/versions/1.0.0.md')],
    ['an empty file', join(dir, 'empty.db')],
  ])('opening %s throws an unavailable error', (_, path) => {
    expect(() => openSearchIndex(path)).toThrow(expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 5 }))
  })

  test('two builds of the same catalogue are byte-identical', () => {
    buildSearchIndex(catalogue, join(dir, 'again.db'))
    expect(readFileSync(join(dir, 'again.db')).equals(readFileSync(join(dir, 'search.db')))).toBe(true)
  })

  test('an index is the same if some of its prompts were prepared before', () => {
    const prepared = openPreparedPrompts()
    for (const [at, entry] of catalogue.entries.values().toArray().entries()) if (at % 3 > 0) prepared.add(entry)
    buildSearchIndex(catalogue, join(dir, 'prepared.db'), { isEditable: true, prepared: prepared.prompts })
    expect(prepared.prompts.size).toBeGreaterThan(5)
    expect(readFileSync(join(dir, 'prepared.db')).equals(readFileSync(join(dir, 'search.db')))).toBe(true)
  })
})

describe('the words for kinds of prompts', () => {
  const head = 'published_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\n'
  const files = {
    'a/still': `---\n${head}---\nStill water, chatty agenda.`,
    'a/stills': `---\n${head}---\nStills.`,
    'a/support-agent': `---\n${head}---\nAnswer politely.`,
    'a/pdf': `---\n${head}skill: {description: Fills in forms.}\n---\nFill it in.`,
    'a/talk': `---\n${head}format: chat\n---\n{{role "user"}}\nHello\n`,
  }
  const open = (names: readonly (keyof typeof files)[], file: string) => {
    const own = join(temporaryFolder('prompt-hub-kinds-'), 'content')
    for (const name of names) filesInto(own)(`/${name}/versions/1.0.0.md`, files[name])
    const path = join(dir, file)
    buildSearchIndex(
      buildCatalogue(readContentDir(own).tree, { baseUrl: 'http://localhost:8888', day: '2026-06-01' }),
      path,
    )
    return openSearchIndex(path)
  }
  const ask = async (opened: ReturnType<typeof open>, text: string) => {
    const { matches, matched } = await opened.find({ text, tags: [], sort: undefined, offset: 0, limit: 20 })
    return [matches.map(({ name }) => name), matched]
  }
  const asTyped = (exact: number) => ({ exact, corrected: {}, ignored: [] })

  test('find what they name', async () => {
    const opened = open(['a/still', 'a/stills', 'a/support-agent', 'a/pdf', 'a/talk'], 'kinds.db')
    for (const word of ['skill', 'Skills', 'agent skill', 'agent skills', 'pdf skill']) {
      const [names, matched] = await ask(opened, word)
      expect([word, (names as string[])[0], matched]).toEqual([word, 'pdf', asTyped(1)])
    }
    expect(await ask(opened, 'skills')).toEqual([['pdf'], asTyped(1)])
    expect(await ask(opened, 'agent')).toEqual([['support-agent', 'pdf'], asTyped(2)])
    expect((await ask(opened, 'chat'))[0]).toContain('talk')
    expect(await ask(opened, 'chats')).toEqual([['talk'], asTyped(1)])
    opened.close()
  })

  test('are not corrected or ignored where there is nothing of that kind', async () => {
    const opened = open(['a/still', 'a/stills'], 'none.db')
    for (const word of ['skill', 'skills', 'agents', 'chats'])
      expect([word, ...(await ask(opened, word))]).toEqual([word, [], asTyped(0)])
    opened.close()
  })
})
