// Tests that prompts parsed in another thread are the same, and that nothing depends on the thread.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ParsedAhead } from '../../src/build/make-in-order.ts'
import { writeData } from '../../src/build/write-data.ts'
import { readRepository } from '../../src/content/content-dir.ts'
import { openObjects } from '../../src/content/content-reader.ts'
import { lookOnce } from '../../src/content/content-source.ts'
import { createGit } from '../../src/git/git-command.ts'
import { startParsing } from '../../src/hosts/node/builds/parse-ahead.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const CONTENT = 'content'

test('gives each prompt as a reader does, also when some are not taken', async () => {
  await lookOnce(CONTENT, process.env, async ({ listing }, { git }) => {
    const prompts = Array.from(listing.prompts, ([fullName, { files }]) => [fullName, files] as const)
    const reader = openObjects(git, listing)
    const ahead = startParsing(git, prompts)
    const taken = prompts.filter((_, at) => at % 3 !== 1)
    expect(taken.length).toBeGreaterThan(40)
    for (const [fullName, files] of taken)
      expect(ahead.take(fullName), fullName).toEqual(readRepository(reader, fullName, files))
    expect(ahead.take('acme/unknown')).toBeUndefined()
    ahead.end()
  })
})

test('gives nothing when the thread fails', () => {
  const git = createGit(join(temporaryFolder('prompt-hub-gone-'), 'gone'), process.env)
  const ahead = startParsing(git, [['acme/a', [{ path: 'acme/a/index.md', id: '0'.repeat(40), bytes: 1 }]]])
  expect(ahead.take('acme/a')).toBeUndefined()
  ahead.end()
})

/** Writes the data of the samples. @returns each file's bytes by path, without the search index */
async function write(limitAhead?: (ahead: ParsedAhead) => ParsedAhead): Promise<Map<string, string>> {
  const dir = temporaryFolder('prompt-hub-ahead-')
  const siteDir = join(dir, 'site')
  const config = { contentDir: CONTENT, baseUrl: 'https://hub.example', buildDay: '2026-11-01' }
  const places = { siteDir, indexPath: join(dir, 'search.db') }
  await writeData(
    config,
    places,
    undefined,
    limitAhead && ((content, prompts) => limitAhead(startParsing(content.git, prompts))),
  )
  const paths = readdirSync(siteDir, { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => statSync(join(siteDir, path)).isFile())
  return new Map(files.map((path) => [path, readFileSync(join(siteDir, path), 'latin1')]))
}

const differing = (one: Map<string, string>, other: Map<string, string>) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path))

test('a build writes the same with the thread, without it, and if it ends in the middle', async () => {
  const alone = await write()
  expect(alone.size).toBeGreaterThan(500)
  let took = 0
  const counting = ({ take, end }: ParsedAhead): ParsedAhead => ({
    end,
    take: (fullName) => {
      took++
      return take(fullName)
    },
  })
  expect(differing(await write(counting), alone)).toEqual([])
  expect(took).toBeGreaterThan(40)
  let left = 10
  const short = await write(({ take, end }) => ({ end, take: (name) => (left-- > 0 ? take(name) : undefined) }))
  expect(differing(short, alone)).toEqual([])
  expect(left).toBe(-1)
})
