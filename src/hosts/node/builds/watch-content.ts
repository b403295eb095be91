// Reports when a site must be rebuilt because its content has changed or a new day has begun.
import { isIgnoredName } from '../../../content/content-files.ts'
import { watchFolders } from './watch-folders.ts'

/** How long to wait for further changes: files often change together, for example during a pull, or when an editor writes twice. What comes later waits for the next round. */
const SETTLE_MS = 20
/** Maximum time to wait for changes to stop; after that, the build starts even if files are still changing. */
const MAX_BURST_MS = 2_000
/** Polling interval if the operating system does not report changes. */
const POLL_MS = 10_000
/** How often to check whether a new day has begun. */
const LOOK_AT_DAY_MS = 10_000
/** Above this many events, scanning everything is cheaper. Linux drops events when 16,384 are queued (`man 7 inotify`). */
const MAX_EVENTS = 2_000

/**
 * Calls `want` when files in the folder change, and only once for files that change together. If watching fails, `want` is also called every ten seconds.
 *
 * @param want receives the paths of the changed files, relative to the folder, and of deleted folders, which end with a slash; undefined if anything may have changed
 * @param onPolling called once with the reason why watching failed
 * @param onLate called when everything is watched, if that took so long that changes may have been missed
 */
export function watchContent(
  contentDir: string,
  want: (paths: string[] | undefined) => void,
  onPolling: (reason: string) => void = () => {},
  onLate: () => void = () => want(undefined),
) {
  let settling: NodeJS.Timeout | undefined
  let polling: NodeJS.Timeout | undefined
  let since: number | undefined
  let changed: Set<string> | undefined = new Set()
  let events = 0
  const tell = () => {
    since = undefined
    if (events > MAX_EVENTS) {
      folders.catchUp()
      changed = undefined
    }
    const paths = changed && [...changed]
    changed = new Set()
    events = 0
    want(paths)
  }
  const wantSoon = () => {
    since ??= performance.now()
    clearTimeout(settling)
    settling = setTimeout(tell, Math.max(0, Math.min(SETTLE_MS, since + MAX_BURST_MS - performance.now())))
  }
  const wantAll = () => {
    changed = undefined
    wantSoon()
  }
  const noteChange = (path: string) => {
    events++
    changed?.add(path)
    wantSoon()
  }
  const startPolling = (error: unknown) => {
    // This is called for each folder that cannot be watched, but polling starts only once.
    if (polling) return
    polling = setInterval(wantAll, POLL_MS)
    onPolling(describeFailure(contentDir, error))
  }
  const folders = watchFolders(contentDir, isIgnoredName, {
    onChange: noteChange,
    onReplaced: wantAll,
    onLate,
    onError: startPolling,
  })
  return {
    /** Stops watching. */
    close(): void {
      clearTimeout(settling)
      clearInterval(polling)
      folders.close()
    },
  }
}

function describeFailure(contentDir: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const cause = LIMITS_OF_SYSTEM[code] ?? (error instanceof Error ? error.message : String(error))
  return `Checking ${contentDir} for changes every ${POLL_MS / 1000} s, because the system does not report them: ${cause}`
}

/** Which limit to raise for each system error (`man 7 inotify`). */
const LIMITS_OF_SYSTEM: Readonly<Record<string, string>> = {
  ENOSPC: 'its limit on watched folders has been reached. Raise fs.inotify.max_user_watches with sysctl.',
  EMFILE: 'its limit on watchers has been reached. Raise fs.inotify.max_user_instances with sysctl.',
}

/** Calls `want` when a new day has begun in UTC, because the order of `trending` changes daily. Looks at the clock instead of waiting until midnight, because the machine may sleep, and somebody may set its clock. */
export function watchDays(want: () => void): void {
  const today = () => new Date().toISOString().slice(0, 10)
  let day = today()
  setInterval(() => {
    if (today() === day) return
    day = today()
    want()
  }, LOOK_AT_DAY_MS)
}
