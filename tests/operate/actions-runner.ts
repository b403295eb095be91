// Runs the jobs of a workflow as GitHub Actions does, with a real repository, a real git and a real shell: checks whether
// an event starts the workflow, checks out the commit, and runs each step with the environment variables of a runner.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob, resolve } from 'node:path'
import { parse } from 'yaml'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'

interface Step {
  id?: string
  /** Comparisons of a value with a text, joined by `&&`. */
  if?: string
  uses?: string
  run?: string
  with?: Record<string, unknown>
  env?: Record<string, string>
}

interface Workflow {
  on: {
    push?: { branches: string[]; paths?: string[] }
    pull_request?: { paths?: string[] }
  }
  permissions: Record<string, string>
  concurrency?: { group: string; 'cancel-in-progress'?: boolean }
  jobs: Record<string, { steps: Step[] }>
}

/** What starts a workflow: a push or a pull request from a fork, with the paths that it changes. */
export interface Trigger {
  event: 'push' | 'pull_request'
  before: string
  sha: string
  paths: readonly string[]
}

/** How a job ended. */
interface Outcome {
  /** The exit code of the first step that failed, or 0. */
  code: number
  output: string
  /** What the steps wrote to GITHUB_OUTPUT, and to the summary of the job. */
  outputs: string
  summary: string
}

/** The values of a workflow's expressions, such as `secrets.HUB_TOKEN`. */
type Values = Readonly<Record<string, string>>

const NO_COMMIT = '0'.repeat(40)
const BRANCH = 'main'

/** A repository on the fake GitHub, with a clone in which somebody works. */
export interface PromptRepository {
  /** Changes files (null deletes one), commits and pushes. `amend` replaces the last commit. @returns what GitHub would report */
  push(message: string, files: Readonly<Record<string, string | Buffer | null>>, amend?: boolean): Trigger
  /** Proposes a change from a fork: the merge with the main branch is then at refs/pull/1/merge. */
  pull(message: string, files: Readonly<Record<string, string>>): Trigger
}

