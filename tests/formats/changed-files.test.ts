// Changes real files of every import format, as hand edits, newer versions of a tool and attackers do: no change makes
// an import fail, and each part that a file gained is in what is read, or named as lost or refused. RUNS sets how often
// the random changes are made.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { importPrompt } from '../../packages/prompt-formats/source/content-files.ts'
import { type ImportFormat, READERS } from '../../packages/prompt-formats/source/formats.ts'
import type { ConversionProblem } from '../../src/domain/api/export-formats.ts'
import { readPasted } from '../../src/editor/form/pasted-file.ts'

const RUNS = Number(process.env.RUNS ?? 20)
const SEED = Number(process.env.SEED ?? 60)

const fixture = (name: string) => readFileSync(`tests/fixtures/import-formats/${name}`, 'utf8')
const function_ = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }
const front = (yaml: string, body: string) => `---\n${yaml}\n---\n${body}`

const FILES: readonly (readonly [ImportFormat, string])[] = [
  ['github', fixture('eval.prompt.yml')],
  ['langchain', fixture('langsmith.json')],
  ['langchain', fixture('langsmith-model.json')],
  ['langfuse', fixture('lf-chat.json').replace('"developer"', '"assistant"')],
  ['langfuse', fixture('lf-one.json')],
  ['langfuse', fixture('lf-ref.json')],
  ['langfuse', fixture('lf-versions.json')],
  ['mlflow', fixture('mlflow-chat.json')],
  ['mlflow', fixture('mlflow.json')],
  ['openai', fixture('openai-prompt.json')],
  ['promptlayer', fixture('promptlayer.json')],
  [
    'portkey',
    JSON.stringify({
      id: 'p',
      slug: 'sum',
      name: 'Sum',
      string: 'Sum up {{text}}. {{>style}}',
      model: 'm',
      tools: [function_],
      parameters: { temperature: 0.2 },
    }),
  ],
  [
    'dotprompt',
    front(
      'name: greet\nmodel: m\nconfig:\n  temperature: 0.2\ninput:\n  schema:\n    name: string, who\n    mood?(enum, how): [calm, loud]\n  default:\n    mood: calm\noutput:\n  format: json\n  schema:\n    text: string\ntools: [look_up]',
      '{{role "system"}}\nBe {{mood}}.\n{{history}}\n{{role "user"}}\nGreet {{name}}. {{>sign}}\n',
    ),
  ],
  [
    'dotprompt',
    front(
      'input:\n  schema:\n    type: object\n    required: [tone]\n    properties:\n      tone:\n        type: string\n        description: How\n        enum: [a, b]',
      'Be {{tone}}.\n',
    ),
  ],
  [
    'prompty',
    front(
      'name: greet\ndescription: Greets\nauthors: [octocat]\ntags: [a]\nmodel:\n  api: chat\n  configuration:\n    type: azure_openai\n    azure_deployment: m\n  parameters:\n    temperature: 0.2\ninputs:\n  name:\n    type: string\n    default: Ada\nsample:\n  name: Ada',
      'system:\nBe kind.\n\nuser:\nGreet {{name}}.\n',
    ),
  ],
  [
    'skill',
    front(
      'name: notes\ndescription: Writes notes. Use it for notes.\nlicense: MIT\ncompatibility: Needs git.\nmetadata:\n  author: octocat',
      'Write notes.\n',
    ),
  ],
  [
    'claude-command',
    front(
      'description: Fixes\nargument-hint: "[issue]"\nallowed-tools: Read, Grep\nmodel: m',
      'Fix $ARGUMENTS, and $1.\n',
    ),
  ],
  ['claude-command', front('description: Fixes\narguments: [issue, tone]', 'Fix $issue, $tone.\n')],
  ['copilot', fixture('review.prompt.md')],
  ['copilot', fixture('style.instructions.md')],
  [
    'markdown',
    front(
      'title: Notes\ndescription: Writes notes\ntags: [a, b]\nlicense: MIT\nvariables:\n  - name: topic\n    description: The topic\nparameters:\n  temperature: 0.2',
      'Write notes about {{topic}}.\n',
    ),
  ],
  ['csv', 'act,prompt,for_devs\n"Terminal","I want you to act as a terminal, ""please"".",TRUE\nPoet,Write,FALSE\n'],
]

