// Serves the finished build in a folder: never one that is being replaced, and the next one as soon as it is finished.
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../domain/api/errors.ts'
import type { SiteFiles } from '../ports/site-files.ts'
import { findBuildRecord } from '../stores/build-record.ts'
import { type Health, STARTING } from './health.ts'
import { buildRecordPath, openSite, type Site } from './serve-sites.ts'

/** A build puts its files in place in milliseconds; whoever reads meanwhile waits for it this long at most. */
const MAX_WAIT_MS = 2_000
const POLL_MS = 20
/** How long requests that began with a build may still search its index after another took over. */
const RETIRE_MS = 10_000

/** The site of a folder. */
interface FinishedSite {
  /** The build that is in place; asked once a request. */
  site: () => Site
  health: () => Health
  /** Makes the search ready before anybody asks. */
  warm(): Promise<void>
  close(): void
}

/** Opens the finished build in a folder. @returns undefined when there is none */
export function openFinishedSite(siteDir: string): FinishedSite | undefined {
  const path = buildRecordPath(siteDir)
  /** Names the build that is in place; undefined while another one takes over. */
  const stampOf = () => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats && `${stats.ino} ${stats.mtimeMs}`
  }
  const open = (stamp: string | undefined) => {
    const record = stamp === undefined ? undefined : findBuildRecord(path)
    if (stamp === undefined || !record) return undefined
    return { stamp, record, ...openSite(siteDir) }
  }
  const first = open(stampOf())
  if (!first) return undefined
  let opened = first
  let replacedMs = Number.POSITIVE_INFINITY
  /** The build that is in place, or undefined while another one takes over. */
  const current = () => {
    const stamp = stampOf()
    if (stamp === opened.stamp) return opened
    const next = open(stamp)
    if (!next) {
      replacedMs = Math.min(replacedMs, Date.now())
      return undefined
    }
    const { close } = opened
    setTimeout(close, RETIRE_MS).unref()
    opened = next
    replacedMs = Number.POSITIVE_INFINITY
    return opened
  }
  const read: SiteFiles['read'] = async (file) => {
    for (;;) {
      const site = current()
      const bytes = await site?.files.read(file)
      // What was read while a build took over may belong to neither.
      if (site && stampOf() === site.stamp) return bytes
      if (Date.now() - replacedMs > MAX_WAIT_MS)
        throw new HubError('unavailable', 'The site is being built. Try again in a few seconds.', {
          retryAfterSeconds: 5,
        })
      await sleep(POLL_MS)
    }
  }
  return {
    site: () => {
      const { search, source } = current() ?? opened
      return { files: { read }, search, source }
    },
    health: () => {
      const isWhole = current() !== undefined
      return {
        ...STARTING,
        status: isWhole ? 'ok' : 'degraded',
        built_at: opened.record.built_at,
        failure: isWhole ? null : 'The build in dist/ is not finished. Run `npm run build`.',
      }
    },
    warm: () => opened.warm(),
    close: () => opened.close(),
  }
}
