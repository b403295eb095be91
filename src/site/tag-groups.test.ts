// Tests which tags are shown together.
import { expect, test } from 'vitest'
import type { RepositorySummary } from '../domain/api/schema.ts'
import { groupTags } from './tag-groups.ts'

/** Groups the tags of prompts, each given by its tags. */
async function group(...prompts: string[][]) {
  const counts = new Map<string, number>()
  for (const tag of prompts.flat()) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  const tags = [...counts].map(([name, count]) => ({ name, count, url: '' })).sort((a, b) => b.count - a.count)
  const listPrompts = async (_sort: string, _page: number, tag?: string) => ({
    data: prompts.filter((own) => own.includes(tag!)).map((own) => ({ tags: own }) as RepositorySummary),
    meta: { total: 0, page: 1, per_page: 20, pages: 1 },
  })
  const { groups, others } = await groupTags(tags, { listPrompts: listPrompts as never })
  return [...groups.map(({ subject, tags }) => [subject, ...tags]), others].map((names) =>
    names.map(({ name }) => name).join(' '),
  )
}

test('a tag joins the common tag with which it occurs most; of two common ones, the smaller joins if half of it is there', async () => {
  const writing = ['writing', 'email']
  expect(
    await group(
      writing,
      writing,
      writing,
      ['writing', 'tone'],
      ['code', 'git'],
      ['code', 'sql'],
      ['code', 'tone'],
      ['code', 'tone'],
    ),
  ).toEqual(['writing email', 'code tone git sql', ''])
})

test('a common tag without company, and tags of few prompts, are among the others', async () => {
  expect(await group(['shop'], ['shop'], ['shop'], ['one'], ['two', 'three'])).toEqual(['shop one two three'])
  expect(await group()).toEqual([''])
})