/** What a tool says about a file and not about its prompt, or what a text tells by itself: no word is said about these. */
const SILENT: readonly RegExp[] = [
  /^langchain (?:.*\.)?(?:lc|type|id\.\d|input_variables(?:\.\d)?)$|^langchain commit_hash$/,
  /^langfuse (?:\d\.)?(?:id|version|createdAt|updatedAt|projectId|createdBy|isActive|resolutionGraph|type)$/,
  // Earlier messages have no name on a hub.
  /^langfuse (?:\d\.)?prompt\.\d\.(?:type|name)$/,
  /^mlflow version$/,
  /^openai (?:id|object|version|input\.\d\.content\.\d\.type)$/,
  /^promptlayer (?:id|version|workspace_id|prompt_template\.(?:type|input_variables(?:\.\d)?))$/,
  // By these, other prompts include this one.
  /^portkey (?:id|slug)$/,
]

type Path = readonly (string | number)[]

/** A file with keys and values: these, and how to write others in their place. */
interface Keyed {
  tree: unknown
  write(tree: unknown): string
}

function readKeys(source: string): Keyed | undefined {
  if (/^[[{]/.test(source)) return { tree: JSON.parse(source), write: (tree) => JSON.stringify(tree) }
  const [, yaml, body] = /^---\n([\s\S]*?\n)---\n([\s\S]*)$/.exec(source) ?? []
  if (yaml !== undefined) return { tree: parse(yaml), write: (tree) => `---\n${stringify(tree)}---\n${body}` }
  return /^\w+:/.test(source) ? { tree: parse(source), write: (tree) => stringify(tree) } : undefined
}

const isTree = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === 'object' && value !== null

function listPaths(tree: unknown, at: Path = []): Path[] {
  if (!isTree(tree)) return [at]
  const keys = Array.isArray(tree) ? [...tree.keys()] : Object.keys(tree)
  return [at, ...keys.flatMap((key) => listPaths(tree[key], [...at, key]))]
}

const valueAt = (tree: unknown, path: Path): unknown =>
  path.reduce<unknown>((one, key) => (isTree(one) ? one[key] : undefined), tree)

/** Returns a copy of a tree with another value at a path. JSON keeps `__proto__` as a key, which an assignment would not. */
function withValue(tree: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(tree)) return tree.map((one, at) => (at === key ? withValue(one, rest, value) : one))
  return Object.fromEntries(
    Object.entries(tree as object).map(([name, one]) => [name, name === key ? withValue(one, rest, value) : one]),
  )
}

const MARK = 'zqmark'
const NUMBER = 424_242
const isMarked = (value: unknown) => /zqmark|424242/.test(JSON.stringify(value))

/** The changes that add a marked part at a place of a file. */
function listChanges(here: unknown): [string, unknown][] {
  const values: [string, unknown][] = [
    ['a text', MARK],
    ['a number', NUMBER],
    ['a list', [MARK]],
    ['an object', { [MARK]: MARK }],
  ]
  if (Array.isArray(here))
    values.push(['one more text', [...here, MARK]], ['one more object', [...here, { [MARK]: MARK }]])
  else if (isTree(here)) values.push(['one more key', { ...here, [MARK]: MARK }])
  return values
}

/** Reads a file as the import and the editor do, and makes what an import would write. */
function importFile(format: ImportFormat, source: string): { written: unknown; isRefused: boolean } {
  const { prompts, findings } = READERS[format](source, 'file')
  const said = [...findings]
  const order = { owner: 'acme', by: 'octocat', license: null, publishedAt: '2026-01-01T00:00:00Z' }
  const written = prompts.flatMap((prompt) => {
    const versions = [...(prompt.earlier ?? []), prompt]
    return versions.map((version) => {
      const made = importPrompt(version, { path: 'file', sha256: '0'.repeat(64) }, 'file', undefined, order)
      said.push(...made.lost)
      if (made.status !== 'refused') return [made.files, version.labels, version.name]
      expect(made.problems).not.toEqual([])
      said.push(
        ...made.problems.map(({ key, message }) => ({ kind: 'refused' as const, field: key, line: null, message })),
      )
      return []
    })
  })
  readPasted(source, format)
  const isRefused = said.some(({ kind }) => kind === 'refused')
  expect(prompts.length > 0 || isRefused).toBe(true)
  return { written, isRefused }
}

/** Returns whether a message names a part of a file, or something that the part belongs to. */
const names = ({ field, message }: ConversionProblem, path: Path) =>
  isMarked([field, message]) || path.some((key) => field.split('.').includes(String(key)))

const keyed = FILES.flatMap(([format, source]) => {
  const keys = readKeys(source)
  return keys ? [{ format, ...keys }] : []
})

test.each(FILES)('%s: the file as it is has a prompt', (format, source) => {
  const { written, isRefused } = importFile(format, source)
  expect([isRefused, JSON.stringify(written)]).toEqual([false, expect.stringContaining('versions/1.0.0.md')])
})

test('what is added to a file, or put in place of a part of it, is read, or named as lost or refused', () => {
  const silent: string[] = []
  for (const { format, tree, write } of keyed)
    for (const path of listPaths(tree))
      for (const [what, value] of listChanges(valueAt(tree, path))) {
        const { prompts, findings } = READERS[format](write(withValue(tree, path, value)), 'file')
        const place = `${format} ${path.join('.')}`
        const isNamed = isMarked(prompts) || findings.some((one) => one.kind === 'refused' || names(one, path))
        if (!isNamed && (what === 'one more key' || !SILENT.some((pattern) => pattern.test(place))))
          silent.push(`${place}: ${what}`)
      }
  expect(silent).toEqual([])
})

test('a file with any values, keys and texts anywhere is read, or refused with a reason', () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(null, true, -0, 1e308, '', ' ', '\u0000', '\ud800', '---', '{{', '{{{x}}}', '@@@x', '$1'),
    fc.constantFrom('toString', '__proto__', 'constructor', '{% x %}', '{{#each x}}', '{{>x}}', '%}{%', '\u2028'),
    fc.constantFrom<unknown>([], {}, [[]], [null], JSON.parse('{"__proto__": {"zqmark": 1}}')),
    fc.constantFrom<unknown>(JSON.parse('{"constructor": {"prototype": {"zqmark": 1}}}'), 'x'.repeat(70_000)),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(fc.constantFrom(...keyed), fc.array(fc.tuple(fc.nat(), value), { maxLength: 3 }), (file, changes) => {
      const changed = changes.reduce((tree, [at, one]) => {
        const paths = listPaths(tree)
        return withValue(tree, paths[at % paths.length]!, one)
      }, file.tree)
      importFile(file.format, file.write(changed))
    }),
    { seed: SEED, numRuns: RUNS },
  )
  expect(MARK in {}).toBe(false)
})

