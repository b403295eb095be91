// Read tests for the rate limit: it applies per client IP address, but not to static files, and a hub without content
// still responds.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../hubs/processes.ts'
import { serveSite } from '../../hubs/serve-site.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { expectError, expectPromises } from '../answers.ts'
import { type Answer, type Ask, openClient } from '../client.ts'
import { NO_ITEMS, type Reading } from './hub.ts'

const LIMIT = 12

export function limit(hub: Reading): void {
  describe('rate limit', () => {
    let limited: Awaited<ReturnType<typeof serveSite>>
    let ask: Ask
    beforeAll(async () => {
      const port = await freePort()
      const base = `http://localhost:${port}`
      limited = await serveSite({
        settings: { CONTENT_DIR: temporaryFolder(), RATE_LIMIT_PER_MINUTE: String(LIMIT), SITE_URL: base },
        serving: { port },
      })
      ask = openClient(base)
    })
    afterAll(() => limited?.stop())

    test('serves page 1 of an empty hub as a static file, which does not count towards the limit', async () => {
      for (let round = 0; round < 3; round++) {
        for (const path of ['index', 'tags', 'lists/top/1', 'lists/trending/1', 'lists/new/1']) {
          const answer = await ask(`/data/v1/${path}.json`)
          expect(answer.status, answer.request).toBe(200)
          expect(answer.json(), answer.request).toEqual(NO_ITEMS)
        }
      }
    })

    test(`${LIMIT} requests a minute, whatever headers the client sends, then 429 with Retry-After`, async () => {
      const paths = ['/api/v1/repos', '/api/v1/tags', '/api/v1/repos?q=review', '/api/v1/repos/no-such/thing']
      const answers: Answer[] = []
      for (let i = 0; i < LIMIT; i++) {
        const headers = { 'X-Forwarded-For': `192.0.2.${i}`, 'User-Agent': `client ${i}` }
        answers.push(expectPromises(await ask(paths[i % 4] ?? '', { headers }), hub.described))
      }
      expect(answers.map((answer) => answer.status)).toEqual(
        Array.from({ length: LIMIT }, (_, i) => (i % 4 === 3 ? 404 : 200)),
      )
      for (const i of [0, 1]) expect(answers[i]?.json()).toEqual(NO_ITEMS)
      const matched = { exact: 0, corrected: {}, ignored: ['review'] }
      expect(answers[2]?.json()).toEqual({ data: [], meta: { ...NO_ITEMS.meta, total_is_exact: true, matched } })
      for (const path of [...paths, '/api/v1/openapi.json']) {
        expectLimited(
          expectPromises(await ask(path, { headers: { 'X-Forwarded-For': '198.51.100.7' } }), hub.described),
        )
      }
      const check = { method: 'POST', headers: { 'Content-Type': 'text/markdown', 'Content-Length': '0' } }
      expectLimited(await ask('/api/v1/repos/no-such/thing/check', check))
      expect((await ask('/data/v1/index.json')).status, 'a plain file has no limit').toBe(200)
    })
  })
}

function expectLimited(answer: Answer): void {
  expectError(answer, 429)
  const wait = answer.headers['retry-after'] ?? ''
  expect(wait).toMatch(/^\d+$/)
  expect(Number(wait)).toBeGreaterThanOrEqual(1)
  expect(Number(wait)).toBeLessThanOrEqual(60)
}
