// Keeps git fast after many publishes: packs loose objects and indexes the history, in the background and in small steps.
import type { Git } from './git-command.ts'

/** A publish creates about seven loose objects; packing this many takes a second or two. */
const COMMITS_BETWEEN = 64

/** Returns a function that counts a commit, and starts maintenance after enough of them. @param warn called if maintenance fails; it is retried the next time */
export function countCommits(warn: (message: string, cause?: unknown) => void): (git: Git) => void {
  let commits = 0
  let running: Promise<void> | undefined
  return (git) => {
    commits += 1
    if (commits < COMMITS_BETWEEN || running !== undefined) return
    commits = 0
    running = maintain(git)
      .catch((cause: unknown) => warn('Git maintenance failed. It runs again after more publishes.', cause))
      .finally(() => {
        running = undefined
      })
  }
}

/** Runs maintenance now, unless the user's git configuration disables it (`maintenance.auto`) or another process is running it. @throws GitFailure */
export async function maintain(git: Git): Promise<void> {
  if ((await git.find(['config', '--type=bool', '--get', 'maintenance.auto'])) === 'false') return
  // Git limits each step to 50,000 objects, and to packs of at most 2 GB in total. Only one thread is used, so that the remaining CPU cores are available for publishing.
  const modest = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=100m']
  const tasks = ['--task=loose-objects', '--task=incremental-repack']
  await git.run([...modest, 'maintenance', 'run', '--auto', '--quiet', ...tasks])
  // With a Bloom filter of each commit's paths, finding the last publishes of a repository does not walk the whole history.
  await git.run(['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'])
}