export function openPromptRepository(): PromptRepository & { origin: string } {
  const root = temporaryFolder('hub-prompts-')
  const origin = join(root, 'origin.git')
  const clone = join(root, 'clone')
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'core.autocrlf=false']
  const git = (...args: string[]) => runSync('git', [...identity, ...args], { cwd: clone, encoding: 'utf8' }).trim()
  runSync('git', ['init', '-q', '--bare', '-b', BRANCH, origin])
  // As on GitHub, a job can fetch any commit of the repository.
  runSync('git', ['-C', origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true'])
  runSync('git', ['init', '-q', '-b', BRANCH, clone])
  git('remote', 'add', 'origin', origin)
  let pushed = NO_COMMIT
  const pushAll = (): Trigger => {
    const before = pushed
    git('push', '-q', '--force', 'origin', BRANCH)
    pushed = git('rev-parse', 'HEAD')
    const changed =
      before === NO_COMMIT ? git('ls-files', '-z') : git('diff', '--name-only', '--no-renames', '-z', before, pushed)
    return { event: 'push', before, sha: pushed, paths: changed.split('\0').filter(Boolean) }
  }
  return {
    origin,
    push(message, files, amend = false) {
      for (const [path, content] of Object.entries(files)) {
        const file = join(clone, path)
        mkdirSync(dirname(file), { recursive: true })
        if (content === null) rmSync(file)
        else writeFileSync(file, content)
      }
      git('add', '--all')
      git('commit', '-q', '-m', message, ...(amend ? ['--amend'] : []))
      return pushAll()
    },
    pull(message, files) {
      git('checkout', '-q', '--detach', BRANCH)
      for (const [path, content] of Object.entries(files)) writeFileSync(join(clone, path), content)
      git('add', '--all')
      git('commit', '-q', '-m', message)
      const head = git('rev-parse', 'HEAD')
      const merge = git('commit-tree', '-p', BRANCH, '-p', head, '-m', 'Merge', `${head}^{tree}`)
      git('push', '-q', '--force', 'origin', `${merge}:refs/pull/1/merge`)
      git('checkout', '-q', BRANCH)
      return { event: 'pull_request', before: git('rev-parse', BRANCH), sha: merge, paths: Object.keys(files) }
    },
  }
}

/** Options of a run. */
interface RunOptions {
  workflow: string
  secrets: Values
  /** Environment variables that the runner adds for OIDC tokens, if the workflow has the permission. */
  oidc: Values
}

/** Runs the workflow. @returns undefined if the event does not start it */
export async function runWorkflow(
  { origin }: { origin: string },
  trigger: Trigger,
  { workflow, secrets, oidc }: RunOptions,
): Promise<Outcome | undefined> {
  const { on, permissions, jobs } = parse(workflow) as Workflow
  const [job, ...others] = Object.values(jobs)
  if (!job || others.length > 0) throw new Error('expected a workflow with one job')
  const isAbout = (paths: string[] | undefined) =>
    !paths || trigger.paths.some((path) => paths.some((pattern) => matchesGlob(path, pattern)))
  const isStarted = {
    push: on.push?.branches.includes(BRANCH) && isAbout(on.push.paths),
    pull_request: 'pull_request' in on && isAbout(on.pull_request?.paths),
  }[trigger.event]
  if (!isStarted) return undefined
  const workspace = temporaryFolder('hub-job-')
  // A pull request from a fork gets no secrets and no OIDC tokens, whatever its workflow says.
  const isTrusted = trigger.event !== 'pull_request'
  const ref = isTrusted ? `refs/heads/${BRANCH}` : 'refs/pull/1/merge'
  const commands = temporaryFolder('hub-job-commands-')
  const told = { GITHUB_OUTPUT: join(commands, 'output'), GITHUB_STEP_SUMMARY: join(commands, 'summary') }
  for (const file of Object.values(told)) writeFileSync(file, '')
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: workspace,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_SHA: trigger.sha,
    GITHUB_REF: ref,
    GITHUB_REF_NAME: ref.split('/').slice(2).join('/'),
    ...told,
    GITHUB_EVENT_NAME: trigger.event,
    GITHUB_REPOSITORY: 'octo/prompts',
    GITHUB_RUN_ID: '1',
    GITHUB_RUN_ATTEMPT: '1',
    // Nobody listens there, so the job may not write attestations.
    GITHUB_API_URL: 'http://127.0.0.1:9',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: tmpdir(),
    ...(isTrusted && permissions['id-token'] === 'write' ? oidc : {}),
  }
  const values = {
    ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`secrets.${name}`, isTrusted ? value : ''])),
    'github.token': 'token of the job',
    'github.event.before': trigger.before,
    'github.sha': trigger.sha,
    'github.ref': environment.GITHUB_REF,
  }
  let output = ''
  const ended = (code: number): Outcome => ({
    code,
    output,
    outputs: readFileSync(told.GITHUB_OUTPUT, 'utf8'),
    summary: readFileSync(told.GITHUB_STEP_SUMMARY, 'utf8'),
  })
  try {
    for (const step of job.steps) {
      if (step.uses?.startsWith('actions/checkout@')) {
        checkOut(workspace, origin, trigger.sha, step.with)
        continue
      }
      const { code, said } = await runStep(step, values, { cwd: workspace, env: environment })
      output += said
      if (code !== 0) return ended(code)
    }
    return ended(0)
  } finally {
    for (const folder of [workspace, commands]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Fetches a commit, or with `ref` the newest one of the branch, and with `fetch-depth: 0` its history, as actions/checkout does. */
function checkOut(workspace: string, origin: string, sha: string, inputs: Step['with'] = {}): void {
  const git = (...args: string[]) => runSync('git', args, { cwd: workspace })
  git('init', '-q', '-b', 'unused')
  git('remote', 'add', 'origin', `file://${origin}`)
  const depth = inputs['fetch-depth'] === 0 ? [] : ['--depth=1']
  git('fetch', '-q', '--no-tags', ...depth, 'origin', `+${inputs.ref ?? sha}:refs/remotes/origin/${BRANCH}`)
  git('checkout', '-q', '-B', BRANCH, `refs/remotes/origin/${BRANCH}`)
}

async function runStep(
  step: Step,
  values: Values,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<{ code: number; said: string }> {
  if (step.run !== undefined) return runShell(step.run, { cwd, env: { ...env, ...fillAll(step.env, values) } })
  const [, path] = /^OWNER\/prompt-hub\/(.+)@COMMIT$/.exec(step.uses ?? '') ?? []
  if (path === undefined) throw new Error(`cannot run ${JSON.stringify(step)}`)
  const { inputs, runs } = parse(readFileSync(join(path, 'action.yml'), 'utf8')) as {
    inputs: Record<string, { default?: string }>
    runs: { steps: Step[] }
  }
  const given = Object.entries({ ...step.with }).map(([name, value]) => [name, String(value)])
  const defaults = Object.entries(inputs).map(([name, input]) => [name, input.default ?? ''])
  const all = Object.entries(Object.fromEntries([...defaults, ...given])).map(([name, value]) => [
    `inputs.${name}`,
    value,
  ])
  let said = ''
  const known = { ...values, ...Object.fromEntries(all) }
  for (const inner of runs.steps) {
    if (!isMet(inner.if, known)) continue
    if (inner.uses?.startsWith('actions/setup-node@')) {
      await requireNode(inner, { cwd, env })
      continue
    }
    if (inner.run === undefined) throw new Error(`cannot run ${JSON.stringify(inner)}`)
    const inside = { ...env, GITHUB_ACTION_PATH: resolve(path), ...fillAll(inner.env, known) }
    const outcome = await runShell(inner.run, { cwd, env: inside })
    said += outcome.said
    if (outcome.code !== 0) return { code: outcome.code, said }
    for (const [, name, value] of readFileSync(env.GITHUB_OUTPUT!, 'utf8').matchAll(/^(\w+)=(.*)$/gm))
      known[`steps.${inner.id}.outputs.${name}`] = value!
  }
  return { code: 0, said }
}

/** Stands in for actions/setup-node: what it would install must be what these tests run with. */
async function requireNode(step: Step, options: { cwd: string; env: Record<string, string> }): Promise<void> {
  const { said } = await runShell('node --version', options)
  if (!said.startsWith(`v${step.with?.['node-version']}.`)) throw new Error(`${JSON.stringify(step)} found ${said}`)
}

/** Returns whether the condition of a step is met. */
function isMet(condition: string | undefined, values: Values): boolean {
  return (condition?.split(' && ') ?? []).every((part) => {
    const [, name, text] = /^([\w.-]+) != '([^']*)'$/.exec(part) ?? []
    if (name === undefined) throw new Error(`cannot evaluate ${part}`)
    return findValue(name, values) !== text
  })
}

/** Returns a value; an output of a step that did not run, or did not set it, is empty. */
function findValue(name: string, values: Values): string {
  if (!(name in values || name.startsWith('steps.'))) throw new Error(`no value for ${name}`)
  return values[name] ?? ''
}

function fillAll(env: Values = {}, values: Values): Record<string, string> {
  const fill = (text: string) => text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => findValue(name, values))
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]))
}

/** The default shell of a step, which stops at the first command that fails. */
const runShell = (script: string, options: { cwd: string; env: Record<string, string> }) =>
  new Promise<{ code: number; said: string }>((done) =>
    execFile('bash', ['-e', '-c', script], { ...options, encoding: 'utf8' }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr }),
    ),
  )
