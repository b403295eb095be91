// Tests search results: their order, how words are interpreted and reported, and that an updated index equals a new
// index. See docs/contract.md section 4.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { buildCatalogue, type Catalogue } from '../../src/catalogue/catalogue.ts'
import type { Equivalents } from '../../src/catalogue/search/equivalents.ts'
import { openSearchIndex } from '../../src/search/open-index.ts'
import type { SearchQuery } from '../../src/search/search.ts'
import { buildSearchIndex, editSearchIndex, readIndexNumber, startSearchIndex } from '../../src/search/write-index.ts'
import { anIndex, aRepository, aTree, aVersion } from '../fixtures/records.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'

const dir = temporaryFolder('prompt-hub-ranking-')

interface Prompt {
  title?: string
  description?: string
  tags?: string[]
  readme?: string
  content?: string
  forked_from?: string
}

function catalogueOf(prompts: Readonly<Record<string, Prompt>>, equivalents: Equivalents = []): Catalogue {
  const repositories = Object.entries(prompts).map(([name, { content = 'x', ...index }]) =>
    aRepository(`acme/${name}`, { file: anIndex(index), versions: [aVersion('1.0.0', { content })] }),
  )
  return buildCatalogue({ ...aTree(repositories), equivalents }, { baseUrl: 'https://hub.example', day: '2026-11-02' })
}

let count = 0
function open(catalogue: Catalogue) {
  const path = join(dir, `${++count}.db`)
  buildSearchIndex(catalogue, path)
  const search = openSearchIndex(path)
  afterAll(() => search.close())
  return async (text: string, given: Partial<SearchQuery> = {}) => {
    const answer = await search.find({ text, tags: [], sort: undefined, offset: 0, limit: 50, ...given })
    return { names: answer.matches.map(({ name }) => name), total: answer.total, ...answer.matched }
  }
}

describe('result order', () => {
  const find = open(
    catalogueOf({
      'meeting-notes': { description: 'About anything.' },
      titled: { title: 'Meeting notes' },
      'notes-of-a-long-meeting': {},
      together: { content: 'Write the meeting notes.' },
      anywhere: { content: 'A meeting first, then some notes.' },
      'half-of-it': { title: 'Meeting', description: 'A meeting.' },
      other: { content: 'Nothing of that.' },
    }),
  )
  test('exact name or title first, then words in them, then the phrase, then words anywhere', async () => {
    const { names, exact, total } = await find('meeting notes')
    expect(names.slice(0, 2).toSorted()).toEqual(['meeting-notes', 'titled'])
    expect(names.slice(2)).toEqual(['notes-of-a-long-meeting', 'together', 'anywhere'])
    expect({ exact, total }).toEqual({ exact: 5, total: 5 })
  })
  test('the exact full name ranks before a title with the same words', async () => {
    expect((await find('acme/meeting-notes')).names[0]).toBe('meeting-notes')
  })
  test('the exact name of a fork is not behind partial matches: its original comes up instead', async () => {
    const ask = open(
      catalogueOf({
        summary: { content: 'A checker of texts.' },
        'prose-checker': { forked_from: 'acme/summary@1.0.0' },
        checker: { title: 'Checker' },
        another: { description: 'Another checker.' },
        // Without these, the word is so common that a match of it alone is too weak.
        ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`filler-${index}`, {}])),
      }),
    )
    expect((await ask('prose checker')).names).toEqual(['summary', 'prose-checker', 'checker', 'another'])
    expect((await ask('checker')).names).toEqual(['checker', 'another', 'summary', 'prose-checker'])
  })
  test('an exact name comes first, however many other prompts match the word better', async () => {
    const others = Array.from({ length: 1_300 }, (_, index) => [
      `a${index}`,
      { title: `Grammar ${index}`, tags: ['writing'] },
    ])
    const ask = open(catalogueOf({ ...Object.fromEntries(others), grammar: { title: 'Check a text' } }))
    expect((await ask('grammar')).names[0]).toBe('grammar')
    expect(await ask('grammar', { limit: 1 })).toMatchObject({ exact: expect.any(Number), ignored: [] })
  })
  test.each([1, 2, 40, 41, 63, 64])('a one-word name of %i letters is found first', async (letters) => {
    const name = 'Ab'.repeat(32).toLowerCase().slice(0, letters)
    const ask = open(catalogueOf({ [name]: { title: 'Something else' }, other: { title: 'Something else again' } }))
    for (const text of [name, `acme/${name}`]) expect((await ask(text)).names[0]).toBe(name)
  })
  test('partial matches follow when few prompts match every word', async () => {
    const { names, exact } = await find('titled meeting notes')
    expect(names[0]).toBe('titled')
    expect(names.length).toBeGreaterThan(1)
    expect(exact).toBe(1)
  })
  test('weak partial matches follow only when no prompt matches much better', async () => {
    const many = Array.from({ length: 20 }, (_, index) => [`p${index}`, { content: 'Some filler.' }])
    const ask = open(
      catalogueOf({
        ...Object.fromEntries(many),
        common: { title: 'Common' },
        ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`c${index}`, { content: 'common' }])),
        rare: { content: 'rare' },
        seldom: { content: 'seldom' },
        both: { content: 'rare common' },
      }),
    )
    expect((await ask('rare common')).names).toEqual(['both', 'rare'])
    expect((await ask('rare seldom common')).names).toEqual(['seldom', 'rare', 'both'])
  })
  test('a requested sort order keeps the same number of full matches', async () => {
    const { names, exact } = await find('meeting notes', { sort: 'new' })
    expect(exact).toBe(5)
    expect(names).toHaveLength(5)
  })
  test('consecutive pages follow one order', async () => {
    const { names } = await find('meeting')
    const pages = await Promise.all([0, 2, 4].map((offset) => find('meeting', { offset, limit: 2 })))
    expect(pages.flatMap((page) => page.names)).toEqual(names)
  })
})

