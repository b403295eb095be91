// Runs the examples in the READMEs of the libraries and those on a prompt's page, also without a hub.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listClientDownloads } from '../../src/build/downloads/libraries.ts'
import { readClientsReleases } from '../../src/build/downloads/releases.ts'
import type { Repository } from '../../src/domain/api/schema.ts'
import { listUses } from '../../src/site/prompt/use-it.ts'
import { type PlainFiles, startPlainFiles } from '../cli/plain-files.ts'
import { makeProject } from './installed.ts'

const run = promisify(execFile)
const variable = (name: string) => ({
  name,
  description: '',
  type: 'string',
  required: true,
  default: null,
  options: [],
  example: null,
})
const CODE_REVIEW = 'Review this {{language}} code. Intent: {{intent}}\n{{diff}}'
const HELP = '{{role "system"}}\nBe brief.\n\n{{role "user"}}\n{{question}}\n'

let hub: PlainFiles
let project: string
let wheel: string
beforeAll(async () => {
  hub = await startPlainFiles('hub', {
    'acme/code-review': { versions: { '2.0.0': CODE_REVIEW }, variables: ['language', 'intent', 'diff'].map(variable) },
    'acme/help-desk': { versions: { '1.0.0': HELP }, variables: [variable('question')] },
  })
  project = await makeProject(hub.url)
  wheel = join(project, 'library.whl')
  const downloads = listClientDownloads(await readClientsReleases('.'), hub.url)
  writeFileSync(wheel, downloads.find(([path]) => path.endsWith('.whl'))![1])
})
afterAll(async () => {
  await hub.close()
  rmSync(project, { recursive: true, force: true })
})

/** The code blocks of a README, in order. */
const blocksOf = (path: string, language: string) =>
  [...readFileSync(path, 'utf8').matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code]) => code!,
  )
const typescript = async (code: string, cwd = project) => {
  writeFileSync(join(project, 'example.ts'), code)
  return run(process.execPath, [join(project, 'example.ts')], { cwd })
}
const python = (code: string, cwd = project) =>
  run('python3', ['-c', code], { cwd, env: { ...process.env, PYTHONPATH: wheel } })

const LANGUAGES = [
  {
    name: 'TypeScript',
    readme: 'clients/typescript/README.md',
    language: 'ts',
    use: 'typescript',
    example: typescript,
    diff: "const diff = '+1'\n",
    print: 'process.stdout.write(text)',
    printJson: 'process.stdout.write(JSON.stringify(messages))',
  },
  {
    name: 'Python',
    readme: 'clients/python/README.md',
    language: 'python',
    use: 'python',
    example: python,
    diff: 'diff = "+1"\n',
    print: 'print(text, end="")',
    printJson: 'import json\nprint(json.dumps(messages), end="")',
  },
]

describe.each(LANGUAGES)('the README of the $name library', ({ readme, language, example, diff, print }) => {
  const blocks = blocksOf(readme, language)
  const [first, second] = blocks as [string, string]

  test('has two examples', () => expect(blocks).toHaveLength(2))

  test('with a hub, and without one, when the fallback is used and the event names what it leaves out', async () => {
    const filled = (language: string) => `Review this ${language} code. Intent: Fix a leak\n+1`
    const { stdout } = await example(`${diff}${first}\n${print}`)
    expect([filled('TypeScript'), filled('Python')]).toContain(stdout)
    const away = first.replace(/PromptHub\(\{?/, (start) =>
      start.endsWith('{') ? `${start} url: 'http://127.0.0.1:9',` : `${start}"http://127.0.0.1:9", `,
    )
    expect(away).not.toBe(first)
    const without = await example(`${diff}${away}\n${print}`)
    expect(without.stdout).toMatch(/Review this (?:TypeScript|Python) code:\n\+1$/)
    const said = without.stdout + without.stderr
    for (const word of ['fallback', 'unused_values', 'intent']) expect(said).toContain(word)
  })

  test('with a lock file, also without the hub', async () => {
    const cwd = join(project, language)
    mkdirSync(cwd, { recursive: true })
    const command = join(project, 'node_modules/prompt-hub-client/dist/command.js')
    await run(process.execPath, [command, 'add', 'acme/code-review@^2'], { cwd })
    const get =
      language === 'ts'
        ? "const text = (await hub.get('acme/code-review@^2')).content"
        : 'text = hub.get("acme/code-review@^2").content'
    hub.asked.length = 0
    const { stdout } = await example(`${second}\n${get}\n${print}`, cwd)
    expect(stdout).toBe(CODE_REVIEW)
    expect(hub.asked).toEqual([])
  })
})

describe.each(LANGUAGES)('“Use it” on a page, $name', ({ use, example, print, printJson }) => {
  const repository = (over: Partial<Repository>) =>
    ({ owner: 'acme', name: 'x', title: 'X', labels: {}, format: 'text', variables: [], ...over }) as Repository
  const codeOf = (given: Repository) =>
    listUses(given, hub.url)
      .find(({ id }) => id === use)!
      .code('')

  test('a text prompt is filled in', async () => {
    const variables = ['language', 'intent', 'diff'].map(variable) as Repository['variables']
    const code = codeOf(repository({ full_name: 'acme/code-review', variables }))
    expect((await example(`${code}\n${print}`)).stdout).toBe('Review this … code. Intent: …\n…')
  })

  test('a chat prompt becomes messages', async () => {
    const variables = [variable('question')] as Repository['variables']
    const code = codeOf(repository({ full_name: 'acme/help-desk', format: 'chat', variables }))
    expect(code).not.toContain('fill(')
    expect(JSON.parse((await example(`${code}\n${printJson}`)).stdout)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '…' },
    ])
  })
})
