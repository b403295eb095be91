// Tests `models.yml`: what it accepts, the line of each problem, and how `npm run models` renews it.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatModelsFile, parseModelsFile } from '../../src/catalogue/models-file.ts'
import { findModelNotice } from '../../src/domain/content/models.ts'
import { COMPILED } from '../compiled.ts'
import { listen } from '../listen.ts'
import { type Ran, runScript } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const entry = (more = '') => `models:\n  - id: old-1\n    retires_at: "2026-12-11"\n${more}`

test('reads models with and without a replacement, and dates without quotes', () => {
  const text = `# A comment\nmodels:\n  - id: old-1\n    retires_at: 2026-12-11\n    replaced_by: vendor/new-1:2\n    source: https://example.com/end\n  - {id: old-2, retires_at: "2027-01-02"}\n`
  expect([...(parseModelsFile(text).value?.values() ?? [])]).toEqual([
    {
      model: 'old-1',
      retires_at: '2026-12-11',
      replaced_by: 'vendor/new-1:2',
      source: 'https://example.com/end',
    },
    { model: 'old-2', retires_at: '2027-01-02', replaced_by: null, source: null },
  ])
})

//  what                            text                                                         problem
test.each([
  ['no list', 'modells: []\n', 'line 1: '],
  ['a date that does not exist', entry().replace('12-11', '02-30'), 'line 3: expected a date such as'],
  ['a time', entry().replace('12-11', '12-11T00:00:00Z'), 'line 3: expected a date such as'],
  ['an unknown key', entry('    note: x\n'), 'line 4: unknown; check the spelling'],
  ['markup as an ID', entry().replace('old-1', '"<b>x"'), 'line 2: expected the ID of a model'],
  ['a script as the source', entry('    source: "javascript:alert(1)"\n'), 'line 4: expected a URL that starts with'],
  ['a model twice', `${entry()}  - id: old-1\n    retires_at: "2027-01-01"\n`, 'line 4: old-1 is listed twice'],
  ['an alias', entry('    source: *x\n'), 'line 4: expected '],
  ['a tag', entry('    source: !!js/function x\n'), 'line 4: '],
  [
    'too many models',
    `models:\n${Array.from({ length: 2001 }, (_, n) => `  - {id: m${n}, retires_at: "2027-01-01"}\n`).join('')}`,
    'line 1: expected at most 2000 models',
  ],
])('rejects %s', (_, text, problem) => {
  expect(parseModelsFile(text).problems?.map(({ message }) => message)[0]).toContain(problem)
})

test('writes what it reads, soonest first', () => {
  const id = fc.stringMatching(/^[\w./:@-]{1,40}$/)
  const day = fc.date({ min: new Date('2020-01-01'), max: new Date('2039-12-31'), noInvalidDate: true })
  const status = fc.record({
    model: id,
    retires_at: day.map((date) => date.toISOString().slice(0, 10)),
    replaced_by: fc.option(id),
    source: fc.constantFrom(null, 'https://example.com/a?b=c#d'),
  })
  fc.assert(
    fc.property(fc.uniqueArray(status, { selector: ({ model }) => model, maxLength: 20 }), (models) => {
      const { value } = parseModelsFile(formatModelsFile(models, '# Kept\n'))
      expect([...(value?.values() ?? [])]).toEqual(
        models.toSorted((a, b) =>
          a.retires_at === b.retires_at ? (a.model < b.model ? -1 : 1) : a.retires_at < b.retires_at ? -1 : 1,
        ),
      )
    }),
  )
})

describe('what a page says', () => {
  const status = { model: 'old-1', retires_at: '2026-12-11', replaced_by: null, source: null }
  //  now                     notice                            changes
  test.each([
    ['2026-09-11T23:59:59Z', undefined, '2026-09-12T00:00:00Z'],
    ['2026-09-12T00:00:00Z', { status, isRetired: false }, '2026-12-11T00:00:00Z'],
    ['2026-12-10T23:59:59Z', { status, isRetired: false }, '2026-12-11T00:00:00Z'],
    ['2026-12-11T00:00:00Z', { status, isRetired: true }, undefined],
    ['2031-01-01T00:00:00Z', { status, isRetired: true }, undefined],
  ])('at %s', (now, notice, changes) => {
    expect(findModelNotice(status, Date.parse(now))).toEqual({
      notice,
      changesAt: changes === undefined ? undefined : Date.parse(changes),
    })
  })

  test('nothing about a model without an announced end', () => {
    expect(findModelNotice(null, 0)).toEqual({ notice: undefined, changesAt: undefined })
  })
})

