// Tests the preset for Renovate: what it finds in files, with RE2's subset of patterns, and what its datasource makes of a
// hub's list of versions, with the JSONata that Renovate uses.
import jsonata from 'jsonata'
import { describe, expect, test } from 'vitest'
import { listDataFiles } from '../../src/catalogue/published/data-files.ts'
import { digestText } from '../../src/files/measure.ts'
import { describeForRenovate } from '../../src/site/docs/renovate.ts'
import { build } from '../fixtures/catalogues.ts'
import { anIndex, aRepository, aTree, aVersion } from '../fixtures/records.ts'
import { words } from '../words.ts'

interface Preset {
  customDatasources: Record<string, { defaultRegistryUrlTemplate: string; transformTemplates: string[] }>
  customManagers: { managerFilePatterns: string[]; matchStrings: string[] }[]
}
const preset = describeForRenovate('https://hub.test') as unknown as Preset
const [manager] = preset.customManagers
const datasource = preset.customDatasources['prompt-hub']!

test('the datasource lists the active versions of the public file, with their times', async () => {
  const catalogue = build(
    aTree([
      aRepository('acme/a', {
        file: anIndex({ yanked: { '1.1.0': 'wrong' } }),
        versions: ['1.0.0', '1.1.0', '2.0.0'].map((version) => aVersion(version, { content_sha256: 'c'.repeat(64) })),
      }),
      aRepository('acme/gone', { file: anIndex({ yanked: { '1.0.0': 'wrong' } }) }),
      aRepository('acme/one'),
    ]),
  )
  const files = new Map(listDataFiles(catalogue, digestText))
  const releasesOf = async (name: string) => {
    const url = datasource.defaultRegistryUrlTemplate.replace('{{packageName}}', name)
    let value: unknown = JSON.parse(files.get(url.replace('https://hub.test', ''))!)
    for (const rule of datasource.transformTemplates) value = await jsonata(rule).evaluate(value)
    return JSON.parse(JSON.stringify(value))
  }
  const release = (version: string) => ({
    version,
    releaseTimestamp: '2026-11-01T10:00:00Z',
    newDigest: 'c'.repeat(64),
  })
  expect(await releasesOf('acme/a')).toEqual({ releases: [release('2.0.0'), release('1.0.0')] })
  expect(await releasesOf('acme/gone')).toEqual({ releases: [] })
  expect((await releasesOf('acme/one')).releases).toHaveLength(1)
})

describe('versions in files', () => {
  const find = (text: string) =>
    manager!.matchStrings.flatMap((pattern) =>
      [...text.matchAll(new RegExp(pattern, 'g'))].map(({ groups }) => `${groups!.depName}@${groups!.currentValue}`),
    )

  test.each([
    ['a call in TypeScript', "await hub.get('acme/code-review@1.2.0')", ['acme/code-review@1.2.0']],
    ['a call in Python over two lines', 'hub.get(\n    "acme/a@1.10.0",\n    fallback="x")', ['acme/a@1.10.0']],
    ['a command', 'hubcli cat acme/a@1.2.0 | llm', ['acme/a@1.2.0']],
    ['a quoted command', 'run: hubcli pull "acme/a@1.2.0" -o x.md', ['acme/a@1.2.0']],
    ['a URL', 'curl https://hub.test/api/v1/repos/acme/a/raw?version=1.2.0', ['acme/a@1.2.0']],
    ['a URL of another hub', 'curl https://hubxtest/api/v1/repos/acme/a/raw?version=1.2.0', []],
    ['a range', "hub.get('acme/a@^1.2.0')", []],
    ['a label', "hub.get('acme/a@production')", []],
    ['an action', 'uses: acme/a@1.2.0', []],
    ['a package', '"acme/a": "1.2.0"', []],
    ['a longer version', 'hubcli cat acme/a@1.2.0-beta', ['acme/a@1.2.0']],
  ])('%s', (_, text, found) => {
    expect(find(text)).toEqual(found)
  })

  test('the files of programs and scripts are read', () => {
    const isRead = (path: string) =>
      manager!.managerFilePatterns.some((pattern) => new RegExp(pattern.slice(1, -1)).test(path))
    for (const path of words`
      src/a.ts a.mjs a.py ci/run.sh .github/workflows/a.yml Makefile x/Dockerfile
    `)
      expect([path, isRead(path)]).toEqual([path, true])
    for (const path of ['prompts.lock', 'prompts/acme/a.txt', 'a.png'])
      expect([path, isRead(path)]).toEqual([path, false])
  })

  test('no pattern needs what RE2 lacks', () => {
    for (const pattern of manager!.matchStrings) expect(pattern).not.toMatch(/\(\?(?:[=!]|<[=!])|\\[1-9]/)
  })
})