describe('stems, equivalents and corrections', () => {
  const find = open(
    catalogueOf(
      {
        'summary-writer': { description: 'Summarizes texts in the color of your choice.' },
        'landing-page': {},
        flashcards: {},
        documents: { tags: ['incident'], content: 'Incidents on the net.' },
        kubernetes: { content: 'Look at the pods.' },
        'pull-request': { title: 'Pull request description' },
        'recipe-scaler': {},
        recommendation: { tags: ['recommendation'] },
        'the-who': { title: 'The Who' },
      },
      [
        ['k8s', 'kubernetes'],
        ['pr', 'pull request'],
      ],
    ),
  )
  test.each([
    //             typed              found               corrected                              ignored
    ['a stem', 'summarizing', 'summary-writer', {}, []],
    ['British spelling', 'summarise colour', 'summary-writer', {}, []],
    ['stop words', 'how do I write a summary of the text', 'summary-writer', {}, []],
    ['only stop words', 'the who', 'the-who', {}, []],
    ['stop words in a hyphenated word', 'look-at-the-pods', 'kubernetes', {}, []],
    ['an equivalent', 'k8s', 'kubernetes', {}, []],
    ['an equivalent with two words', 'pr', 'pull-request', {}, []],
    ['joined words', 'landingpage', 'landing-page', { landingpage: 'landing page' }, []],
    ['split words', 'flash cards', 'flashcards', { flash: 'flashcards', cards: 'flashcards' }, []],
    ['a stem is not a part of a split word', 'incidnet', 'documents', { incidnet: 'incident' }, []],
    ['one typo', 'flashcrads', 'flashcards', { flashcrads: 'flashcards' }, []],
    ['two typos in a long word', 'recomendatoin', 'recommendation', { recomendatoin: 'recommendation' }, []],
    ['a prefix', 'recomm', 'recommendation', {}, []],
    ['a short prefix', 'ku', 'kubernetes', {}, []],
    ['an unknown word', 'xyzzyx landing', 'landing-page', {}, ['xyzzyx']],
    ['an inherited property name', 'constructor landing', 'landing-page', {}, ['constructor']],
  ] as const)('%s', async (_, text, name, corrected, ignored) => {
    const answer = await find(text)
    expect({ ...answer, names: answer.names[0] }).toMatchObject({ names: name, corrected, ignored })
    expect(answer.exact).toBe(Object.keys(corrected).length + ignored.length > 0 ? 0 : answer.exact)
  })
  test.each(['xoe', 'xyzzyx', 'k9s'])('%s is not corrected and matches nothing', async (text) => {
    expect(await find(text)).toMatchObject({ names: [], total: 0, exact: 0, ignored: [text] })
  })
})