describe('npm run models', () => {
  const LIST = JSON.stringify({
    object: 'list',
    data: [
      { id: 'current', object: 'model', shutdown_date: null },
      { id: 'old-1', object: 'model', shutdown_date: '2027-02-03' },
      { id: 'old-3', object: 'model', shutdown_date: '2026-12-01' },
      { id: 'withdrawn', object: 'model', shutdown_date: null },
      { id: 'silent', object: 'model' },
    ],
  })
  const START = `# Our list\n${entry('    replaced_by: new-1\n')}  - {id: withdrawn, retires_at: "2026-12-31"}\n  - {id: silent, retires_at: "2026-12-31"}\n`

  /** Runs the command in a folder with both files. */
  async function renew(run: (args: string[], settings: object) => Promise<Ran>, args: string[], list = LIST) {
    const dir = temporaryFolder('renew-models-')
    writeFileSync(join(dir, 'models.yml'), START)
    writeFileSync(join(dir, 'list.json'), list)
    const env = { PATH: process.env.PATH, ...COMPILED, CONTENT_DIR: dir }
    const ran = await run(
      args.map((arg) => arg.replace('DIR', dir)),
      { env },
    )
    return { ...ran, text: readFileSync(join(dir, 'models.yml'), 'utf8') }
  }
  const SCRIPT = 'scripts/content/renew-models.ts'
  const loaded = (args: string[], settings: object) => runScript(SCRIPT, args, settings)
  const withInput = (args: string[], settings: object) =>
    new Promise<Ran>((done) => {
      const child = execFile(process.execPath, [SCRIPT, ...args], settings, (error, stdout, stderr) =>
        done({ code: error ? Number(error.code) : 0, stdout: String(stdout), stderr: String(stderr) }),
      )
      child.stdin?.end(LIST)
    })

  const RENEWED = `# Our list
models:
  - id: old-3
    retires_at: "2026-12-01"
    source: https://example.com/ends
  - id: silent
    retires_at: "2026-12-31"
  - id: old-1
    retires_at: "2027-02-03"
    replaced_by: new-1
    source: https://example.com/ends
`

  test('adds, changes and withdraws what a list in a file says, and keeps the rest', async () => {
    const { code, stdout, text } = await renew(loaded, ['--source', 'https://example.com/ends', 'DIR/list.json'])
    expect(text).toBe(RENEWED)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^3 models in .*: 1 added, 1 changed, 1 removed\.\n$/)])
  })

  test('reads the same list from standard input and from a URL', async () => {
    expect((await renew(withInput, ['--source', 'https://example.com/ends', '-'])).text).toBe(RENEWED)
    const server = createServer((request, answer) => {
      answer.writeHead(request.url === '/v1/models' ? 200 : 401).end(LIST)
    })
    const origin = await listen(server)
    onTestFinished(() => void server.close())
    expect((await renew(loaded, ['--source', 'https://example.com/ends', `${origin}/v1/models`])).text).toBe(RENEWED)
    const refused = await renew(loaded, [`${origin}/other`])
    expect([refused.code, refused.text]).toEqual([1, START])
    expect(refused.stderr).toContain('returned 401. If it needs a key, pipe the list in instead.')
  })

  //  what                     list                                                        message
  test.each([
    ['no dates', '{"data": [{"id": "a"}]}', 'No model in the list has a field shutdown_date or retires_at.'],
    ['a wrong date', '{"data": [{"id": "a", "shutdown_date": "soon"}]}', 'The list cannot be used.'],
  ])('refuses a list with %s, and leaves the file', async (_, list, message) => {
    const { code, stderr, text } = await renew(loaded, ['DIR/list.json'], list)
    expect([code, text]).toEqual([1, START])
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('    at ')
  })
})
