// Tests what "Suggest a change" opens on the git host: a file with the text of the previous version, which a review
// rejects until the text is edited.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { loadCatalogue } from '../../scripts/bench/load-catalogue.ts'
import { findSourceHost, readConfig } from '../../src/config.ts'
import { parseVersionFile } from '../../src/domain/content/prompt-file.ts'
import { reviewContent } from '../../src/review/review-content.ts'
import { listSourceLinks } from '../../src/site/prompt/source-links.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

let folder = ''
const FILE = (changelog: string) =>
  `---\npublished_at: "2026-11-01T10:00:00Z"\npublished_by: torvalds\nchangelog: ${changelog}\nvariables:\n  - name: code\n    description: "The #code"\nparameters:\n  temperature: 0.2\n---\nReview {{code}}.\r\n---\nend`
const put = (path: string, text: string) => {
  writeFiles(folder, { [path]: text })
}
beforeEach(() => {
  folder = temporaryFolder('prompt-hub-links-')
  put('acme/a/versions/1.2.3.md', FILE('The old words'))
})

async function openLinks(contentDir: string): Promise<Map<string, URL>> {
  const settings = { GITHUB_REPOSITORY: 'octo/hub', GITHUB_TOKEN: 't', CONTENT_DIR: contentDir }
  const catalogue = loadCatalogue(readConfig({ CONTENT_DIR: folder }))
  const { record } = catalogue.entries.get('acme/a')!.versions[0]!
  const links = listSourceLinks(findSourceHost(readConfig(settings))!, record, record.version)
  return new Map(links.map(({ words, address }) => [words, new URL(address)]))
}

test('a suggested file has the prompt text, but not the old publish date, author or changelog', async () => {
  const { searchParams } = (await openLinks(folder)).get('Suggest a change')!
  const value = searchParams.get('value')!
  expect(searchParams.get('filename')).toBe('content/acme/a/versions/x.y.z.md')
  expect(value).not.toMatch(/2026-11-01|torvalds|The old words|Say what changes/)
  expect(value.endsWith('\n---\nReview {{code}}.\r\n---\nend')).toBe(true)
  expect(value).toContain('# Name this file 1.2.4.md, 1.3.0.md (new features) or 2.0.0.md (breaking change).')
  expect(parseVersionFile(value).problems?.map(({ key }) => key)).toEqual(['published_at', 'published_by', 'changelog'])
})

test('the review rejects an unedited suggestion, under its placeholder name or a version number', async () => {
  const value = (await openLinks(folder)).get('Suggest a change')!.searchParams.get('value')!
  for (const [name, rules] of [
    ['x.y.z.md', ['path']],
    ['1.2.4.md', ['front-matter-value', 'front-matter-value', 'front-matter-value']],
  ] as const) {
    put(`acme/a/versions/${name}`, value)
    const { entries } = await reviewContent({ contentDir: folder, environment: process.env })
    expect(entries.filter(({ severity }) => severity === 'error').map(({ rule }) => rule)).toEqual(rules)
    rmSync(join(folder, `acme/a/versions/${name}`))
  }
})

test('a completed suggestion keeps the text, variables and parameters', async () => {
  const value = (await openLinks(folder)).get('Suggest a change')!.searchParams.get('value')!
  const filled = value
    .replace(/^published_at:.*$/m, 'published_at: "2026-11-02T10:00:00Z"')
    .replace(/^published_by:.*$/m, 'published_by: octocat')
    .replace(/^changelog:.*$/m, 'changelog: Shorter')
  const { content, variables, parameters } = parseVersionFile(FILE('x')).value!
  expect(parseVersionFile(filled).value).toMatchObject({ published_by: 'octocat', content, variables, parameters })
})

test.each([
  ['format: chat', '{{role "system"}}\nBe brief.', '\nformat: chat\n'],
  ['skill: {description: Reviews.}', 'Be brief.', '\nskill:\n  description: Reviews.\n'],
])('a suggestion keeps %s', async (key, content, kept) => {
  const head = 'published_at: "2026-11-01T10:00:00Z"\npublished_by: torvalds\n'
  put('acme/a/versions/1.3.0.md', `---\n${head}${key}\n---\n${content}`)
  expect((await openLinks(folder)).get('Suggest a change')!.searchParams.get('value')).toContain(kept)
})

test('a suggestion names the files to copy', async () => {
  const head = 'published_at: "2026-11-01T10:00:00Z"\npublished_by: torvalds\nskill: {description: Reviews.}\n'
  put('acme/a/versions/1.3.0.md', `---\n${head}---\nBe brief.\n`)
  put('acme/a/versions/1.3.0/a.txt', 'text')
  expect((await openLinks(folder)).get('Suggest a change')!.searchParams.get('value')).toContain(
    '# Copy the files in 1.3.0/ to a folder with the number of the new version.\n',
  )
})

//  CONTENT_DIR                            folder in the repository
test.each([
  ['content', 'content'],
  ['prompts', 'prompts'],
  ['data/prompts/', 'data/prompts'],
  [join(process.cwd(), 'catalogue'), 'catalogue'],
  ['/elsewhere/prompts', 'content'],
])('with CONTENT_DIR=%s, source links point to %s', async (contentDir, path) => {
  const links = await openLinks(contentDir)
  expect(links.get('Suggest a change')!.searchParams.get('filename')).toBe(`${path}/acme/a/versions/x.y.z.md`)
  expect(links.get('Source')!.pathname).toBe(`/octo/hub/blob/main/${path}/acme/a/versions/1.2.3.md`)
})
