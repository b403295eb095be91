// `npm run preview`: the site as Netlify's own development server serves it, with all functions. bundles.test.ts tests
// their routes.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Run, startProcess } from '../hubs/processes.ts'

let base: string
let run: Run
beforeAll(async () => {
  ;({ base, run } = await startProcess({ command: ['npm', 'run', 'preview'] }))
})
afterAll(() => run?.end())

// A function starts with its first request, which takes longer than a request may take on a busy machine.
const ask = async (path: string, init?: RequestInit) => {
  const found = await expect
    .poll(() => fetch(base + path, init).catch(() => undefined), { interval: 200 })
    .not.toBeUndefined()
    .then(() => fetch(base + path, init))
  return { status: found.status, type: found.headers.get('content-type'), headers: found.headers, text: await found.text() }
}

test('records, texts with conditions, lists and errors are those of the API', async () => {
  const record = await ask('/api/v1/repos/acme/code-review')
  expect(JSON.parse(record.text).data).toMatchObject({ full_name: 'acme/code-review', latest_version: '2.1.0' })
  expect(record.headers.get('netlify-cache-tag')).toBe('repo_acme_code-review')
  const raw = await ask('/api/v1/repos/acme/code-review/raw')
  expect([raw.status, raw.type]).toEqual([200, 'text/plain; charset=utf-8'])
  const headers = { 'If-None-Match': raw.headers.get('etag') ?? '' }
  expect((await ask('/api/v1/repos/acme/code-review/raw', { headers })).status).toBe(304)
  expect(JSON.parse((await ask('/api/v1/repos?sort=new&page=2')).text).meta.page).toBe(2)
  expect(JSON.parse((await ask('/api/v1/repos?q=review')).text).data[0].full_name).toBe('acme/code-review')
  expect(JSON.parse((await ask('/data/v1/nothing.json')).text).error.code).toBe('not_found')
})

test.each([
  ['/', 'text/html; charset=utf-8', '<h1'],
  ['/acme/code-review', 'text/html; charset=utf-8', 'acme/code-review'],
  ['/search?q=review', 'text/html; charset=utf-8', 'acme/code-review'],
  ['/docs', 'text/html; charset=UTF-8', '<h1'],
  ['/feed.xml', 'application/atom+xml; charset=utf-8', '<feed'],
])('serves the page %s', async (path, type, part) => {
  const page = await ask(path)
  expect([page.status, page.type]).toEqual([200, type])
  expect(page.text).toContain(part)
})
