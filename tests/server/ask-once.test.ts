// Tests that one request asks for each file and fresh copy only once. On Netlify, each question is a round trip. A pinned
// read asks for both of its files before either has arrived.
import { expect, test } from 'vitest'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import { listDataFiles } from '../../src/catalogue/published/data-files.ts'
import { digestText } from '../../src/files/measure.ts'
import { openHub, type ServerHub } from '../../src/hub/open-hub.ts'
import { openPageData } from '../../src/server/pages/page-data.ts'
import { aRepository, aTree, aVersion } from '../fixtures/records.ts'
import { openApp } from '../hubs/app.ts'

const tree = aTree([aRepository('acme/one', { versions: [aVersion('1.0.0'), aVersion('1.1.0')] })])
const built = new Map(
  listDataFiles(buildCatalogue(tree, { baseUrl: 'https://hub.test', day: '2026-11-20' }), digestText),
)

/** A hub that notes each question, and answers all of them when `arrive` resolves. */
function openServer(arrive: Promise<void> = Promise.resolve()) {
  const asked: string[] = []
  const note = async <Value>(question: string, value: Value): Promise<Value> => {
    asked.push(question)
    await arrive
    return value
  }
  const files = {
    read: (path: string) => note(path, built.has(path) ? new TextEncoder().encode(built.get(path)) : undefined),
  }
  const fresh = {
    find: (...names: string[]) => note(`copy of ${names.join(' ')}`, undefined),
  }
  return { asked, hub: { files, fresh } as unknown as ServerHub }
}
const connect = (hub: ServerHub) => openHub(new Request('https://hub.test/'), { client: '192.0.2.1', hub })

test('a page asks for each file and fresh copy once, and the next page asks again', async () => {
  const { asked, hub } = openServer()
  const render = async () => {
    const page = openPageData(
      await connect(hub),
      () => [],
      () => {},
    )
    const [repository, , versions] = await Promise.all([
      page.findRepository('acme', 'one'),
      page.findRepository('acme', 'one'),
      page.findVersions('acme', 'one'),
      page.findVersion('acme', 'one', '1.0.0'),
    ])
    const again = await page.findRepository('acme', 'one')
    expect([repository, versions?.length]).toEqual([again, 2])
  }
  await render()
  const first = asked.toSorted()
  expect(first).toEqual([...new Set(first)])
  expect(first).toContain('copy of repositories acme one')
  await render()
  expect(asked.toSorted()).toEqual([...first, ...first].sort())
})

test('a pinned read asks for the content and the repository at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { asked, hub } = openServer(promise)
  const request = new Request('https://hub.test/api/v1/repos/acme/one/raw?version=1.0.0')
  const response = openApp(() => connect(hub))(request)
  await expect
    .poll(() => [...new Set(asked)].toSorted())
    .toEqual(['/data/v1/repos/acme/one.json', '/data/v1/repos/acme/one/raw/1.0.0.txt', 'copy of repositories acme one'])
  resolve()
  expect((await response).headers.get('X-Prompt-Version')).toBe('1.0.0')
})
