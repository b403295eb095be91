// Tests the readers of test runners' output, that of hubcli and the Python library and that of the npm package: both read
// the same, counts survive the trip through each format, and hostile files are refused in linear time.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readOutcome } from '../../clients/typescript/source/commands/outcome.ts'
import { PromptHubError } from '../../clients/typescript/source/trouble.ts'
import { temporaryFolder } from '../temporary-folder.ts'

interface Outcome {
  passed: number
  failed: number
  skipped: number
  score: number | null
  model: string | null
  url: string | null
  at: string | null
}

const READER = `
import json, sys
sys.path.insert(0, sys.argv[1])
from prompt_hub.outcome import read_outcome
from prompt_hub.trouble import PromptHubError
for line in sys.stdin:
    try:
        with open(line[:-1], "rb") as file:
            data = file.read()
        print(json.dumps(read_outcome(data)._asdict()))
    except PromptHubError as error:
        print(json.dumps({"refused": str(error), "code": error.code}))
`

/** Reads all files in one process, because a process for each would take far longer. */
function readAll(files: readonly (string | Buffer)[]): (Outcome & { refused?: string; code?: string })[] {
  const folder = temporaryFolder('hub-outcome-')
  const paths = files.map((file, at) => {
    writeFileSync(join(folder, String(at)), file)
    return join(folder, String(at))
  })
  const { stdout, stderr, status } = spawnSync('python3', ['-B', '-c', READER, resolve('clients/python')], {
    input: paths.map((path) => `${path}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  expect([status, stderr]).toEqual([0, ''])
  const found = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const [index, file] of files.entries())
    expect(readHere(Buffer.from(file))).toEqual(withoutSentence(found[index]))
  return found
}

/** Reads all files of a table when its first row asks. */
function readOnce(files: Parameters<typeof readAll>[0]): () => ReturnType<typeof readAll> {
  let found: ReturnType<typeof readAll> | undefined
  return () => (found ??= readAll(files))
}

/** Reads a file with the npm package, which leaves out what the output does not say. */
function readHere(file: Buffer): object {
  try {
    const { score = null, model = null, url = null, at = null, ...counts } = readOutcome(file, 'x')
    return { ...counts, score, model, url, at }
  } catch (error) {
    if (!(error instanceof PromptHubError)) throw error
    expect(error.message).toMatch(/^x: cannot read the output of a test runner: expected|^x: .*(?:not \d|: )/)
    return { code: error.code }
  }
}

const withoutSentence = ({ refused: _, ...rest }: { refused?: string }): object => rest

const CASES = 40
const SEED = 48
type Kind = 'passed' | 'failed' | 'errored' | 'skipped'
const kinds = (...allowed: Kind[]) => fc.array(fc.constantFrom(...allowed), { minLength: 1, maxLength: 30 })
const count = (all: readonly Kind[], ...wanted: Kind[]) => all.filter((kind) => wanted.includes(kind)).length
/** Rounds down to six digits, as docs/hubcli.md says. */
const rate = (passed: number, failed: number) =>
  passed + failed === 0 ? null : Math.floor((passed / (passed + failed)) * 1_000_000 + 1e-9) / 1_000_000
/** Any text that a model may have written. */
const text = fc.string({ unit: 'binary', maxLength: 40 })
const xml = (value: string) =>
  value
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

test('SARIF: an error counts as failed, all else as passed, and a run without results as one that passed', () => {
  const sarif = (...runs: object[]) => JSON.stringify({ version: '2.1.0', runs })
  const rules = [{ id: 'a', defaultConfiguration: { level: 'error' } }, { id: 'b' }]
  const tool = { driver: { name: 'scan', rules } }
  const found = readAll([
    sarif({ tool, results: [] }),
    sarif({
      results: [{ level: 'error' }, { level: 'warning' }, { level: 'note' }, {}, { level: 'error', kind: 'pass' }],
    }),
    sarif(
      { tool, results: [{ ruleIndex: 0 }, { ruleId: 'a' }, { ruleId: 'b' }, { ruleIndex: 0, level: 'note' }] },
      { results: [] },
    ),
    sarif({ tool: 1, results: [1, null, { ruleIndex: -1 }, { ruleIndex: true, ruleId: ['a'] }] }),
    sarif(
      { tool, results: [], invocations: [1, { executionSuccessful: true }, { executionSuccessful: false }] },
      { tool, results: [{ level: 'note' }], invocations: [{ executionSuccessful: false }] },
    ),
    sarif({
      tool: { driver: { rules: [{ id: 'x' }] }, extensions: [1, { rules }] },
      results: [
        { rule: { index: 0, toolComponent: { index: 1 } } },
        { ruleIndex: 0, rule: { toolComponent: { index: 1 } } },
        { rule: { id: 'a' } },
        { ruleIndex: 0 },
        { rule: { index: 0, toolComponent: { index: 9 } } },
        { rule: { index: 0, toolComponent: { index: -1 } } },
        { rule: 1, ruleId: 'a' },
      ],
    }),
    sarif({
      tool: {
        driver: { name: 'scan', guid: 'd', rules: [{ id: 'b' }] },
        extensions: [{ name: 'x', guid: 'e', rules }],
      },
      results: [
        { rule: { index: 0, toolComponent: { name: 'x' } } },
        { rule: { index: 0, toolComponent: { guid: 'e' } } },
        { rule: { id: 'a', toolComponent: { guid: 'e', name: 'scan' } } },
        { rule: { index: 0, toolComponent: { guid: 'd' } } },
        { rule: { id: 'b', toolComponent: { name: 'x' } } },
        // Nobody knows these rules.
        { rule: { id: 'b', toolComponent: { name: 'y' } } },
        { rule: { id: 'b', toolComponent: { guid: 'f', name: 'x' } } },
        { rule: { id: 'b', toolComponent: 1 } },
        { level: 'note', rule: { toolComponent: { name: 'y' } } },
      ],
    }),
    sarif({
      tool: { driver: {}, extensions: [{ name: 'x' }, { name: 'x' }] },
      results: [{ rule: { toolComponent: { name: 'x' } } }],
    }),
    sarif({}),
    sarif(),
  ])
  expect(found.map(({ passed, failed, skipped, refused }) => refused ?? [passed, failed, skipped])).toEqual([
    [1, 0, 0],
    [4, 1, 0],
    [3, 2, 0],
    [4, 0, 0],
    [1, 2, 0],
    [2, 5, 0],
    [3, 6, 0],
    [0, 1, 0],
    expect.stringContaining('expected runs.0.results in SARIF'),
    expect.stringContaining('expected at least one test case'),
  ])
})

test('promptfoo: the counts are those of its statistics, and the score is the mean of its cases', () => {
  const cases = fc.sample(fc.tuple(kinds('passed', 'failed', 'errored'), text), { numRuns: CASES, seed: SEED })
  const files = cases.map(([all, words]) =>
    JSON.stringify({
      evalId: words,
      results: {
        version: 3,
        timestamp: '2026-11-26T03:02:50.579Z',
        results: all.map((kind) => ({
          success: kind === 'passed',
          score: kind === 'passed' ? 1 : 0,
          error: words,
          provider: { id: 'echo' },
          response: { output: words },
        })),
        stats: {
          successes: count(all, 'passed'),
          failures: count(all, 'failed'),
          errors: count(all, 'errored'),
        },
      },
      config: { description: words },
      shareableUrl: null,
    }),
  )
  for (const [index, found] of readAll(files).entries()) {
    const [all] = cases[index]!
    const [passed, failed] = [count(all, 'passed'), count(all, 'failed', 'errored')]
    expect(found).toEqual({
      passed,
      failed,
      skipped: 0,
      score: rate(passed, failed),
      model: 'echo',
      url: null,
      at: '2026-11-26T03:02:50Z',
    })
  }
})

test('JUnit: each test case counts once, in nested suites and with any text', () => {
  const cases = fc.sample(fc.tuple(kinds('passed', 'failed', 'errored', 'skipped'), text, fc.nat(5)), {
    numRuns: CASES,
    seed: SEED,
  })
  const inside: Record<Kind, (words: string) => string> = {
    passed: (words) => `<system-out>${words}</system-out><properties><property name="a"/></properties>`,
    failed: (words) => `<failure message="${words}">${words}</failure>`,
    errored: (words) => `<error type="E"/><system-err>${words}</system-err>`,
    skipped: () => '<skipped/>',
  }
  const files = cases.map(([all, raw, depth]) => {
    const words = xml(raw)
    const body = all.map((kind) => `<testcase name="${words}" time="0.1">${inside[kind](words)}</testcase>`).join('\n')
    const header = `tests="${all.length}" failures="${count(all, 'failed')}" errors="${count(all, 'errored')}"`
    const open = `<testsuite name="x" ${header}>`.repeat(depth)
    return `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ${raw.replace(/[^a-z ]/gi, '')} --><testsuites>${open}<testsuite>${body}</testsuite>${'</testsuite>'.repeat(depth)}</testsuites>\n`
  })
  for (const [index, found] of readAll(files).entries()) {
    const [all] = cases[index]!
    const [passed, failed, skipped] = [count(all, 'passed'), count(all, 'failed', 'errored'), count(all, 'skipped')]
    expect(found).toEqual({ passed, failed, skipped, score: rate(passed, failed), model: null, url: null, at: null })
  }
})

describe('JUnit: what could not run has failed', () => {
  const CASE = '<testcase name="a"/>'
  const FAILED = '<testcase name="b"><failure/></testcase>'
  //  file                                          content                                                        passed, failed
  const files: readonly (readonly [string, string, number, number])[] = [
    [
      'a suite that only its header counts, as Jest writes it',
      `<testsuites tests="2" errors="1"><testsuite tests="2">${CASE}${CASE}</testsuite><testsuite errors="1" tests="0"/></testsuites>`,
      2,
      1,
    ],
    [
      'errors of test cases that only the header counts',
      `<testsuite tests="3" errors="2">${CASE.repeat(3)}</testsuite>`,
      1,
      2,
    ],
    [
      'errors that only the header of the file counts',
      `<testsuites errors="2"><testsuite>${CASE}</testsuite></testsuites>`,
      1,
      2,
    ],
    ['failures that only the header counts', `<testsuite failures="1">${CASE}</testsuite>`, 1, 1],
    [
      'an error of the suite',
      `<testsuite tests="1" errors="1"><error message="setup failed"/>${CASE}</testsuite>`,
      1,
      1,
    ],
    ['a failure of the suite, without a header', `<testsuite><failure>no</failure>${CASE}</testsuite>`, 1, 1],
    ['an error of the file', `<testsuites><error/><testsuite>${CASE}</testsuite></testsuites>`, 1, 1],
    ['a suite without a test case', '<testsuite name="x" tests="0" errors="1"/>', 0, 1],
    [
      'one suite that failed and one that could not run',
      `<testsuites failures="1" errors="1"><testsuite failures="1">${CASE}${FAILED}</testsuite><testsuite errors="1"/></testsuites>`,
      1,
      2,
    ],
    [
      'a header that is right',
      `<testsuites tests="2" failures="1"><testsuite tests="2" failures="1">${CASE}${FAILED}</testsuite></testsuites>`,
      1,
      1,
    ],
    [
      'a header that counts too little',
      `<testsuite tests="0" failures="0" errors="">${CASE}${FAILED}</testsuite>`,
      1,
      1,
    ],
    [
      'an element that looks like a suite in a test case',
      `<testsuite><testcase><system-out><error/></system-out></testcase></testsuite>`,
      1,
      0,
    ],
  ]

  const read = readOnce(files.map(([, content]) => content))
  test.each(files.map((row, at) => [...row, at] as const))('%s', (_, _content, passed, failed, at) => {
    expect(read()[at]).toMatchObject({ passed, failed })
  })
})

test('benchmark.json: the runs with the skill count, those without do not', () => {
  const run = fc.record({
    with: fc.boolean(),
    passed: fc.nat(20),
    failed: fc.nat(20),
    hasFailed: fc.boolean(),
    errors: fc.nat(3),
  })
  const cases = fc.sample(fc.tuple(fc.array(run, { minLength: 1, maxLength: 10 }), text), {
    numRuns: CASES,
    seed: SEED,
  })
  const files = cases.map(([runs, words]) =>
    JSON.stringify({
      metadata: { skill_name: words, executor_model: 'example-model-1', timestamp: '2026-01-15T10:30:00Z' },
      runs: runs.map(({ passed, failed, hasFailed, errors, ...one }, number) => ({
        eval_id: number,
        configuration: one.with ? 'with_skill' : 'without_skill',
        notes: [words],
        result: { passed, total: passed + failed, ...(hasFailed && { failed }), pass_rate: 0.5, errors },
      })),
      run_summary: { with_skill: {}, delta: { pass_rate: '+0.50' } },
    }),
  )
  for (const [index, found] of readAll(files).entries()) {
    const counted = cases[index]![0].filter((one) => one.with)
    const passed = counted.reduce((sum, one) => sum + one.passed, 0)
    // A run that ended with an error before anything was checked has failed.
    const failed = counted.reduce((sum, one) => sum + (one.failed || (one.passed === 0 && one.errors > 0 ? 1 : 0)), 0)
    if (passed + failed === 0) expect(found.refused).toContain('expected at least one test case')
    else
      expect(found).toEqual({
        passed,
        failed,
        skipped: 0,
        score: rate(passed, failed),
        model: 'example-model-1',
        url: null,
        at: '2026-01-15T10:30:00Z',
      })
  }
})

test('a score never becomes 1 by rounding, and only an https URL and a plain model are taken over', () => {
  const stats = { successes: 9_999_999, failures: 1, errors: 0 }
  const file = (more: object, provider = 'a\u202eb') =>
    JSON.stringify({ results: { stats, results: [{ score: 2, provider: { id: provider } }] }, ...more })
  const [first, second] = readAll([
    file({ shareableUrl: 'javascript:alert(1)' }),
    file({ shareableUrl: 'https://app.example.org/eval/1' }, 'openai:chat:x'),
  ])
  expect(first).toMatchObject({ score: 0.999999, model: null, url: null })
  expect(second).toMatchObject({ model: 'openai:chat:x', url: 'https://app.example.org/eval/1' })
})

describe('a hostile or foreign file is refused with a sentence', () => {
  const CASE = '<testcase name="a"/>'
  //  file                                  content                                                      sentence
  const files: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['nothing', '', /expected the JSON/],
    ['no JSON', '{', /expected the JSON/],
    ['a list', '[]', /expected the JSON of promptfoo, with results/],
    ['not UTF-8', Buffer.from([0x7b, 0xff]), /expected UTF-8/],
    ['UTF-16', Buffer.from('\ufeff<testsuite/>', 'utf16le'), /expected UTF-8/],
    ['a count that is no number', '{"results":{"stats":{"successes":NaN,"failures":0}}}', /expected the JSON/],
    [
      'an endless count',
      '{"results":{"stats":{"successes":1e999,"failures":0}}}',
      /successes: expected a whole number/,
    ],
    ['a negative count', '{"results":{"stats":{"successes":-1,"failures":0}}}', /successes: expected a whole number/],
    ['a count as text', '{"results":{"stats":{"successes":"1","failures":0}}}', /successes: expected a whole number/],
    ['true as a count', '{"results":{"stats":{"successes":true,"failures":0}}}', /successes: expected a whole number/],
    ['no statistics', '{"results":{}}', /expected results.stats/],
    [
      'a row of digits',
      `{"results":{"stats":{"successes":${'9'.repeat(2_000_000)},"failures":0}}}`,
      /expected a whole number/,
    ],
    ['nested lists', '['.repeat(1_000_000), /expected the JSON/],
    ['nested objects', '{"a":'.repeat(300_000), /expected the JSON/],
    ['rates alone', '{"run_summary":{"with_skill":{"pass_rate":{"mean":0.8}}}}', /has only rates/],
    [
      'runs that do not add up',
      '{"run_summary":{},"runs":[{"configuration":"with_skill","result":{"passed":3,"failed":1,"total":3}}]}',
      /runs.0.result: 3 passed and 1 failed are not 3/,
    ],
    ['a document type', `<!DOCTYPE testsuite><testsuite>${CASE}</testsuite>`, /expected no DOCTYPE/],
    [
      'a billion laughs',
      `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><testsuite>${CASE}&b;</testsuite>`,
      /expected no DOCTYPE/,
    ],
    [
      'a file of the machine',
      `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite>&x;${CASE}</testsuite>`,
      /expected no DOCTYPE/,
    ],
    ['an unknown entity', `<testsuite>${CASE}&x;</testsuite>`, /expected XML: line 1/],
    ['nested suites', '<testsuite>'.repeat(500_000), /less deeply nested/],
    ['a test in a test', `<testsuite><testcase>${CASE}</testcase></testsuite>`, /no testcase in a testcase/],
    ['a header that is no number', `<testsuite errors="some">${CASE}</testsuite>`, /errors: expected a whole number/],
    [
      'an endless header',
      `<testsuite failures="${'9'.repeat(100_000)}">${CASE}</testsuite>`,
      /failures: expected a whole/,
    ],
    ['another document', `<html>${CASE}</html>`, /expected JUnit XML/],
    ['no test', '<testsuite tests="9"/>', /at least one test case/],
    ['an unknown encoding', `<?xml version="1.0" encoding="utf-7"?><testsuite>${CASE}</testsuite>`, /expected XML/],
    ['33 MiB', Buffer.alloc(33 * 1024 * 1024, 0x20), /at most 33554432 bytes/],
  ]
  const read = readOnce(files.map(([, content]) => content))
  test.each(files.map((row, at) => [...row, at] as const))('%s', (_, _content, sentence, at) => {
    expect(read()[at]).toEqual({ refused: expect.stringMatching(sentence), code: 'invalid_request' })
  })
})

test('a file of 6 MB with a hundred thousand test cases is read', () => {
  const body = `<testcase name="${'a'.repeat(30)}"/>`.repeat(100_000)
  expect(readAll([`<testsuite>${body}</testsuite>`])[0]).toMatchObject({ passed: 100_000, failed: 0 })
})
