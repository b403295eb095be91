// Checks what several machines share: the GitHub repository, which each machine clones, and the database.
import { cloneOptions } from '../host/follow-github.ts'
import { readRemoteBranch } from '../stores/content/content-clone.ts'
import { readDatabaseTime } from '../stores/state/state-postgres.ts'
import { type Check, type Finding, fail } from './checks.ts'
import { clockFindings } from './clock.ts'
import type { Machine } from './machine-checks.ts'

/** Checks for a hub that keeps content or state outside this machine. */
export const CLUSTER_CHECKS: readonly Check<Machine & { now: () => Date }>[] = [
  {
    name: 'clone',
    about: 'the content can be cloned from GitHub and kept up to date',
    needs: ['git', 'github-reachable', 'github-credential', 'github-repository', 'github-branch'],
    applies: ({ config }) => config.keepsClone,
    run: checkClone,
  },
  {
    name: 'database',
    about: 'the database responds, and its clock agrees with this machine’s',
    applies: ({ config }) => config.databaseUrl !== undefined,
    run: checkDatabase,
  },
]

async function checkClone({ root, config, environment }: Machine): Promise<Finding[]> {
  try {
    await readRemoteBranch(cloneOptions(config, environment, root))
    return []
  } catch (error) {
    return [
      fail(
        error instanceof Error ? error.message : String(error),
        'Correct GITHUB_REPOSITORY, GITHUB_BRANCH and the credential, and make sure that this machine can reach GitHub.',
      ),
    ]
  }
}

async function checkDatabase({ config, now }: Machine & { now: () => Date }): Promise<Finding[]> {
  try {
    return clockFindings('the database', (await readDatabaseTime(config.databaseUrl ?? '')).toISOString(), now())
  } catch {
    return [
      fail(
        'The database at DATABASE_URL does not respond.',
        'Start it, and check the host, user and password in DATABASE_URL.',
      ),
    ]
  }
}
