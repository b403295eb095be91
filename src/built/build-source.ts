// Determines which commits a build that starts now will have read.

import { createGit } from '../git/git-command.ts'
import { type BuildSource, UNKNOWN_SOURCE } from '../state/fresh-copies.ts'

/** Maximum clock difference between the machines that date commits: GitHub, and those whose commits are pushed to it. */
const RECENT_MS = 60_000
const MAX_RECENT_COMMITS = 500

/**
 * Determines what a build that starts now will have read, from a commit. If there is no git repository, the commits are unknown. Based on the time of the newest commit, because a shallow clone has no history.
 *
 * @param environment usually `process.env`; used to find git
 * @param commit by default, the one that is checked out
 */
export async function readBuildSource(
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
  commit = 'HEAD',
): Promise<BuildSource> {
  const git = createGit(contentDir, environment)
  const log = await git
    .find(['log', `--max-count=${MAX_RECENT_COMMITS}`, '--format=%H %ct', commit])
    .catch(() => undefined)
  if (log === undefined) return UNKNOWN_SOURCE
  const commits = log.split('\n').map((line) => {
    const [id = '', seconds] = line.split(' ')
    return { id, ms: Number(seconds) * 1000 }
  })
  const newestMs = commits[0]?.ms
  if (newestMs === undefined || !Number.isFinite(newestMs)) return UNKNOWN_SOURCE
  const isShallow = (await git.find(['rev-parse', '--is-shallow-repository'])) !== 'false'
  // If there is a history, the commits of the last minutes are known by ID, so the clocks need to agree only roughly.
  const doubtMs = isShallow ? 0 : RECENT_MS
  // A commit may be dated ahead, and then the build must not hide versions that are published after it.
  const untilMs = Math.max(0, Math.min(newestMs, Date.now()) - doubtMs)
  return {
    read_until: new Date(untilMs).toISOString(),
    commits: commits.filter(({ ms }) => ms >= untilMs - RECENT_MS).map(({ id }) => id),
    broken: [],
  }
}

/** Adds the commits that the builds before have read, because a branch that was set back, as by a force push, no longer has them: without them, the copies of what it removed would count again. */
export function keepCommits(source: BuildSource, before: BuildSource | undefined): BuildSource {
  const commits = [...new Set([...source.commits, ...(before?.commits ?? [])])]
  return { ...source, commits: commits.slice(0, MAX_RECENT_COMMITS) }
}
