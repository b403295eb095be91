// Checks this machine: git, content and stores.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { openState } from '../host/open-state.ts'
import { createGit } from '../stores/git/git-command.ts'
import { openLocalGit } from '../stores/git/git-store-local.ts'
import { reviewContent } from '../stores/review/review-content.ts'
import { type Check, type Finding, fail, warn } from './checks.ts'

/** A checkout of this project on a machine, with its settings. */
export interface Machine {
  /** Absolute path of the checkout. */
  root: string
  config: Config
  environment: Readonly<Record<string, string | undefined>>
}

/** The oldest supported git. `git maintenance`, added in 2.29, keeps a busy repository small. docs/notes/git.md section 4 */
const OLDEST_GIT = [2, 30] as const
/** Checks for a hub that runs, or will run, on this machine. */
export const MACHINE_CHECKS: readonly Check<Machine>[] = [
  { name: 'git', about: 'git is installed and new enough', run: checkGit },
  {
    name: 'content',
    about: 'the content is readable and valid',
    // The `clone` check covers a clone.
    applies: ({ config }) => !config.keepsClone,
    run: checkContent,
  },
  {
    name: 'content-git',
    about: 'git can publish to the content',
    needs: ['git', 'content'],
    applies: ({ config }) => config.gitStore.kind === 'local',
    run: checkContentGit,
  },
  { name: 'blob-store', about: 'tokens, sessions and fresh copies can be stored', run: checkState },
]

async function checkGit({ root, environment }: Machine): Promise<Finding[]> {
  const version = await createGit(root, environment)
    .run(['--version'])
    .then((bytes) => /(\d+)\.(\d+)/.exec(bytes.toString()))
    .catch(() => undefined)
  const oldest = OLDEST_GIT.join('.')
  if (!version) return [fail('git cannot be run.', `Install git ${oldest} or later, and make sure that it is in PATH.`)]
  const [major, minor] = [Number(version[1]), Number(version[2])]
  return major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1])
    ? []
    : [fail(`This is git ${version[0]}; the hub needs ${oldest}.`, `Install git ${oldest} or later.`)]
}

async function checkContent({ root, config, environment }: Machine): Promise<Finding[]> {
  const contentDir = resolve(root, config.contentDir)
  if (!existsSync(contentDir))
    return [
      fail(
        `Content folder not found: ${contentDir}.`,
        'Set CONTENT_DIR to the folder that contains the prompts, or create one: npm run new -- owner/name',
      ),
    ]
  const { entries, repositories } = await reviewContent({ contentDir, environment })
  const errors = entries.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first)
    return [
      fail(
        `${errors.length === 1 ? 'A file' : `${errors.length} places`} in the content cannot be served: ${first.file}:${first.line} ${first.rule}.`,
        'Run npm run check:content to list every problem and how to fix it.',
      ),
    ]
  return repositories === 0
    ? [warn('The content folder does not contain any prompts yet.', 'Create the first one: npm run new -- owner/name')]
    : []
}

/** Reads a repository that does not exist, in the same way as a publish; writes nothing. */
async function checkContentGit({ root, config, environment }: Machine): Promise<Finding[]> {
  const git = openLocalGit({ contentDir: resolve(root, config.contentDir), environment, warn: () => {} })
  try {
    await git.readFolder({ owner: 'doctor', name: 'doctor' }, new AbortController())
    return []
  } catch (error) {
    const [problem = '', ...rest] = (error instanceof Error ? error.message : String(error)).split(/(?<=[.:]) /)
    return [fail(problem, rest.join(' ') || 'Repair the content’s git repository.')]
  }
}

async function checkState({ root, config }: Machine): Promise<Finding[]> {
  const folder = resolve(root, '.hub')
  const key = `doctor/${randomBytes(8).toString('hex')}`
  try {
    const state = await openState(config, root)
    try {
      await state.set(key, key, { expiresAt: Date.now() + 60_000 })
      const isKept = (await state.get(key))?.value === key
      await state.delete(key)
      if (isKept) return []
    } finally {
      await state.close()
    }
  } catch {
    // The finding below covers every failure, because the fix is the same.
  }
  return [
    fail(
      `Files written to ${folder} are not stored.`,
      'Make sure that the hub’s user can write to that folder and that the disk is writable.',
    ),
  ]
}
