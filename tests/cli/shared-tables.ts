// Tests the Python parts of hubcli with the shared tables: ranges (tests/fixtures/ranges.json) and chats (tests/fixtures/chat-cases.json).
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from './plain-files.ts'
import { HUBCLI, makeFolder, PYTHON, runHubcli, SHELL } from './shells.ts'
import { type Trouble, withStandIn } from './stand-in.ts'

/** The modules of hubcli, by path. */
const MODULES = readFileSync(HUBCLI, 'utf8')
  .split('\n#: ')
  .slice(1)
  .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)] as const)
  .filter(([name]) => name.endsWith('.py'))

/** Returns a folder with the modules of the program. */
function unpackModules(): string {
  const folder = makeFolder()
  for (const each of ['program', 'prompt_hub']) mkdirSync(path.join(folder, each))
  // What follows the last module is the rest of the shell script.
  for (const [name, text] of MODULES) writeFileSync(path.join(folder, name), text.split(/^END$/m)[0]!)
  return folder
}

test('resolves every case in the range table, and judges every path', () => {
  const decide = `
import json, sys
sys.path.append(sys.argv[1])
from prompt_hub.ranges import is_label, is_range
from prompt_hub.records import VersionRow, find_wanted
from prompt_hub.split import LabelTarget
from prompt_hub.lock import refuse_path
from prompt_hub.skills import find_clash
paths = json.load(open(sys.argv[3], encoding="utf-8"))
refused = [[path for path in paths[kind] if refuse_path(path)] for kind in ("valid", "invalid")]
refused += [[pair for pair in paths[kind] if find_clash(pair)] for kind in ("clashing", "apart")]
table = json.load(open(sys.argv[2], encoding="utf-8"))
answers = []
for written, expected in table["cases"]:
    is_written = is_range(written) or is_label(written)
    found = {}
    for name in expected:
        repository = table["repositories"][name]
        rows = [VersionRow(version, version in repository["yanked"], None, "") for version in repository["versions"]]
        labels = {label: LabelTarget(version) for label, version in repository["labels"].items()}
        found[name] = find_wanted(written, labels, rows) if is_written else "malformed"
    answers.append([written, found])
print(json.dumps([answers, refused]))
`
  const words = ['-IS', '-c', decide, unpackModules(), 'tests/fixtures/ranges.json', 'tests/fixtures/paths.json']
  const { cases } = JSON.parse(readFileSync('tests/fixtures/ranges.json', 'utf8'))
  expect(cases.length).toBeGreaterThan(100)
  const { invalid, clashing } = JSON.parse(readFileSync('tests/fixtures/paths.json', 'utf8'))
  expect(JSON.parse(execFileSync(PYTHON, words).toString())).toEqual([cases, [[], invalid, clashing, []]])
})

test('the modules in hubcli are written for Python 3.7', () => {
  const parse = `
import ast, pathlib, sys
for file in pathlib.Path(sys.argv[1]).glob("*/*.py"):
    ast.parse(file.read_text(), str(file), feature_version=(3, 7))
`
  expect(MODULES.length).toBeGreaterThan(30)
  execFileSync(PYTHON, ['-IS', '-c', parse, unpackModules()])
})

interface ChatCase {
  name: string
  content: string
  variables: unknown[]
  values: Record<string, unknown>
  history?: unknown[]
  filled: unknown[] | Record<string, string[]>
}

/** Fills in each case in the file. Prints the exit codes, the messages and the filled texts. */
const FILL_EACH = `
import json, sys
sys.path.append(sys.argv[1])
from program.filling import fill_in
from program.main import Given
from prompt_hub.trouble import PromptHubError
from prompt_hub.variable import read_variable
outcomes = []
for case in json.load(open(sys.argv[2], encoding="utf-8")):
    given = Given("render", [], {"--messages": "filled" in case, "--history": case.get("path")}, None, "")
    try:
        outcomes.append([0, "", fill_in(given, case["values"], case["content"], [read_variable(each) for each in case["variables"]])])
    except PromptHubError as error:
        outcomes.append([error.exit_code, f"hubcli: {error}\\n", ""])
print(json.dumps(outcomes))
`

