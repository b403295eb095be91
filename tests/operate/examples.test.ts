// Runs the code examples of the README and the guides. The hub is started as the README says; those that need no hub run
// once more without it. Every example runs here or in another test, or has a reason why it cannot run.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkInstalled } from '../hubs/machines.ts'
import { freePort, plainEnvironment, type Run, startProcess } from '../hubs/processes.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type ExampleRun, LEFT_OUT, RUN } from './examples-table.ts'
import { type Example, examplesOf } from './follow-guide.ts'
import { startCommands } from './loaded-commands.ts'
import { testNewcomer } from './newcomer.ts'

const GUIDES = readdirSync('src/pages/docs').flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -3)] : []))
const EXAMPLES = ['README.md', 'docs/lock-file.md', ...GUIDES].flatMap(examplesOf)
/** The hub of this test is started with this example, which is in two documents. */
const START = 'npm ci && npm start\n'

/** An example is named by its document and a part of its text, which may begin with its fence. */
const isNamed = (name: string, { document, language, text }: Example) =>
  name.startsWith(`${document}: `) && `\`\`\`${language}\n${text}`.includes(name.slice(document.length + 2))

test('every example is named exactly once, and every name is an example’s', () => {
  const names = [...Object.keys(RUN), ...Object.keys(LEFT_OUT)]
  const counts = EXAMPLES.filter(({ text }) => text !== START).map((example) => [
    `${example.document}: ${example.text.split('\n')[0]}`,
    names.filter((name) => isNamed(name, example)).length,
  ])
  expect(counts.length).toBeGreaterThan(80)
  expect(counts.filter(([, count]) => count !== 1)).toEqual([])
  expect(names.filter((name) => !EXAMPLES.some((example) => isNamed(name, example)))).toEqual([])
  const tests = Object.values(LEFT_OUT).flatMap((reason) => reason.match(/\b(?:src|tests)\/\S+\.ts/g) ?? [])
  expect(tests.filter((path) => !existsSync(path))).toEqual([])
})

let root: string
let checkout: string
/** Its commit before the hub starts. */
let commit: string
let port: number
let base: string
let hub: Run
let token: string
let issuer: Server
let issuerUrl: string
let commands: Awaited<ReturnType<typeof startCommands>>
beforeAll(async () => {
  root = temporaryFolder('hub-examples-')
  checkout = makeCheckout(join(root, 'checkout'))
  commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim()
  mkdirSync(join(root, 'libraries'))
  writeFileSync(join(root, 'libraries/package.json'), '{"type":"module"}')
  commands = await startCommands()
  writeTools(join(root, 'bin'), commands.functions)
  port = await freePort()
  base = `http://localhost:${port}`
  issuer = createServer((request, response) => {
    const audience = new URL(request.url ?? '', base).searchParams.get('audience')
    response.end(JSON.stringify({ value: `token for ${audience}` }))
  })
  issuerUrl = await listen(issuer)
  const settings = { PORT: String(port), RATE_LIMIT_PER_MINUTE: '0', PATH: `${join(root, 'bin')}:${process.env.PATH}` }
  const isReady = async (url: string) => (await fetch(`${url}/readyz`)).ok
  ;({ run: hub } = await startProcess({
    command: ['bash', '-c', START.replace('&& ', '&& exec ')],
    settings,
    cwd: checkout,
    isReady,
  }))
  const made = await runShell(
    'npm run --silent token -- acme --permissions publish,label,maintain 2>/dev/null',
    checkout,
  )
  token = made.output.trim()
  expect(token).toMatch(/^hub_/)
})
afterAll(async () => {
  await hub?.end()
  issuer?.close()
  commands?.close()
})

