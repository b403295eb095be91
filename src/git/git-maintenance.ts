// Keeps git fast after many publishes: packs loose objects and indexes the history, in the background and in small steps.
import type { Git } from './git-command.ts'

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
