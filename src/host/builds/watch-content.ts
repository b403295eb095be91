// Says when a site must be built again: its content changed, or a new day began.
import { isStray } from '../../stores/content/content-files.ts'
import { watchFolders } from './watch-folders.ts'

/** Files often change together: a pull, a publish, an editor that writes twice. */
const SETTLE_MS = 50
/** The longest wait for changes to settle; then the site is built although files still change. */
const LONGEST_BURST_MS = 2_000
/** Where the system does not tell of changes, they are looked for this often. */
const POLL_MS = 10_000
/** Above this, looking at everything costs less. Linux drops events when 16,384 wait (`man 7 inotify`). */
const MAX_EVENTS = 2_000

/** Tells of changes to the content. */
export interface ContentWatch {
  /** Acts as if a file had changed. @param path from the folder */
  noteChange(path: string): void
  /** Ends it. */
  close(): void
}

/**
 * Calls `want` when files below the folder changed, once for those that change together. Where watching fails, `want` is called every ten seconds as well.
 *
 * @param want told the paths of the files that changed, from the folder, and of folders that are gone, which end in a slash; undefined when anything may have changed
 * @param onPolling told once why watching failed
 */
export function watchContent(
  contentDir: string,
  want: (paths: string[] | undefined) => void,
  onPolling: (reason: string) => void = () => {},
): ContentWatch {
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
    since ??= Date.now()
    clearTimeout(settling)
    settling = setTimeout(tell, Math.max(0, Math.min(SETTLE_MS, since + LONGEST_BURST_MS - Date.now())))
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
    // Called for each folder that cannot be watched: the first says enough.
    if (polling) return
    polling = setInterval(wantAll, POLL_MS)
    onPolling(describeFailure(contentDir, error))
  }
  const folders = watchFolders(contentDir, isStray, {
    onChange: noteChange,
    onReplaced: wantAll,
    onError: startPolling,
  })
  return {
    noteChange,
    close() {
      clearTimeout(settling)
      clearInterval(polling)
      folders.close()
    },
  }
}

function describeFailure(contentDir: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const cause = LIMITS_OF_SYSTEM[code] ?? (error instanceof Error ? error.message : String(error))
  return `Changes in ${contentDir} are looked for every ${POLL_MS / 1000} s, because the system does not tell of them: ${cause}`
}

/** What an operator raises, by the error of the system. `man 7 inotify` */
const LIMITS_OF_SYSTEM: Readonly<Record<string, string>> = {
  ENOSPC: 'its limit of watched folders is reached. Raise fs.inotify.max_user_watches with sysctl.',
  EMFILE: 'its limit of watchers is reached. Raise fs.inotify.max_user_instances with sysctl.',
}

/** Calls when a day begins, in UTC: the order of `trending` changes with it. */
export function watchDays(want: () => void): void {
  const now = new Date()
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 0, 0, 1)
  setTimeout(() => {
    want()
    watchDays(want)
  }, next - now.getTime())
}
