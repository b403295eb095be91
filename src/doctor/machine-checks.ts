// Checks this machine: git, content and stores.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { openState } from '../host/open-state.ts'
import { createGit } from '../stores/git/git-command.ts'
import { openLocalGit } from '../stores/git/git-store-local.ts'
import { reviewContent } from '../stores/review/review-content.ts'
import { readDatabaseTime } from '../stores/state/state-postgres.ts'
import { type Check, compareClocks, type Found, fail, warn } from './checks.ts'

/** A checkout of this project on this machine, with its settings. */
export interface Machine {
  /** The absolute path of the checkout. */
  root: string
  config: Config
  environment: Readonly<Record<string, string | undefined>>
  now: () => Date
}

/** The oldest supported git. `git maintenance`, added in 2.29, keeps a busy repository small. docs/notes/git.md section 4 */
const OLDEST_GIT = [2, 30] as const

/** Lists the checks for a hub that runs, or will run, on this machine. */
export function machineChecks(machine: Machine): Check[] {
  const { keepsClone, gitStore, databaseUrl } = machine.config
  return [
    { name: 'git', about: 'git is installed and new enough', run: () => checkGit(machine) },
    {
      name: 'content',
      about: 'the content is readable and valid',
      // If the content is a clone, the check `clone` covers it.
      applies: !keepsClone,
      run: () => checkContent(machine),
    },
    {
      name: 'content-git',
      about: 'git can publish to the content',
      needs: ['git', 'content'],
      applies: gitStore.kind === 'local',
      run: () => checkContentGit(machine),
    },
    {
      name: 'database',
      about: 'the database responds, and its clock agrees with this machine’s',
      applies: databaseUrl !== undefined,
      run: () => checkDatabase(machine),
    },
    {
      name: 'blob-store',
      about: 'tokens, sessions and fresh copies can be stored',
      needs: ['database'],
      run: () => checkState(machine),
    },
  ]
}

async function checkGit({ root, environment }: Machine): Promise<Found> {
  const version = await createGit(root, environment)
    .run(['--version'])
    .then((bytes) => /(\d+)\.(\d+)/.exec(bytes.toString()))
    .catch(() => undefined)
  const oldest = OLDEST_GIT.join('.')
  if (!version) return fail('git cannot be run.', `Install git ${oldest} or later, and make sure that it is in PATH.`)
  const [major, minor] = [Number(version[1]), Number(version[2])]
  if (major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1]))
    return fail(`This is git ${version[0]}; the hub needs ${oldest}.`, `Install git ${oldest} or later.`)
  return undefined
}

async function checkContent({ root, config, environment }: Machine): Promise<Found> {
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
  if (repositories > 0) return undefined
  return warn('The content folder does not contain any prompts yet.', 'Create the first one: npm run new -- owner/name')
}

/** Reads a nonexistent repository in the same way as a publish, but writes nothing. */
async function checkContentGit({ root, config, environment }: Machine): Promise<Found> {
  const git = openLocalGit({ contentDir: resolve(root, config.contentDir), environment, warn: () => {} })
  try {
    await git.readFolder({ owner: 'doctor', name: 'doctor' }, new AbortController())
    return undefined
  } catch (error) {
    const [problem = '', ...rest] = (error instanceof Error ? error.message : String(error)).split(/(?<=[.:]) /)
    return fail(problem, rest.join(' ') || 'Repair the content’s git repository.')
  }
}

async function checkState({ root, config }: Machine): Promise<Found> {
  const key = `doctor/${randomBytes(8).toString('hex')}`
  try {
    const state = await openState(config, root)
    try {
      await state.set(key, key, { expiresAt: Date.now() + 60_000 })
      await state.delete(key)
      return undefined
    } finally {
      await state.close()
    }
  } catch {
    return fail(
      `Files cannot be stored in ${resolve(root, '.hub')}.`,
      'Make sure that the hub’s user can write to that folder and that the disk is writable.',
    )
  }
}

async function checkDatabase({ config, now }: Machine): Promise<Found> {
  try {
    return compareClocks('the database', await readDatabaseTime(config.databaseUrl ?? ''), now())
  } catch {
    return fail(
      'The database at DATABASE_URL does not respond.',
      'Start it, and check the host, user and password in DATABASE_URL.',
    )
  }
}
