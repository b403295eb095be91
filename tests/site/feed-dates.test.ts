// Tests the order of a feed whose versions include one from a machine with a wrong clock.
import { expect, test, vi } from 'vitest'
import { respondWithFeed } from '../../src/site/feeds.ts'
import type { PageLocals } from '../../src/site/rendering.ts'

const prompt = (owner: string) =>
  ({ owner, name: 'a', full_name: `${owner}/a`, title: owner, description: '' }) as never
const version = (number: string, published_at: string, available_at = published_at) => ({
  version: number,
  published_at,
  available_at,
  changelog: '',
  published_by: 'octocat',
  yanked: false,
})

async function readFeed(versions: Readonly<Record<string, ReturnType<typeof version>[]>>) {
  const hub = { listVersions: async (owner: string) => ({ data: versions[owner] }) }
  const locals = { hub, profile: { baseUrl: 'https://hub.test' } }
  const prompts = Object.keys(versions).map(prompt)
  const text = await (
    await respondWithFeed(locals as unknown as PageLocals, { path: '/', title: 'All', prompts })
  ).text()
  const [head = '', ...entries] = text.split('<entry>')
  return {
    updated: /<updated>(.*)<\/updated>/.exec(head)?.[1],
    titles: entries.map((entry) => /<title>(.*)<\/title>/.exec(entry)?.[1]),
    times: entries.map((entry) => /<updated>(.*)<\/updated>/.exec(entry)?.[1]),
  }
}

test('a version dated ahead does not lead the feed or set its date', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-25T12:00:00Z') })
  try {
    expect(
      await readFeed({
        skewed: [version('1.1.0', '2026-12-25T10:00:00Z'), version('1.0.0', '2026-11-20T10:00:00Z')],
        first: [version('1.0.0', '2027-01-01T00:00:00Z')],
        committed: [version('1.0.0', '2031-01-01T00:00:00Z', '2026-11-22T10:00:00Z')],
        usual: [version('1.0.1', '2026-11-24T10:00:00Z'), version('1.0.0', '2026-11-01T10:00:00Z')],
      }),
    ).toEqual({
      updated: '2026-11-24T10:00:00Z',
      titles: ['usual 1.0.1', 'committed 1.0.0', 'skewed 1.1.0', 'skewed 1.0.0', 'usual 1.0.0', 'first 1.0.0'],
      times: [
        ...['2026-11-24T10:00:00Z', '2026-11-22T10:00:00Z', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
        ...['2026-11-01T10:00:00Z', '1970-01-01T00:00:00Z'],
      ],
    })
  } finally {
    vi.useRealTimers()
  }
})

test('a version within the clock tolerance keeps its place', async () => {
  const soon = new Date(Date.now() + 60_000).toISOString()
  expect(await readFeed({ a: [version('1.0.0', soon)], b: [version('1.0.0', '2026-01-01T00:00:00Z')] })).toMatchObject({
    updated: soon,
    titles: ['a 1.0.0', 'b 1.0.0'],
  })
})
