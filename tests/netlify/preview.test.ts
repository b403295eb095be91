// `npm run preview`: the site as Netlify's own development server serves it, with all functions. bundles.test.ts tests
// their routes.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Run, startProcess } from '../hubs/processes.ts'

let base: string
let run: Run
beforeAll(async () => {
  ;({ base, run } = await startProcess({ command: ['npm', 'run', 'preview'] }))
})
afterAll(() => run?.end())

const ask = async (path: string) => {
  const found = await fetch(base + path)
  return { status: found.status, headers: found.headers, text: await found.text() }
}

/**
 * Asks until the status is the expected one: on a busy machine, a function does not start in time for its first requests,
 * or its own read of a file takes too long, which is a 503.
 */
const find = (path: string, status = 200) =>
  vi.waitFor(
    async () => {
      const found = await ask(path)
      expect(found.status).toBe(status)
      return found
    },
    { timeout: 280_000, interval: 200 },
  )

// A function starts anew for each request, so there is one for each kind of answer.
test('a record, a page and a file are those of the hub', async () => {
  const record = await find('/api/v1/repos/acme/code-review')
  expect(JSON.parse(record.text).data).toMatchObject({ full_name: 'acme/code-review', latest_version: '2.1.0' })
  expect(record.headers.get('netlify-cache-tag')).toBe('repo_acme_code-review')
  for (const [path, part] of [
    ['/acme/code-review', 'acme/code-review'],
    ['/docs', '<h1'],
  ] as const) {
    const page = await find(path)
    expect(page.headers.get('content-type')?.toLowerCase()).toBe('text/html; charset=utf-8')
    expect(page.text).toContain(part)
  }
})
