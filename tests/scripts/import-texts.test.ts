// Tests that `npm run import` and `npm run export` keep every text as it is: files from elsewhere are imported, exported
// and imported again, with real folders and processes.
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ImportFolder, makeImportFolder } from './importing.ts'

let folder: ImportFolder
beforeEach(() => {
  folder = makeImportFolder()
})

const give = (path: string, text: string) => folder.give(path, text)
const read = (path: string) => folder.read(path)
async function run(script: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await folder.run(script, ...args)
  expect([status, status === 0 ? '' : stderr]).toEqual([0, ''])
  return stdout
}
const importAll = (given = 'given') => folder.importAll(join(folder.dir, given))
const exportAll = (format: string) => run('export-prompts', '--format', format, '--out', join(folder.dir, 'out'))
/** The content of a version, or the text of an exported file: what follows the front matter. */
const textOf = (path: string) => read(path).replace(/^---\n[\s\S]*?\n---\n/, '')

test('keeps the text of a skill with prices, SQL and awk byte for byte', async () => {
  const text = 'A plan for $5 beats one for $12. Query: `WHERE id = $1`. Column: `awk "{print $2}"`. Up to $1M.\n'
  const front = 'name: pricing\ndescription: Helps to set prices. Use it for price questions.\n'
  give('given/pricing/SKILL.md', `---\n${front}---\n${text}`)
  expect(importAll()).toMatchObject([{ name: 'pricing', status: 'new', lost: [] }])
  expect(textOf('content/acme/pricing/versions/1.0.0.md')).toBe(text)
  expect(read('content/acme/pricing/versions/1.0.0.md')).not.toContain('argument')
  await exportAll('skill')
  expect(textOf('out/acme/pricing/SKILL.md')).toBe(text)
  expect(importAll()).toMatchObject([{ status: 'unchanged' }])
})

test('keeps a line of one blank, in texts and in stored parameters', async () => {
  const recipe = 'You check a recipe before it is cooked.\n\nFirst:\n \n- salt\n'
  const schema = {
    name: 's',
    schema: { type: 'object', description: 'Return a list of steps, one per line.\n \nThen stop.\n' },
  }
  give('given/recipe.md', recipe)
  give(
    'given/steps.prompt.yml',
    `name: Steps\nmodel: demo/model\nresponseFormat: json_schema\njsonSchema: '${JSON.stringify(schema)}'\nmessages:\n  - role: user\n    content: List the steps for {{task}}\n`,
  )
  expect(importAll().map(({ status }) => status)).toEqual(['new', 'new'])
  expect(importAll().map(({ status }) => status)).toEqual(['unchanged', 'unchanged'])
  const stored = parse(read('content/acme/steps/versions/1.0.0.md').split(/^---\n/m)[1]!)
  expect(stored.parameters.response_format.json_schema).toEqual(schema)
  await exportAll('github')
  expect(parse(read('out/acme/recipe.prompt.yml')).messages).toEqual([{ role: 'user', content: recipe }])
  expect(importAll('out/acme').map(({ name, status }) => [name, status])).toEqual([
    ['recipe', 'unchanged'],
    ['steps', 'unchanged'],
  ])
})

test('imports the versions of a Langfuse prompt in order, with their labels', async () => {
  const one = (version: number, prompt: string, labels: string[]) => ({
    name: 'greet',
    version,
    type: 'text',
    prompt,
    config: {},
    labels,
    tags: [],
  })
  const versions = [one(2, 'Hello dear {{who}}', ['production', 'latest']), one(1, 'Hello {{who}}', ['eu'])]
  give('given/versions.json', JSON.stringify(versions))
  expect(importAll()).toMatchObject([{ name: 'greet', status: 'new', version: '1.1.0' }])
  expect(textOf('content/acme/greet/versions/1.0.0.md')).toBe('Hello {{who}}')
  expect(textOf('content/acme/greet/versions/1.1.0.md')).toBe('Hello dear {{who}}')
  expect(parse(read('content/acme/greet/index.md').split(/^---\n/m)[1]!).labels).toEqual({
    eu: '1.0.0',
    production: '1.1.0',
  })
  expect(importAll()).toMatchObject([{ name: 'greet', status: 'unchanged', version: '1.1.0' }])
  versions.push(one(3, 'Hello {{who}}', ['latest']))
  give('given/versions.json', JSON.stringify(versions))
  expect(importAll()).toMatchObject([{ name: 'greet', status: 'changed', version: '1.2.0' }])
  expect(textOf('content/acme/greet/versions/1.2.0.md')).toBe('Hello {{who}}')
  give('given/versions.json', JSON.stringify(versions.with(2, one(3, 'Hello {{who}}', ['production', 'Odd label']))))
  expect(importAll()).toMatchObject([
    { status: 'updated', version: '1.2.0', lost: [expect.stringMatching(/^labels\.Odd label: /)] },
  ])
  expect(parse(read('content/acme/greet/index.md').split(/^---\n/m)[1]!).labels).toEqual({
    eu: '1.0.0',
    production: '1.2.0',
  })
  await run('check-content')
})

