// Tests the records of prompts whose model retires: in the catalogue, in the data files, and after a change of the list.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { versionFile } from '../fixtures/prompt-files.ts'
import { openHostSite } from '../hubs/host-site.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

const STATUS = { model: 'old-1', retires_at: '2026-12-11', replaced_by: 'new-1', source: null }
const LIST = 'models:\n  - {id: old-1, retires_at: "2026-12-11", replaced_by: new-1}\n'

let dir = ''
let site: ReturnType<typeof openHostSite>
beforeEach(() => {
  dir = temporaryFolder('hub-models-')
  writeFiles(dir, {
    'content/acme/a/versions/1.0.0.md': withModel('old-1', 'One'),
    'content/acme/a/versions/1.1.0.md': withModel('new-1', 'Two'),
    'content/acme/b/versions/1.0.0.md': withModel('old-1', 'Three'),
    'content/acme/b/index.md': '---\ntitle: B\n---\n',
    'content/acme/c/versions/1.0.0.md': versionFile('Four'),
  })
  site = openHostSite(join(dir, 'hub/site.db'), { contentDir: join(dir, 'content'), baseUrl: 'https://hub.test' })
})
afterEach(() => site.close())

const withModel = (model: string, text: string) =>
  versionFile(text).replace('---\n', `---\nparameters: {model: ${model}}\n`)
const make = () => site.makeBuild('2026-11-20')
const read = (path: string) => JSON.parse(site.readAll().get(path) ?? 'null')

test('without a list, nothing is announced', async () => {
  await make()
  expect(read('/data/v1/models.json')).toEqual({ data: [], meta: { page: 1, pages: 0, total: 0 } })
  expect(read('/data/v1/repos/acme/b.json').data.model_status).toBe(null)
})

test('a new list changes exactly the records of prompts that name its models', async () => {
  await make()
  const single = site.readAll().get('/data/v1/repos/acme/b/versions/1.0.0.json')
  writeFiles(dir, { 'content/models.yml': LIST })
  const state = await make()
  expect(state.changed.toSorted()).toEqual(['acme/a', 'acme/b'])
  expect(read('/data/v1/repos/acme/a.json').data.model_status).toBe(null)
  expect(read('/data/v1/repos/acme/b.json').data.model_status).toEqual(STATUS)
  const versions = read('/data/v1/repos/acme/a/versions.json').data
  expect(versions.map((one: { version: string; model_status: unknown }) => [one.version, one.model_status])).toEqual([
    ['1.1.0', null],
    ['1.0.0', STATUS],
  ])
  expect(read('/data/v1/models.json').data).toEqual([{ ...STATUS, prompts_count: 1, prompts: ['acme/b'] }])
  // A single version never changes, so its record does not say it.
  expect(site.readAll().get('/data/v1/repos/acme/b/versions/1.0.0.json')).toBe(single)
  expect((await make()).changed).toEqual([])
})

test('a list that becomes invalid is reported with its line, and the last valid one is used', async () => {
  writeFiles(dir, { 'content/models.yml': LIST })
  await make()
  writeFiles(dir, { 'content/models.yml': LIST.replace('12-11', '99-99') })
  const { problems } = await make()
  expect(problems).toEqual([
    {
      file: 'content/models.yml',
      rule: 'models',
      key: 'models.0.retires_at',
      message: 'line 2: expected a date such as "2026-12-11"',
    },
  ])
  expect(read('/data/v1/repos/acme/b.json').data.model_status).toEqual(STATUS)
})
