// Keeps git fast after many publishes: packs loose objects and indexes the history, in the background and in small steps.
import type { Git } from './git-command.ts'

/** A publish creates about seven loose objects; packing this many takes a second or two. */
const COMMITS_BETWEEN = 64

interface Maintenance {
  /** Call it after each commit; it returns immediately. */
  noteCommit(git: Git): void
  /** Runs maintenance now, unless the user's git configuration disables it (`maintenance.auto`) or another process is running it. @throws GitFailure */
  run(git: Git): Promise<void>
}

/** Creates the maintenance of a store. @param warn called if it fails; it is retried the next time */
export function createMaintenance(warn: (message: string, cause?: unknown) => void): Maintenance {
  let commits = 0
  let isUnderWay = false
  const run = async (git: Git): Promise<void> => {
    if ((await git.find(['config', '--type=bool', '--get', 'maintenance.auto'])) === 'false') return
    // Git limits each step to 50,000 objects, and to packs of at most 2 GB in total. Only one thread is used, so that the others are available for publishing.
    const modest = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=100m']
    await git.run([
      ...modest,
      'maintenance',
      'run',
      '--auto',
      '--quiet',
      '--task=loose-objects',
      '--task=incremental-repack',
    ])
    // With a Bloom filter of each commit's paths, finding the last publishes of a repository does not walk the whole history.
    await git.run(['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'])
  }
  return {
    run,
    noteCommit(git) {
      commits += 1
      if (commits < COMMITS_BETWEEN || isUnderWay) return
      commits = 0
      isUnderWay = true
      run(git)
        .finally(() => {
          isUnderWay = false
        })
        .catch((cause: unknown) => warn('git could not be maintained; it is tried again after more publishes.', cause))
    },
  }
}
