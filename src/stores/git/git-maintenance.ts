// Keeps git fast after many publishes: packs loose objects and indexes the history, in the background and in small steps.
import type { Git } from './git-command.ts'

/** A publish leaves some seven loose objects; this many of them are packed in a second or two. */
const COMMITS_BETWEEN = 64

/** Counts commits, and maintains when there were enough. */
interface Maintenance {
  /** To be told of each commit; returns at once. */
  noteCommit(git: Git): void
  /** Maintains now, unless the user's git was told not to (`maintenance.auto`), or another process is at it. @throws GitFailure */
  run(git: Git): Promise<void>
}

/** Makes one for the life of a store. @param warn told when it fails; the next time it is tried again */
export function createMaintenance(warn: (message: string, cause?: unknown) => void): Maintenance {
  let commits = 0
  let isUnderWay = false
  const run = async (git: Git): Promise<void> => {
    const wanted = await git.tryRun(['config', '--type=bool', '--get', 'maintenance.auto'])
    if (wanted.stdout.toString().trim() === 'false') return
    // Each step has a bound of git's own: 50,000 objects, and packs of at most 2 GB together. One thread leaves the others to whoever publishes.
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
    // With a filter of the paths of each commit, looking for the last publishes of one repository does not walk the whole history.
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
