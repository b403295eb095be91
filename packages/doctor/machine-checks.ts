// Checks this machine: git, content and stores.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../src/config.ts'
import { parseTrustedRootFile } from '../../src/domain/content/trusted-root-file.ts'
import { formatProblems } from '../../src/domain/text/problems.ts'
import { describeReason } from '../../src/ports/log.ts'
import { describeShortage } from '../node-server/memory.ts'
import { reviewContent } from '../review/review-content.ts'
import { readHistory } from '../stores/content/content-history.ts'
import { openContentSource } from '../stores/content/content-source.ts'
import { findFirstFiles, listProblems } from '../stores/content/first-files.ts'
import { createGit } from '../stores/git/git-command.ts'
import { openLocalGit } from '../stores/git/git-store-local.ts'
import { type Check, type CheckProblems, check, fail, warn } from './checks.ts'
import { checkDatabase, checkStateFile } from './state-checks.ts'

/** A checkout of this project on this machine, with its settings. */
export interface Machine {
  /** The absolute path of the checkout. */
  root: string
  config: Config
  environment: Readonly<Record<string, string | undefined>>
  now: () => Date
  /** The memory that a hub here may use. */
  memoryBytes: number
}

/** The oldest supported git. `git maintenance`, added in 2.29, keeps a busy repository small. docs/notes/git.md section 4 */
const OLDEST_GIT = [2, 30] as const

/** Lists the checks for a hub that runs, or will run, on this machine. */
export function machineChecks(machine: Machine): Check[] {
  const { keepsClone, hasOwnCatalogue, contentDir, gitStore, databaseUrl } = machine.config
  // Until the first start, the hub's own catalogue does not exist.
  const isMissing = hasOwnCatalogue && contentDir === 'content'
  const content = check('content', 'the content is readable and valid', [], () => checkContent(machine))
  const roots = 'the trusted roots of attestations can be used, and are current'
  const database = 'the database responds and is writable, and its clock agrees with this machine’s'
  return [
    check('memory', 'there is enough memory', [], () => checkMemory(machine.memoryBytes)),
    check('git', 'git is installed and new enough', [], () => checkGit(machine)),
    // If the content is a clone, the check `clone` covers it.
    ...(keepsClone ? [] : [content]),
    ...(existsSync(rootsFileOf(machine))
      ? [check('trusted-root', roots, ['content'], () => checkTrustedRoot(machine))]
      : []),
    ...(gitStore.kind === 'local' && !isMissing
      ? [check('content-git', 'git can publish to the content', ['git', 'content'], () => checkContentGit(machine))]
      : []),
    databaseUrl === undefined
      ? check('blob-store', 'tokens, sessions and fresh copies can be stored', [], () => checkStateFile(machine.root))
      : check('database', database, [], () => checkDatabase(machine.config, machine.now())),
  ]
}

function checkMemory(bytes: number): CheckProblems {
  const shortage = describeShortage(bytes)
  return shortage === undefined
    ? undefined
    : fail(shortage, 'Add memory, or raise the limit of the container or service.')
}

async function checkGit({ root, environment }: Machine): Promise<CheckProblems> {
  const said = await createGit(root, environment)
    .run(['--version'])
    .then(String, (error: Error) => error.message)
  const version = /^git version (\d+)\.(\d+)/.exec(said)
  const oldest = OLDEST_GIT.join('.')
  if (!version)
    return fail(
      `git cannot be run: ${said.trim()}.`,
      `Install git ${oldest} or later, and make sure that it is in PATH.`,
    )
  const [major, minor] = [Number(version[1]), Number(version[2])]
  if (major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1]))
    return fail(`This is git ${major}.${minor}; the hub needs ${oldest}.`, `Install git ${oldest} or later.`)
  return undefined
}

async function checkContent({ root, config, environment, now }: Machine): Promise<CheckProblems> {
  const contentDir = resolve(root, config.contentDir)
  if (!existsSync(contentDir))
    return fail(
      `Content folder not found: ${contentDir}.`,
      'Set CONTENT_DIR to the folder that contains the prompts, or create one: npm run new -- owner/name',
    )
  const { entries, repositories } = await reviewContent({ contentDir, environment })
  const errors = entries.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first)
    return fail(
      `${errors.length === 1 ? 'A file' : `${errors.length} places`} in the content cannot be served: ${first.file}:${first.line} ${first.rule}.`,
      'Run npm run check:content to list every problem and how to fix it.',
    )
  const history = await readHistory(contentDir, environment, now().toISOString())
  const source = openContentSource({ contentDir, dir: undefined, environment })
  const look = history.head === undefined ? undefined : await source.look()
  const [changed] = look ? listProblems(await findFirstFiles({ git: source.git, look, history, affected: 'all' })) : []
  if (changed)
    return fail(
      `A published version is not what it first was: ${changed.file}: ${changed.message}.`,
      'Restore the files that a commit has changed. The hub serves their first bytes.',
    )
  if (repositories > 0) return undefined
  return warn('The content folder does not contain any prompts yet.', 'Create the first one: npm run new -- owner/name')
}

/** After this many days, a key or certificate of Sigstore may have been replaced. */
const MAX_ROOT_DAYS = 180
const DAY_MS = 86_400_000

const rootsFileOf = ({ root, config }: Machine) => resolve(root, config.contentDir, 'trusted-root.json')

async function checkTrustedRoot(machine: Machine): Promise<CheckProblems> {
  const { value, problems } = parseTrustedRootFile(readFileSync(rootsFileOf(machine), 'utf8'))
  if (problems) return fail(`content/trusted-root.json: ${formatProblems(problems)}.`, 'Write it with npm run trust.')
  // Loaded only if there are roots, because few hubs have any other use for it.
  const { findRootProblem } = await import('../stores/verify-attestation.ts')
  for (const entry of value.roots) {
    const problem = findRootProblem(entry)
    if (problem !== undefined)
      return fail(`The trusted root ${entry.name} cannot be used: ${problem}.`, 'Write it again with npm run trust.')
  }
  const days = Math.floor((machine.now().getTime() - Date.parse(value.renewed_at)) / DAY_MS)
  if (days <= MAX_ROOT_DAYS) return undefined
  return warn(
    `The trusted roots were last renewed ${days} days ago, so attestations of newer keys may be refused.`,
    'Run npm run trust, and commit content/trusted-root.json.',
  )
}

/** Reads a nonexistent repository in the same way as a publish, but writes nothing. */
async function checkContentGit({ root, config, environment }: Machine): Promise<CheckProblems> {
  const git = openLocalGit({
    contentDir: resolve(root, config.contentDir),
    environment,
    warn: () => {},
    isReadOnly: true,
  })
  try {
    await git.readFolder({ owner: 'doctor', name: 'doctor' }, new AbortController())
    return undefined
  } catch (error) {
    const [problem = '', ...rest] = (error instanceof Error ? error.message : String(error)).split(/(?<=[.:]) /)
    const said = describeReason(error)
    return fail(said === '' ? problem : `${problem} Git says: ${said}`, rest.join(' ') || 'Repair the repository.')
  }
}