/** Makes a checkout of the code, with what `npm ci` makes of it. Only its content is a copy, in a git repository. */
function makeCheckout(folder: string): string {
  mkdirSync(folder)
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  const names = new Set(tracked.split('\n').map((path) => path.split('/')[0]!))
  for (const name of names) if (name !== '' && name !== 'content') symlinkSync(resolve(name), join(folder, name))
  linkInstalled(folder)
  cpSync('content', join(folder, 'content'), { recursive: true })
  for (const args of [
    ['init'],
    ['add', 'content'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-mContent'],
  ])
    execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
  return folder
}

/** Programs that stand for an installation: this hub's client, and packages that are already there. */
function writeTools(bin: string, functions: string): void {
  const tools = {
    hubcli: 'hubcli "$@"',
    npm: `case "$1 $2" in 'ci ') exit 0 ;; run\\ *) shift; npm_run "$@"; exit ;; esac; export PATH="\${PATH#*:}"; exec npm "$@"`,
    npx: `name=$1; shift; case $name in skills) exec node "${resolve('tests/node_modules/skills/bin/cli.mjs')}" "$@" --yes --agent claude-code ;; prompt-hub) prompt_hub "$@" ;; esac`,
    pip: `exec python3 -m pip "$@" --no-index --no-deps --no-compile --disable-pip-version-check --root-user-action ignore --upgrade --target "${join(root, 'python')}"`,
  }
  mkdirSync(bin)
  for (const [name, script] of Object.entries(tools))
    writeFileSync(join(bin, name), `#!/bin/bash\n${functions}\n${script}\n`, { mode: 0o755 })
}

const localise = (text: string) =>
  text
    .replaceAll('https://prompts.example.org', base)
    .replaceAll('localhost:8888', `localhost:${port}`)
    .replaceAll('https://cloud.langfuse.com/api/public/v2/prompts', `file://${checkout}/langfuse-api`)
    .replaceAll('hub_…', token)

function runProgram(
  [program, ...parameters]: readonly string[],
  cwd: string,
): Promise<{ code: number; output: string }> {
  const env = {
    ...plainEnvironment(),
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    HOME: cwd,
    HUB: base,
    HUB_URL: base,
    HUB_TOKEN: token,
    CHECKOUT: checkout,
    PYTHONPATH: join(root, 'python'),
    PYTHONWARNINGS: 'ignore',
    LANGFUSE_PUBLIC_KEY: 'a',
    LANGFUSE_SECRET_KEY: 'b',
    ACTIONS_ID_TOKEN_REQUEST_URL: `${issuerUrl}/?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_fetch_retries: '0',
    PIP_RETRIES: '0',
    DISABLE_TELEMETRY: '1',
  }
  return new Promise((done) => {
    const child = spawn(program!, parameters, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => done({ code: code ?? 1, output }))
  })
}

const runShell = (script: string, cwd: string) => runProgram(['bash', '-euc', script], cwd)

function placeOf({ place }: ExampleRun, at: number): string {
  if (place === 'checkout') return checkout
  const folder = join(root, place ?? `example-${at}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Runs an example in its folder. */
function runExample(name: string, run: ExampleRun, at: number): Promise<{ code: number; output: string }> {
  const { language, text } = EXAMPLES.find((example) => isNamed(name, example))!
  const cwd = placeOf(run, at)
  const [start = '', end = ''] = run.around ?? []
  const whole = localise(start + text + end)
  if (run.save !== undefined) {
    mkdirSync(join(cwd, dirname(run.save)), { recursive: true })
    writeFileSync(join(cwd, run.save), whole)
    return runShell(run.andRun ?? '', cwd)
  }
  if (language === 'sh') return runShell(whole, cwd)
  const file = `example-${at}.${language === 'ts' ? 'ts' : 'py'}`
  writeFileSync(join(cwd, file), whole)
  return runProgram([language === 'ts' ? 'node' : 'python3', file], cwd)
}

const CASES = Object.entries(RUN).map(([name, run], at) => [name, run, at] as const)

describe('the examples with a hub', () => {
  test.each(CASES)('%s', async (name, run, at) => {
    if (run.before) expect(await runShell(run.before, placeOf(run, at))).toMatchObject({ code: 0 })
    const { code, output } = await runExample(name, run, at)
    expect([output, code]).toEqual([expect.stringMatching(run.says), 0])
  })
})

describe('a newcomer', () => testNewcomer(() => ({ checkout, commit, base, hub })))

describe('the examples that need no hub, while it is away', () => {
  test.each(CASES.filter(([, { isOffline }]) => isOffline))('%s', async (name, run, at) => {
    const { code, output } = await runExample(name, run, at)
    expect([output, code]).toEqual([expect.stringMatching(run.says), 0])
  })
})