describe('avoiding misleading matches', () => {
  const find = open(
    catalogueOf(
      {
        'a-draft': { title: 'Draft' },
        'dnd-builder': { title: 'Encounters for an evening of D&D and dice' },
        aggregation: { title: 'Aggregation pipeline' },
        actions: { description: 'Builds a continuous integration pipeline.' },
        scanner: { title: 'Scan' },
        'phishing-mail': { title: 'Phishing mail' },
        evaluation: { title: 'Evaluation of output' },
        output: { content: 'Some output.' },
        letters: { content: 'A mail.' },
      },
      [['continuous integration', 'pipeline']],
    ),
  )
  test.each([
    ['letters typed together match letters that are together in a title', 'd&d', 'dnd-builder', {}],
    ['an expansion typed in full is not expanded further', 'continuous integration pipeline', 'actions', {}],
    ['a corrected word counts less than a typed one', 'scam mail', 'phishing-mail', { scam: 'scan' }],
    ['an unknown word may be an abbreviation', 'eval output', 'evaluation', { eval: 'evaluation' }],
  ] as const)('%s', async (_, text, name, corrected) => {
    const answer = await find(text)
    expect({ ...answer, names: answer.names[0] }).toMatchObject({ names: name, corrected })
  })
})

describe('abbreviations', () => {
  const find = open(
    catalogueOf(
      {
        'pull-request': { title: 'Pull request description' },
        targets: { title: 'Measure what matters', description: 'A key performance indicator for a team.' },
        incident: { title: 'Find the root cause analysis' },
      },
      [
        ['pr', 'pull request'],
        ['kpi', 'key performance indicator'],
        ['ab test', 'a b test'],
      ],
    ),
  )
  test.each([
    ['in the plural', 'PRs', 'pull-request', {}],
    ['in an irregular plural', 'kpis', 'targets', {}],
  ] as const)('%s', async (_, text, name, corrected) => {
    expect(await find(text)).toMatchObject({ names: [name], total: 1, corrected, ignored: [] })
  })
  test('an abbreviation finds its long forms, but a long form does not find the abbreviation', async () => {
    const prompts = {
      model: { title: 'Data model' },
      schema: { title: 'Schema' },
      diagram: { title: 'ERD', description: 'Draws a picture.' },
    }
    const ask = open(catalogueOf(prompts, [{ short: ['erd', 'db design'], long: ['data model', 'schemas'] }]))
    expect((await ask('erd')).names.toSorted()).toEqual(['diagram', 'model', 'schema'])
    expect((await ask('db designs')).names.toSorted()).toEqual(['model', 'schema'])
    expect((await ask('schema')).names).toEqual(['schema'])
    expect((await ask('data model')).names).toEqual(['model'])
  })
  test('a two-letter abbreviation is also expanded next to an unknown word', async () => {
    const prompts = { a: { title: 'Invoice reminder' }, b: { title: 'Cold email' } }
    const ask = open(catalogueOf(prompts, [['ar', 'reminder']]))
    expect(await ask('ar xyzzyx email')).toMatchObject({ names: expect.arrayContaining(['a']), ignored: ['xyzzyx'] })
  })
  test('finds an abbreviation with a repeated letter (R&R)', async () => {
    const prompts = { a: { title: 'Reply to referees' }, b: { title: 'Letter' } }
    const ask = open(catalogueOf(prompts, [['rr', 'referees']]))
    expect((await ask('R&R letter')).names).toContain('a')
    expect((await ask('R&R')).names).toEqual(['a'])
  })
  test('ignores an abbreviated stop word (w/o)', async () => {
    const prompts = { a: { description: 'Answers by o and w.' }, b: { title: 'Hints, not answers' } }
    expect(await open(catalogueOf(prompts))('hints w/o answers')).toMatchObject({ names: ['b', 'a'], exact: 1 })
  })
  test('an abbreviation with dots (P.R.) finds its long form first', async () => {
    expect((await find('P.R.')).names[0]).toBe('pull-request')
  })
  test.each(['rc', 'frc', 'fra', 'ftrc'])('%s is not an abbreviation', async (text) => {
    expect((await find(text)).names).toEqual([])
  })
})