test('says of each prompt of a list what was lost and why it was refused, by its own name and place', async () => {
  const prompts = [
    { name: 'greeting', prompt: 'Hello', labels: ['Odd label'] },
    { name: 'broken', prompt: 42 },
    { name: 'deep', prompt: 'x', config: 'DEEP' },
    { name: 'ok', version: 2, prompt: 'Two', bar: 1 },
    { name: 'ok', version: 1, prompt: 'One', foo: 1 },
    'text',
  ]
  const text = JSON.stringify(prompts).replace('"DEEP"', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)
  give('given/list.json', text.replace('"Hello"', '"Hello","config":{"__proto__":{}}'))
  give('given/rows.csv', 'title,prompt,views\nA,Text,5\n,orphan,1\n,,\nB,,2\n')
  const said = importAll().map(({ path, position, source_name, name, status, lost, reasons }) => [
    `${path.split('/').at(-1)} ${position} ${source_name}`,
    ...[name, status, ...lost, ...reasons.map((reason) => `refused: ${reason}`)],
  ])
  const KEYS = 'Prompt Hub does not support it'
  expect(said).toEqual([
    ['list.json 1 greeting', null, 'refused', 'refused: json: expected no key named __proto__'],
    ['list.json 2 broken', null, 'refused', 'refused: prompt: expected a text or a list of messages'],
    ['list.json 3 deep', null, 'refused', 'refused: json: expected at most 64 levels'],
    ['list.json 6 null', null, 'refused', 'refused: prompt: expected an object with a prompt'],
    ['rows.csv null null', null, 'lost', `line 1: column views: ${KEYS}`],
    ['rows.csv 2 null', null, 'refused', 'refused: row: expected a title and a prompt'],
    ['rows.csv 4 B', null, 'refused', 'refused: row: expected a title and a prompt'],
    ['list.json 4 ok', 'ok', 'new', `prompt 5: foo: ${KEYS}`, `bar: ${KEYS}`],
    ['rows.csv 1 A', 'a', 'new'],
  ])
  const { status, stdout } = await folder.run('import-prompts', join(folder.dir, 'given'), '--owner', 'acme')
  expect([status, stdout]).toEqual([1, expect.stringMatching(/Unchanged 2\nLost +data from 2 files\nRefused +6\n/)])
  expect(stdout).toContain('list.json, prompt 2 “broken”\n  refused  prompt: expected')
  expect(stdout).toContain('list.json, prompt 4 “ok” → acme/ok\n  lost     prompt 5: foo')
})

test('an export for Langfuse has the labels of the latest version, and names those of other versions', async () => {
  const one = (version: number, prompt: string, labels: string[]) => ({ name: 'greet', version, prompt, labels })
  give('given/greet.json', JSON.stringify([one(1, 'Hello', ['eu', 'old']), one(2, 'Hi', ['production', 'staging'])]))
  importAll()
  const said = await exportAll('langfuse')
  expect(JSON.parse(read('out/acme/greet.json'))).toMatchObject({ prompt: 'Hi', labels: ['production', 'staging'] })
  expect(said).toContain('lost     title, label eu, which points at 1.0.0, label old, which points at 1.0.0\n')
  expect(await exportAll('prompty')).toContain('lost     labels, label eu, which points at 1.0.0, label old')
  expect(importAll('out/acme/greet.json')).toMatchObject([{ status: 'unchanged', lost: [] }])
})
