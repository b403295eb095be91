// Shows that content which threads read ahead is, to whoever reads the folder next, what it would have been without them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outlinesBelow } from '../../src/site/build/load-catalogue.ts'
import { readAhead } from '../../src/site/build/read-ahead.ts'
import { openBuildCache } from '../../src/stores/build-cache.ts'
import { openContentDir } from '../../src/stores/content-dir.ts'
import { listContent } from '../../src/stores/content-listing.ts'
import { makeSiteFolder } from '../hubs/build-site.ts'
import { putContent, versionFile } from '../stores/content-folder.ts'

const root = makeSiteFolder('read-ahead')
const contentDir = join(root, 'content')
const baseUrl = 'https://hub.test'
/** So many that threads are worth it. */
const PROMPTS = 1_100

const put = (path: string, text: string) => putContent(root, path, text)

beforeAll(() => {
  for (let index = 0; index < PROMPTS; index++)
    put(`owner-${index % 7}/prompt-${index}/versions/1.0.0.md`, versionFile(`Text ${index} of {{name}}`))
  put('owner-1/index.md', '---\nname: One\n---\n')
  put('usage.json', '{"owner-1/prompt-1": {"downloads_7d": 3, "downloads_90d": 40}}')
  put('owner-0/prompt-0/index.md', '---\nstatus: deprecated\nreplaced_by: owner-1/prompt-1\n---\n')
  put('owner-2/prompt-2/versions/1.1.0.md', 'no front matter')
  put('owner-3/prompt-3/index.md', '---\nlabels: {production: 9.9.9}\n---\n')
  put('owner-4/prompt-4/notes.txt', 'nobody reads this')
  for (let index = 0; index < 40; index++)
    put(`owner-5/prompt-5/versions/1.0.${index + 1}.md`, versionFile(`Long ${index} ${'words '.repeat(40_000)}`))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Reads the folder with a cache that is new. @param threads how many read ahead, if any do */
async function read(name: string, threads?: number) {
  const cache = openBuildCache(join(root, `${name}.db`), { parser: '1', site: '1' })
  const listing = listContent(contentDir)
  const told: number[] = []
  const ahead =
    threads === undefined
      ? 0
      : await readAhead({ contentDir, baseUrl }, listing, cache.content, (done) => told.push(done), threads)
  const reading = openContentDir(contentDir, { cache: cache.content, listing, outlines: outlinesBelow(baseUrl) })()
  const { repositories, ...others } = reading.tree
  const tree = structuredClone({ ...others, repositories: [...repositories].sort(([a], [b]) => (a < b ? -1 : 1)) })
  cache.close()
  return { ahead, told, tree, problems: reading.problems, filesRead: reading.filesRead }
}

test('with threads and without them, the same is found', { timeout: 60_000 }, async () => {
  const [plain, helped, alone] = [await read('plain'), await read('helped', 1), await read('alone', 0)]
  expect(plain.problems.map(({ file }) => file)).toEqual([
    'content/owner-2/prompt-2/versions/1.1.0.md',
    'content/owner-3/prompt-3/index.md',
    'content/owner-4/prompt-4/notes.txt',
  ])
  for (const { tree, problems } of [helped, alone]) {
    expect(problems).toEqual(plain.problems)
    expect(tree).toEqual(plain.tree)
  }
  // What is wrong, must be seen beside others or is long is left to the second reading.
  expect(helped.ahead).toBe(PROMPTS - 5)
  expect(helped.told.at(-1)).toBe(PROMPTS - 1)
  expect(alone.ahead).toBe(0)
})

test('a thread that cannot read leaves its error to the caller', { timeout: 60_000 }, async () => {
  const cache = openBuildCache(join(root, 'failing.db'), { parser: '1', site: '1' })
  const fails = new Error('told')
  const reading = readAhead(
    { contentDir, baseUrl },
    listContent(contentDir),
    cache.content,
    () => {
      throw fails
    },
    1,
  )
  await expect(reading).rejects.toBe(fails)
  cache.close()
})