describe('render', () => {
  // tests/clients/python_client.py fills in all cases with the same module.
  test('--history fills in the earlier messages of a file, or is named', () => {
    const { cases } = JSON.parse(readFileSync('tests/fixtures/chat-cases.json', 'utf8')) as { cases: ChatCase[] }
    const chats = cases.filter(({ history }) => history)
    expect(chats.length).toBeGreaterThan(3)
    const folder = makeFolder()
    const given = chats.map((one, at) => {
      writeFileSync(path.join(folder, String(at)), JSON.stringify(one.history))
      return { ...one, path: path.join(folder, String(at)) }
    })
    writeFileSync(path.join(folder, 'cases'), JSON.stringify(given))
    const words = ['-IS', '-c', FILL_EACH, unpackModules(), path.join(folder, 'cases')]
    const answers = JSON.parse(execFileSync(PYTHON, words).toString()) as [number, string, string][]
    for (const [at, [code, said, filled]] of answers.entries()) {
      const { name, filled: expected } = chats[at]!
      if (Array.isArray(expected)) expect([name, code, said, JSON.parse(filled)]).toEqual([name, 0, '', expected])
      else expect([name, code, said]).toEqual([name, 1, expect.stringContaining('--history')])
    }
  })

  test('--var, --var-file, defaults and invalid values', async () => {
    const content = 'a {{a}} {{ b }} {{c}} {{other}} {{a}}'
    const variable = (name: string, over = {}) => ({
      name,
      type: 'string',
      required: true,
      default: null,
      options: [],
      ...over,
    })
    const data = {
      full_name: 'acme/x',
      latest_version: '1.0.0',
      status: 'active',
      status_message: null,
      labels: {},
      content,
      content_sha256: sha256(content),
      parameters: {},
      variables: [
        variable('a'),
        variable('b', { required: false, type: 'number', default: 0.5 }),
        variable('c', { type: 'enum', options: ['x', 'y'] }),
      ],
    }
    const answer: Trouble = {
      kind: 'answer',
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ data }),
    }
    await withStandIn(
      () => answer,
      async ({ url, requests }) => {
        const cwd = makeFolder()
        writeFileSync(path.join(cwd, 'a file'), 'é{{c}}\r\n\n')
        const run = (...args: string[]) =>
          runHubcli(SHELL, ['render', 'acme/x', ...args], { cwd, env: { HUB_URL: url } })
        const literal = `"$(id)" \\n {{c}} = & 'é'\n`
        expect(await run('--var', `a=${literal}`, '--var', 'c=x')).toMatchObject({
          code: 0,
          stderr: '',
          left: [],
          stdout: `a ${literal} 0.5 x {{other}} ${literal}`,
        })
        const file = await run('--var-file', 'a=a file', '--var', 'c=y', '--var', 'b=-1e3')
        expect(file.stdout).toBe('a é{{c}}\r\n\n -1e3 y {{other}} é{{c}}\r\n\n')
        const wrong = await run('--var', 'c=z', '--var', 'b=1,5', '--var', 'nobody=x')
        expect(wrong).toMatchObject({ code: 1, stdout: '', left: [] })
        expect(wrong.stderr).toBe(
          'hubcli: missing required variable: a; nobody: unknown variable; b: expected a number such as 0.5, got "1,5"; c: expected one of "x", "y", got "z"\n',
        )
        expect((await run('--var', 'a=x', '--var', 'c=x', '--var', 'history=x')).stderr).toBe(
          'hubcli: history: unknown variable; pass earlier messages as the option history, not as a value\n',
        )
        expect(await run('--var-file', 'a=a file', '--var=', 'x')).toMatchObject({ code: 1 })
        const count = requests.length
        for (const args of [
          ['--var', 'a'],
          ['--var', '=x'],
          ['--var', 'a b=x'],
          ['--var'],
          ['--var-file', 'a=missing'],
        ])
          expect(await run(...args)).toMatchObject({ code: 1, stdout: '' })
        expect(requests.length).toBe(count)
      },
    )
  })
})
