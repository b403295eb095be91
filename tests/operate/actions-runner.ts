// Runs the job of a workflow as GitHub Actions does, with a real repository, git and shell: checks out a commit, and runs
// each step, also those of this project's action, with the environment variables of a runner.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type FilesToWrite, writeFiles } from '../write-files.ts'

interface Step {
  id?: string
  /** Comparisons of a value with a text, joined by `&&`. */
  if?: string
  uses?: string
  run?: string
  with?: Record<string, unknown>
  env?: Record<string, string>
}

/** The values of a workflow's expressions, such as `secrets.HUB_TOKEN`. */
type Values = Record<string, string>

/** Opens a repository on the fake GitHub, with a clone in which somebody works. */
export function openPromptRepository() {
  const root = temporaryFolder('hub-prompts-')
  const origin = join(root, 'origin.git')
  const clone = join(root, 'clone')
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'core.autocrlf=false']
  const git = (...args: string[]) => runSync('git', [...identity, ...args], { cwd: clone, encoding: 'utf8' }).trim()
  runSync('git', ['init', '-q', '--bare', '-b', 'main', origin])
  // As on GitHub, a job can fetch any commit of the repository.
  runSync('git', ['-C', origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true'])
  runSync('git', ['init', '-q', '-b', 'main', clone])
  git('remote', 'add', 'origin', origin)
  const commit = (message: string, files: FilesToWrite, ...options: string[]) => {
    writeFiles(clone, files)
    git('add', '--all')
    git('commit', '-q', '-m', message, ...options)
    return git('rev-parse', 'HEAD')
  }
  return {
    origin,
    /** Changes files (null deletes one), commits and pushes. @param options of `git commit` @returns the commit */
    push(...change: Parameters<typeof commit>): string {
      const sha = commit(...change)
      git('push', '-q', '--force', 'origin', 'main')
      return sha
    },
    /** Proposes a change from a fork. @returns its merge with the main branch, which the job checks out */
    pull(...change: Parameters<typeof commit>): string {
      git('checkout', '-q', '--detach', 'main')
      const head = commit(...change)
      const merge = git('commit-tree', '-p', 'main', '-p', head, '-m', 'Merge', `${head}^{tree}`)
      git('push', '-q', '--force', 'origin', `${merge}:refs/pull/1/merge`)
      git('checkout', '-q', 'main')
      return merge
    },
  }
}

/** What a job runs with. A job of a pull request from a fork has no secrets and no OIDC tokens, whatever its workflow says. */
interface Job {
  origin: string
  sha: string
  workflow: string
  secrets?: Values
  /** Environment variables that the runner adds for OIDC tokens, if the workflow has the permission. */
  oidc?: Values
}

/** Runs a workflow's only job. @returns the exit code of the first step that failed, or 0, and what the steps wrote to GITHUB_OUTPUT and the summary */
export async function runWorkflow({ origin, sha, workflow, secrets = {}, oidc = {} }: Job) {
  const { permissions, jobs } = parse(workflow) as {
    permissions: Record<string, string>
    jobs: Record<string, { steps: Step[] }>
  }
  const [job, ...others] = Object.values(jobs)
  if (!job || others.length > 0) throw new Error('expected a workflow with one job')
  const cwd = temporaryFolder('hub-job-')
  const commands = temporaryFolder('hub-job-commands-')
  const told = { GITHUB_OUTPUT: join(commands, 'output'), GITHUB_STEP_SUMMARY: join(commands, 'summary') }
  for (const file of Object.values(told)) writeFileSync(file, '')
  const environment = {
    ...told,
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    GITHUB_ACTIONS: 'true',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REPOSITORY: 'octo/prompts',
    // Nobody listens there, so the job may not write attestations.
    GITHUB_API_URL: 'http://127.0.0.1:9',
    RUNNER_TEMP: tmpdir(),
    ...(permissions['id-token'] === 'write' ? oidc : {}),
  }
  let output = ''

  async function runStep(step: Step, values: Values, variables: Values): Promise<number> {
    const { uses = '', with: given = {} } = step
    const action = /^OWNER\/prompt-hub\/(.+)@COMMIT$/.exec(uses)?.[1]
    if (uses.startsWith('actions/checkout@')) {
      const git = (...args: string[]) => runSync('git', args, { cwd })
      const depth = given['fetch-depth'] === 0 ? [] : ['--depth=1']
      git('init', '-q', '-b', 'unused')
      git('remote', 'add', 'origin', `file://${origin}`)
      git('fetch', '-q', '--no-tags', ...depth, 'origin', `+${given.ref ?? sha}:refs/remotes/origin/main`)
      git('checkout', '-q', '-B', 'main', 'refs/remotes/origin/main')
    } else if (uses.startsWith('actions/setup-node@')) {
      // What it would install must be what these tests run with.
      if (!process.version.startsWith(`v${given['node-version']}.`)) throw new Error(JSON.stringify(step))
    } else if (action !== undefined) {
      const { inputs, runs } = parse(readFileSync(join(action, 'action.yml'), 'utf8')) as {
        inputs: Record<string, { default?: string }>
        runs: { steps: Step[] }
      }
      const known = { ...values }
      for (const [name, input] of Object.entries(inputs))
        known[`inputs.${name}`] = String(given[name] ?? input.default ?? '')
      return runSteps(runs.steps, known, { ...variables, GITHUB_ACTION_PATH: resolve(action) })
    } else if (step.run !== undefined) {
      const env = { ...variables }
      for (const [name, text] of Object.entries(step.env ?? {}))
        env[name] = text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, value: string) => findValue(value, values))
      const { code, said } = await runShell(step.run, cwd, env)
      output += said
      for (const [, name, value] of readFileSync(told.GITHUB_OUTPUT, 'utf8').matchAll(/^(\w+)=(.*)$/gm))
        values[`steps.${step.id}.outputs.${name}`] = value!
      return code
    } else throw new Error(`cannot run ${JSON.stringify(step)}`)
    return 0
  }
  async function runSteps(steps: readonly Step[], values: Values, variables: Values): Promise<number> {
    for (const step of steps) {
      const code = isMet(step.if, values) ? await runStep(step, values, variables) : 0
      if (code !== 0) return code
    }
    return 0
  }

  const values: Values = { 'github.token': 'token of the job', 'secrets.HUB_TOKEN': secrets.HUB_TOKEN ?? '' }
  const code = await runSteps(job.steps, values, environment)
  return {
    code,
    output,
    outputs: readFileSync(told.GITHUB_OUTPUT, 'utf8'),
    summary: readFileSync(told.GITHUB_STEP_SUMMARY, 'utf8'),
  }
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

/** The default shell of a step, which stops at the first command that fails. */
const runShell = (script: string, cwd: string, env: Values) =>
  new Promise<{ code: number; said: string }>((done) =>
    execFile('bash', ['-e', '-c', script], { cwd, env, encoding: 'utf8' }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr }),
    ),
  )
