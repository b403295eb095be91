// Checks that `npm run dev` serves every page of a hub, rendered by Astro's own server from the current records.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Server } from './targets.ts'
import { npmTarget } from './targets.ts'

let dev: Server

beforeAll(async () => {
  dev = await npmTarget('dev').start({ contentDir: 'content', limit: 0 })
}, 120_000)
afterAll(() => dev?.stop())

//  page                                          text on it
test.each([
  ['/', 'Publish and version prompts like packages'],
  ['/acme/code-review', 'You review a change'],
  ['/acme/code-review/v/1.0.0', 'This is version 1.0.0. The latest is'],
  ['/acme/code-review/compare/1.0.0...2.0.0', 'Breaking change'],
  ['/acme/code-review/v/2.1.0/SKILL.md', 'version: "2.1.0"'],
  ['/acme', 'acme/code-review'],
  ['/tags/engineering', 'acme/code-review'],
  ['/search?q=code+review', 'acme/code-review'],
  ['/docs/reading', 'Reading prompts'],
  ['/settings', 'Account'],
  ['/acme/code-review/feed.xml', '<feed xmlns="http://www.w3.org/2005/Atom">'],
])('serves %s', { timeout: 30_000 }, async (path, words) => {
  const answer = await fetch(dev.base + path)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain(words)
})

test('returns 404 for an unknown page and redirects an upper-case path to lower case', {
  timeout: 30_000,
}, async () => {
  expect((await fetch(`${dev.base}/acme/nothing-of-that-kind`)).status).toBe(404)
  const moved = await fetch(`${dev.base}/Acme/Code-Review`, { redirect: 'manual' })
  expect([moved.status, moved.headers.get('Location')]).toEqual([308, '/acme/code-review'])
})