describe('updating an index', () => {
  const vocabulary = words`
    review reviews code codes colour color translate translation 代码审查 zebra
  `
  const text = fc.array(fc.constantFrom(...vocabulary), { maxLength: 6 }).map((chosen) => chosen.join(' '))
  const prompt = fc.record({
    title: text.map((title) => title || 'Untitled'),
    description: text,
    readme: text,
    content: text.map((content) => content || 'x'),
    tags: fc.uniqueArray(fc.constantFrom('code', 'writing', 'team'), { maxLength: 2 }),
  })
  const prompts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'code', 'review', 'code-review'), prompt)
  const questions = [
    ...vocabulary,
    'code review',
    'reveiw',
    'tranlsate',
    'codereview',
    're',
    'c',
    'color zebra',
    'acme/a',
    '',
  ]

  test('gives the same results as a fresh build after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(prompts, { minLength: 2, maxLength: 4 }), async (states) => {
        const path = join(dir, `updated-${++count}.db`)
        startSearchIndex(path, catalogueOf(states[0]!), 0)
        for (let index = 1; index < states.length; index++) {
          const [before, after] = [states[index - 1]!, states[index]!]
          const names = (given: object) => Object.keys(given).map((name) => `acme/${name}`)
          editSearchIndex(path, catalogueOf(after), [...names(before), ...names(after)], index).commit()
        }
        const fresh = join(dir, `fresh-${count}.db`)
        buildSearchIndex(catalogueOf(states.at(-1)!), fresh)
        const [updated, built] = [openSearchIndex(path, { isEdited: true }), openSearchIndex(fresh)]
        try {
          for (const asked of questions) {
            for (const given of [{}, { sort: 'new' as const }, { tags: ['code'] }]) {
              const question = { text: asked, tags: [], sort: undefined, offset: 0, limit: 50, ...given }
              expect(await updated.find(question), asked).toEqual(await built.find(question))
            }
          }
          expect(await updated.listMenu()).toEqual(await built.listMenu())
          expect(await updated.completeName('', undefined, 9)).toEqual(await built.completeName('', undefined, 9))
        } finally {
          updated.close()
          built.close()
        }
      }),
      { numRuns: 6 },
    )
  })

  const ask = { text: 'zebra', tags: [], sort: undefined, offset: 0, limit: 5 }

  test('an open reader sees the changes once they are committed, and none that were cancelled', async () => {
    const path = join(dir, 'open.db')
    startSearchIndex(path, catalogueOf({ one: { content: 'zebra' } }), 1)
    const reader = openSearchIndex(path, { isEdited: true })
    const names = async () => (await reader.find(ask)).matches.map(({ name }) => name)
    const edit = () => editSearchIndex(path, catalogueOf({ two: { content: 'zebra' } }), ['acme/two', 'acme/one'], 2)
    expect(await names()).toEqual(['one'])
    edit().cancel()
    expect([await names(), readIndexNumber(path)]).toEqual([['one'], 1])
    const edited = edit()
    expect(await names()).toEqual(['one'])
    edited.commit()
    expect([await names(), readIndexNumber(path)]).toEqual([['two'], 2])
    reader.close()
  })

  test.each([
    ['missing', (path: string) => rmSync(path, { force: true })],
    ['broken', (path: string) => writeFileSync(path, 'no index')],
    ['cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 9_000))],
  ])('does not edit an index that is %s, which a new one then replaces', async (name, spoil) => {
    const path = join(dir, `${name.replace(' ', '-')}.db`)
    startSearchIndex(path, catalogueOf({ one: { content: 'zebra' } }), 1)
    spoil(path)
    const after = catalogueOf({ two: { content: 'zebra' } })
    expect(() => editSearchIndex(path, after, ['acme/two'], 2)).toThrow()
    startSearchIndex(path, after, 2)
    const search = openSearchIndex(path, { isEdited: true })
    expect((await search.find(ask)).total).toBe(1)
    search.close()
  })
})
