// Counts downloads in web server logs and adds them up for `content/usage.json`.
import type { Usage } from '../domain/content/front-matter.ts'
import { isName, isOwner } from '../domain/values/names.ts'

/** One download, from a line in a log. */
export interface LoggedDownload {
  /** `owner/name`. */
  fullName: string
  /** The time in UTC, in milliseconds since 1970. */
  timeMs: number
  /** The client, as it appears in the log. */
  client: string
}

/** The common and combined log formats, used by nginx, Apache and most CDNs. https://httpd.apache.org/docs/2.4/logs.html#common */
const LINE = /^(\S{1,200}) \S+ [^[]{0,200}\[([^\]]{1,40})\] "GET (\S{1,2000}) HTTP\/[\d.]+" (200|304) /
/** The start of every line. */
const ANY_LINE = /^\S{1,200} \S+ [^[]{0,200}\[[^\]]{1,40}\] "/
const TIME = /^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4}$/
/** The paths of content: in the API, and as a static file. */
const CONTENT =
  /^\/(?:api\/v1\/repos\/([^/]+)\/([^/]+)\/(?:raw|versions\/[\d.]+)|data\/v1\/repos\/([^/]+)\/([^/]+)\/raw(?:\/[\d.]+)?\.txt)\/?(?:\?.*)?$/
const DAY_MS = 86_400_000

/** Returns whether a line is of a log in one of these formats, whatever was requested. */
export function isLogLine(line: string): boolean {
  return ANY_LINE.test(line)
}

/** Parses one line of a log. @returns undefined if the line is not a successful GET of content */
export function readLogLine(line: string): LoggedDownload | undefined {
  const [, client, time, path] = LINE.exec(line) ?? []
  if (client === undefined || time === undefined || path === undefined) return undefined
  const [, apiOwner, apiName, fileOwner, fileName] = CONTENT.exec(path) ?? []
  const [owner, name] = [apiOwner ?? fileOwner ?? '', apiName ?? fileName ?? '']
  const timeMs = readTime(time)
  if (timeMs === undefined || !isOwner(owner) || !isName(name)) return undefined
  return { fullName: `${owner}/${name}`, timeMs, client }
}

/** @param text such as `10/Oct/2026:13:55:36 -0700` */
function readTime(text: string): number | undefined {
  if (!TIME.test(text)) return undefined
  const time = Date.parse(text.replaceAll('/', ' ').replace(':', ' '))
  return Number.isNaN(time) ? undefined : time
}

/**
 * Adds up downloads. Repeated downloads of a prompt by the same client on the same day count once, so that a program in a loop does not inflate the count.
 *
 * @param day the last day to count, `YYYY-MM-DD` in UTC
 * @param isKnown whether the prompt exists
 */
export function countDownloads(
  downloads: Iterable<LoggedDownload>,
  { day, isKnown }: { day: string; isKnown: (fullName: string) => boolean },
): Usage {
  const end = Date.parse(`${day}T00:00:00Z`) + DAY_MS
  const seen = new Set<string>()
  const counts = new Map<string, Usage[string]>()
  for (const { fullName, timeMs, client } of downloads) {
    const age = Math.ceil((end - timeMs) / DAY_MS)
    if (age < 1 || age > 90 || !isKnown(fullName)) continue
    const key = `${age} ${fullName} ${client}`
    if (seen.has(key)) continue
    seen.add(key)
    const count = counts.get(fullName) ?? { downloads_7d: 0, downloads_90d: 0 }
    counts.set(fullName, {
      downloads_7d: count.downloads_7d + (age <= 7 ? 1 : 0),
      downloads_90d: count.downloads_90d + 1,
    })
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}
