// Says when a site must be built again: its content changed, or a new day began.
import { relative } from 'node:path'
import { watch } from 'chokidar'
import { isStray } from '../stores/content-files.ts'

/** Files often change together: a pull, a publish, an editor that writes twice. */
const SETTLE_MS = 50
/** The longest wait for changes to settle; then the site is built although files still change. */
const LONGEST_BURST_MS = 2_000

/**
 * Calls when files below the folder changed: once for those that change together, and once when watching has begun, for until then a change goes
 * unnoticed.
 *
 * @param want told the paths of the files that changed, from the folder; undefined when any may have
 * @returns a function that ends it
 */
export function watchContent(contentDir: string, want: (paths: string[] | undefined) => void): () => Promise<void> {
  const watcher = watch(contentDir, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => path !== contentDir && isStray(path.slice(path.lastIndexOf('/') + 1)),
  })
  let settling: NodeJS.Timeout | undefined
  let since: number | undefined
  let changed: Set<string> | undefined = new Set()
  const wantSoon = () => {
    since ??= Date.now()
    clearTimeout(settling)
    settling = setTimeout(
      () => {
        since = undefined
        const paths = changed && [...changed]
        changed = new Set()
        want(paths)
      },
      Math.max(0, Math.min(SETTLE_MS, since + LONGEST_BURST_MS - Date.now())),
    )
  }
  watcher.on('all', (event, path) => {
    // A folder holds nothing itself: what is in it has an event of its own.
    if (event === 'addDir' || event === 'unlinkDir') return
    changed?.add(relative(contentDir, path))
    wantSoon()
  })
  watcher.on('ready', () => {
    changed = undefined
    wantSoon()
  })
  watcher.on('error', (error) =>
    console.error(`Changes in ${contentDir} cannot be followed: ${error instanceof Error ? error.message : error}`),
  )
  return () => watcher.close()
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