test('a file with its bytes cut, repeated or replaced anywhere is read, or refused with a reason', () => {
  const scrap = fc.oneof(
    fc.constantFrom(
      '---\n',
      '\n---\n',
      '{{',
      '}}',
      '{%',
      '"',
      "'",
      ':',
      '\t',
      '\r',
      '\u0000',
      '\ufeff',
      '[',
      '{',
      '&a ',
      '*a',
    ),
    fc.constantFrom(
      '<<: *a\n',
      '!!js/function x',
      '__proto__: {a: 1}\n',
      '? x\n',
      '|\n',
      '{{role "user"}}\n',
      '$ARGUMENTS',
    ),
    fc.array(fc.nat({ max: 0x10_ff_ff }), { maxLength: 20 }).map((all) => String.fromCodePoint(...all)),
  )
  const edit = fc.tuple(fc.nat(), fc.nat({ max: 60 }), fc.constantFrom('cut', 'repeat', 'put'), scrap)
  fc.assert(
    fc.property(
      fc.constantFrom(...FILES),
      fc.array(edit, { minLength: 1, maxLength: 5 }),
      ([format, source], edits) => {
        const text = edits.reduce((one, [from, length, what, more]) => {
          const at = from % (one.length + 1)
          const [before, part, after] = [one.slice(0, at), one.slice(at, at + length), one.slice(at + length)]
          return before + (what === 'cut' ? '' : what === 'repeat' ? part + part : more + part) + after
        }, source)
        importFile(format, text)
      },
    ),
    { seed: SEED, numRuns: RUNS },
  )
})
