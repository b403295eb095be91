// Tests for reading lists: every page in every sort order, and lists by tag.
import { describe, expect, test } from 'vitest'
import { words } from '../../words.ts'
import type { Answer, Json } from '../client.ts'
import { data, type List, meta, NO_ITEMS, names, type Reading, SORTS } from './hub.ts'

const TRENDING = words`first-release minor-release three-weeks-ago patches yanked too-long-ago`
/** Some prompts in the order of section 5; src/catalogue/ranking.test.ts tests its rules. */
const ORDERS = {
  top: ['zz-rated/described', 'zz-rated/vouched', 'zz-rated/nothing'],
  trending: TRENDING.map((name) => `zz-trend/${name}`),
  new: ['zz-trend/first-release', 'zz-trend/too-long-ago', 'zz-trend/yanked'],
}

export function lists(hub: Reading): void {
  const { content, listed, tags, send, found, each, order, record } = hub

  describe('lists', () => {
    test.each(SORTS)('%s: lists every page, by following next, in the order of section 5', async (sort) => {
      const pages = Math.ceil(listed.length / 20)
      const seen: string[] = []
      let path: string | undefined = `/api/v1/repos?sort=${sort}`
      for (let page = 1; path; page++) {
        const answer: Answer = await found(path)
        expect(answer.json().meta).toEqual({ page, pages, total: listed.length })
        for (const summary of (answer.json() as List).data) {
          const repository = listed.find((one) => one.full_name === summary.full_name)
          if (!repository) throw new Error(`${summary.full_name} is in a list`)
          expect(summary).toMatchObject(record(repository))
        }
        expect(names(answer)).toHaveLength(page < pages ? 20 : listed.length - 20 * (pages - 1))
        seen.push(...names(answer))
        const { next, prev } = hub.links(answer)
        if (page === 1) expect(prev).toBeUndefined()
        else expect(new URL(prev ?? '', hub.base).searchParams.get('page')).toBe(String(page - 1))
        expect(next === undefined, `rel="next" of page ${page} of ${pages}`).toBe(page === pages)
        path = next
      }
      expect(seen.toSorted()).toEqual(listed.map(({ full_name }) => full_name).toSorted())
      expect(seen.filter((name) => ORDERS[sort].includes(name))).toEqual(ORDERS[sort])
    })

    test('sorts by top by default', async () => {
      expect(names(await found('/api/v1/repos'))).toEqual(names(await found('/api/v1/repos?sort=top')))
    })

    test('returns an empty list for a page past the end, not an error', async () => {
      const pages = Math.ceil(listed.length / 20)
      for (const page of [pages + 1, 100_000]) {
        const answer = await found(`/api/v1/repos?page=${page}`)
        expect(answer.json()).toEqual({ data: [], meta: { page, pages, total: listed.length } })
        expect(hub.links(answer).next).toBeUndefined()
      }
    })

    test('omits archived repositories and those without an active version from every list, tag and search', async () => {
      const hidden = content.repositories.filter((repository) => !repository.listed)
      expect(hidden.length).toBeGreaterThan(0)
      const everything = (await send('/data/v1/index.json')).json() as List
      for (const { full_name, owner, name } of hidden) {
        expect(everything.data.map((one) => one.full_name)).not.toContain(full_name)
        expect(names(await found(`/api/v1/repos?q=${name}`))).not.toContain(full_name)
        const user = data(await found(`/api/v1/users/${owner}`))
        expect((user.repos as Json[]).map((one) => one.full_name)).not.toContain(full_name)
      }
    })
  })

  describe('tags', () => {
    test('lists all tags with the number of listed repositories, highest count first, then by name', async () => {
      const answer = (await found('/api/v1/tags')).json() as List
      expect(answer.data).toMatchObject(
        tags.map((tag) => ({ ...tag, url: `${hub.base}/api/v1/repos?tag=${tag.name}` })),
      )
      expect(answer.data).toHaveLength(tags.length)
      expect(answer.meta).toEqual({ page: 1, pages: 1, total: tags.length })
    })

    test('the URL of a tag lists its repositories', async () => {
      await each(tags.slice(0, 12), async ({ name, count }) => {
        const answer = await found(`/api/v1/repos?tag=${name}`)
        expect(meta(answer).total).toBe(count)
        const carriers = await order('top', (one) => one.tags.includes(name))
        expect(names(answer)).toEqual(carriers.slice(0, 20))
      })
    })

    test('several tags must all match, in any order', async () => {
      const pairs = listed.flatMap((one) => one.tags.slice(1).map((tag) => [one.tags[0] ?? '', tag] as const))
      await each(pairs.slice(0, 8), async ([one, other]) => {
        const both = await order('new', ({ tags }) => tags.includes(one) && tags.includes(other))
        const path = `/api/v1/repos?tag=${one}&sort=new&tag=${other}`
        expect(names(await found(path))).toEqual(both.slice(0, 20))
      })
      const repeated = await found(`/api/v1/repos?tag=${tags[0]?.name}&tag=${tags[0]?.name}`)
      expect(meta(repeated).total).toBe(tags[0]?.count)
      const unknown = await found(`/api/v1/repos?tag=${tags[0]?.name}&tag=no-such-tag`)
      expect(unknown.json()).toEqual(NO_ITEMS)
    })

    //  case                     tag
    test.each([
      ['unknown', 'no-such-tag'],
      ['a property of every object', '__proto__'],
      ['upper case', 'WRITING'],
      ['a path', '..%2F..%2Findex'],
      ['a quote', "writing'%20OR%201=1"],
    ])('%s: returns an empty list', async (_, tag) => {
      expect((await found(`/api/v1/repos?tag=${tag}`)).json()).toEqual(NO_ITEMS)
      expect((await found(`/api/v1/repos?tag=writing&tag=${tag}&sort=new`)).json()).toEqual(NO_ITEMS)
    })
  })
}
