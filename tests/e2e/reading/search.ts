// Read tests for search: what a query finds, in which order, and how its words are interpreted.
import { describe, expect, test } from 'vitest'
import type { Answer } from '../client.ts'
import { type List, meta, names, type Reading, SORTS } from './hub.ts'

export function search(hub: Reading): void {
  const { listed, starter, get, found, refused, order, record } = hub

  describe('search', () => {
    const search = async (q: string, more = '') => names(await found(`/api/v1/repos?q=${encodeURIComponent(q)}${more}`))
    const sampled = starter[0] ?? listed[0]
    if (!sampled) throw new Error('no repository at all')

    test('a full name finds its repository first', async () => {
      expect((await search(sampled.full_name))[0]).toBe(sampled.full_name)
    })

    test('results are pages of summaries like any other list', async () => {
      const answer = await found(`/api/v1/repos?q=${encodeURIComponent(sampled.title)}`)
      const { page, pages, total } = meta(answer)
      expect([page, pages]).toEqual([1, Math.ceil(total / 20)])
      expect((answer.json() as List).data).toContainEqual(expect.objectContaining(record(sampled)))
    })

    test('sorts by the requested order, or by relevance without one', async () => {
      // In every order, full matches come before partial matches; this word has no partial matches.
      const word = 'zz-trend'
      const best = await found(`/api/v1/repos?q=${word}`)
      expect(meta(best)).toMatchObject({ pages: 1, matched: { exact: meta(best).total } })
      const matches = new Set(names(best))
      expect(matches.size).toBeGreaterThan(3)
      for (const sort of SORTS) {
        const sorted = await found(`/api/v1/repos?q=${word}&sort=${sort}`)
        expect(meta(sorted)).toEqual(meta(best))
        expect(names(sorted)).toEqual(await order(sort, (one) => matches.has(one.full_name)))
      }
    })

    test('npx skills find has skills alone, of one owner if it asks for one', async () => {
      const skills = await found('/api/v1/repos?kind=skill')
      const ask = async (query: string) => (await (await fetch(`${hub.base}/api/search?${query}`)).json()) as SkillList
      const all = await ask('limit=100')
      expect([all.query, all.count, all.skills.length]).toEqual(['', meta(skills).total, meta(skills).total])
      expect(all.skills.map(({ id }) => id).slice(0, 20)).toEqual(names(skills))
      const [first] = all.skills
      if (!first) return
      const [owner] = first.id.split('/')
      expect(first).toMatchObject({ source: `${hub.base}/${owner}`, installs: 0 })
      const own = await ask(`q=${encodeURIComponent(first.name)}&owner=${owner}&limit=1`)
      expect(own.skills).toEqual([first])
      expect((await ask(`q=${encodeURIComponent(first.name)}&owner=zz-none`)).skills).toEqual([])
      expect((await fetch(`${hub.base}/api/search?q=${'x'.repeat(201)}`)).status).toBe(400)
    })

    //  case                 q
    test.each([
      ['an unclosed phrase', '"review'],
      ['SQL', "'; DROP TABLE prompts; --"],
      ['NUL', '\0'],
      ['line breaks', 'review\r\nX-Injected: 1'],
      ['an inherited property name', '__proto__'],
      ['200 code points of four bytes', '🦄'.repeat(200)],
    ])('%s is treated as text', async (_, q) => {
      const answer = await found(`/api/v1/repos?q=${encodeURIComponent(q)}`)
      expect(meta(answer)).toMatchObject({ page: 1, total: expect.any(Number) })
    })

    //  case                 q
    test.each([['201 code points of four bytes', '🦄'.repeat(201)]])('rejects %s', async (_, q) => {
      expect(await refused(`/api/v1/repos?q=${encodeURIComponent(q)}`)).toMatch(/200/)
    })

    test('invalid UTF-8 is treated as text or rejected, never a server error', async () => {
      expect([200, 400]).toContain((await get('/api/v1/repos?q=%FF%C3')).status)
    })

    // tests/stores/search-index.test.ts has more.
    //  case                                    q                             found
    test.each<[string, string, string[]]>([
      ['words of different fields', 'flarnholt snarfblatt wobbletag', ['every-field']],
      ['prompts with one of two words', 'flarnholt grobnik', ['every-field', 'grobnik']],
      ['the last word as a prefix', 'flarnholt snarf', ['every-field']],
      ['a typo between two words finds both', 'harvestox', ['exact', 'nearly']],
      ['Persian', 'فارسی', ['persian']],
      ['AND is a word', 'snarfblatt AND flarnholt', ['every-field']],
      ['a deprecated repository is found', 'superseededword', ['zz-suite/deprecated']],
      ['an archived repository is not found', 'mothballedword', []],
      ['a repository without an active version is not found', 'vanishedword', []],
      ['the content of a yanked version is not found', 'retractedword', []],
    ])('%s', async (_, q, expected) => {
      const full = expected.map((name) => (name.includes('/') ? name : `zz-search/${name}`))
      const got = await search(q)
      // If each of two results matches one word, either may come first.
      if (/both|one of two words$/.test(_)) expect(got.toSorted()).toEqual(full)
      else expect(got).toEqual(full)
    })

    //  case                       q                        total  exact  corrected                     ignored
    test.each<[string, string, number, number, Record<string, string>, string[]]>([
      ['a typo', 'flarnhult snarfblatt', 1, 0, { flarnhult: 'flarnholt' }, []],
      ['an unknown word', 'qqxzvk snarfblatt', 1, 0, {}, ['qqxzvk']],
      ['no words', '"', 0, 0, {}, []],
    ])('%s: meta shows how the words were interpreted', async (_, q, total, exact, corrected, ignored) => {
      expect(meta(await found(`/api/v1/repos?q=${encodeURIComponent(q)}`))).toEqual({
        page: 1,
        pages: Math.ceil(total / 20),
        total,
        total_is_exact: true,
        matched: { exact, corrected, ignored },
      })
    })

    test('q and tag are combined with AND', async () => {
      expect(await search('snarfblatt', '&tag=wobbletag')).toEqual(['zz-search/every-field'])
      expect(await search('snarfblatt', '&tag=writing')).toEqual([])
      expect(await search('snarfblatt', '&tag=wobbletag&tag=writing')).toEqual([])
      const odd = await order('new', (one) => one.tags.includes('zz-odd'))
      expect(await search('pagedword', '&tag=zz-odd&sort=new')).toEqual(odd.slice(0, 20))
    })

    test.each(['text', 'chat', 'skill'])('kind=%s lists what is one, and is combined with the others', async (kind) => {
      const pages = Array.from({ length: Math.ceil(listed.length / 20) }, (_, at) =>
        found(`/api/v1/repos?page=${at + 1}`),
      )
      const all = (await Promise.all(pages)).flatMap((answer) => (answer.json() as List).data)
      const ofKind = all.filter((one) => one.kind === kind)
      expect(ofKind.length).toBeGreaterThan(0)
      expect(meta(await found(`/api/v1/repos?kind=${kind}`))).toMatchObject({ total: ofKind.length })
      const tagged = ofKind
        .filter(({ tags }) => (tags as string[]).includes('writing'))
        .map(({ full_name }) => full_name)
      expect(names(await found(`/api/v1/repos?kind=${kind}&tag=writing`))).toEqual(tagged.slice(0, 20))
      const { data } = (await found(`/api/v1/repos?kind=${kind}&q=a`)).json() as List
      expect(data.filter((one) => one.kind !== kind)).toEqual([])
    })

    test('later pages keep the query', async () => {
      const seen: string[] = []
      let path: string | undefined = '/api/v1/repos?tag=zz-many&q=pagedword&sort=new'
      for (let page = 1; path; page++) {
        const answer: Answer = await found(path)
        expect(meta(answer)).toMatchObject({
          page,
          pages: 3,
          total: 45,
          total_is_exact: true,
          matched: { exact: 45 },
        })
        seen.push(...names(answer))
        path = hub.links(answer).next
        if (path) {
          const { searchParams } = new URL(path, hub.base)
          expect(Object.fromEntries(searchParams)).toEqual({
            tag: 'zz-many',
            q: 'pagedword',
            sort: 'new',
            page: String(page + 1),
          })
        }
      }
      expect(seen).toEqual(await order('new', (one) => one.owner === 'zz-many'))
    })

    test('pages sorted by relevance list no repository twice', async () => {
      const pages = await Promise.all([1, 2, 3].map((page) => search('pagedword', `&page=${page}`)))
      expect(pages.flat().toSorted()).toEqual(
        listed
          .filter((one) => one.owner === 'zz-many')
          .map((one) => one.full_name)
          .toSorted(),
      )
    })

    test('pages filtered by tag keep all tags', async () => {
      const first = await found('/api/v1/repos?tag=zz-odd&tag=zz-many')
      expect(meta(first)).toEqual({ page: 1, pages: 2, total: 23 })
      const next = hub.links(first).next ?? ''
      expect(new URL(next, hub.base).searchParams.getAll('tag').toSorted()).toEqual(['zz-many', 'zz-odd'])
      const second = await found(next)
      expect(meta(second)).toEqual({ page: 2, pages: 2, total: 23 })
      expect([...names(first), ...names(second)]).toEqual(await order('top', (one) => one.tags.includes('zz-odd')))
    })
  })
}

/** The answer to `npx skills find`. */
interface SkillList {
  query: string
  count: number
  skills: { id: string; name: string; source: string; installs: number }[]
}
