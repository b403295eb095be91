// Tests the small pictures of prompts: what they show, that they are the same each time, and that they stay small.
import { expect, test } from 'vitest'
import { DRAWN_CHARACTERS, drawSilhouette } from './silhouette.ts'

const pathsOf = (content: string) =>
  Object.fromEntries(
    [...drawSilhouette({ content }).matchAll(/<path class="(\w)" d="([^"]+)"/g)].map(([, kind, path]) => [kind, path]),
  )

test('a bar for each line, by its length, with headings, tags and variables of their own', () => {
  expect(pathsOf('# Heading\n\nShort\n<tag>\nHi {{name}}.\n')).toEqual({
    h: 'M6 8h4',
    t: expect.stringMatching(/^M6 14h2M6 22h1M\d+ 22h1$/),
    g: 'M6 18h2',
    v: 'M8 22h3',
  })
})

test('a long paragraph takes several rows, and a user’s turn in a chat is indented', () => {
  expect(pathsOf('word '.repeat(30)).t?.match(/M6 /g)).toHaveLength(3)
  expect(pathsOf('{{role "system"}}\nBe kind.\n\n{{role "user"}}\nHello there').t).toMatch(/^M6 8h\d+M13 16h\d+$/)
})

test('a skill has a second sheet', () => {
  const count = (isSkill: boolean) => drawSilhouette({ content: 'a', isSkill }).match(/<rect/g)!.length
  expect([count(false), count(true)]).toEqual([1, 2])
})

test.each([
  ['nothing', ''],
  ['blank lines', '\n'.repeat(10_000)],
  ['one long line', 'a'.repeat(1_000_000)],
  ['nothing but variables', '{{a}} '.repeat(100_000)],
  ['variables that are longer than a row', `{{${'a'.repeat(5_000)}}}`],
  ['open braces', '{{'.repeat(100_000)],
  ['hash signs', '#'.repeat(100_000)],
  ['markup', '<svg onload="x">&"\'\n'.repeat(1_000)],
])('%s: less than 1 kB, the same each time, without anything of the text', (_, content) => {
  const drawn = drawSilhouette({ content, isSkill: true })
  expect(drawn.length).toBeLessThan(1_000)
  expect(drawn).toBe(drawSilhouette({ content: content.slice(0, DRAWN_CHARACTERS), isSkill: true }))
  expect(drawn).toMatch(/^(?:<rect(?: \w+="[\d.]+")+\/>|<path class="\w" d="[Mh\d .]*"\/>)+$/)
})
