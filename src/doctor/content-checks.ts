// Checks the content on this machine, and that git can publish to it.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { openLocalGit } from '../git/git-store-local.ts'
import { describeReason } from '../log.ts'
import { reviewContent } from '../review/review-content.ts'
import { type Check, check, type Findings, fail } from './checks.ts'

/** A checkout of this project on this machine, with its settings. */
interface Machine {
  /** The absolute path of the checkout. */
  root: string
  config: Config
  environment: Readonly<Record<string, string | undefined>>
}

/** Lists the checks for a hub that runs, or will run, on this machine. */
export function contentChecks(machine: Machine): Check[] {
  const { keepsClone, hasOwnCatalogue, contentDir, gitStore } = machine.config
  // A clone is not here before the first start. The checks of GitHub cover its source.
  if (keepsClone) return []
  const content = check('content', 'the content is readable and valid', [], () => checkContent(machine))
  // Until the first start, the hub's own catalogue does not exist.
  if (gitStore.kind !== 'local' || (hasOwnCatalogue && contentDir === 'content')) return [content]
  return [content, check('content-git', 'git can publish to the content', ['content'], () => checkContentGit(machine))]
}

async function checkContent({ root, config, environment }: Machine): Promise<Findings> {
  const contentDir = resolve(root, config.contentDir)
  if (!existsSync(contentDir))
    return fail(
      `Content folder not found: ${contentDir}.`,
      'Set CONTENT_DIR to the folder that contains the prompts, or create one: npm run new -- owner/name',
    )
  const { entries } = await reviewContent({ contentDir, environment })
  const errors = entries.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (!first) return undefined
  return fail(
    `${errors.length === 1 ? 'A file' : `${errors.length} places`} in the content cannot be served: ${first.file}:${first.line} ${first.rule}.`,
    'Run npm run check:content to list every problem and how to fix it.',
  )
}

/** Reads a nonexistent repository in the same way as a publish, but writes nothing. */
async function checkContentGit({ root, config, environment }: Machine): Promise<Findings> {
  const contentDir = resolve(root, config.contentDir)
  const git = openLocalGit({ contentDir, environment, warn: () => {}, isReadOnly: true })
  try {
    await git.readFolder({ owner: 'doctor', name: 'doctor' }, new AbortController())
    return undefined
  } catch (error) {
    const [problem = '', ...rest] = (error instanceof Error ? error.message : String(error)).split(/(?<=[.:]) /)
    const said = describeReason(error)
    return fail(said === '' ? problem : `${problem} Git says: ${said}`, rest.join(' ') || 'Repair the repository.')
  }
}
