// Sorts lists by quality, top, trending and new. docs/contract.md section 5.
import type { Sort } from '../domain/api/data-paths.ts'
import type { RepositorySummary, Variable } from '../domain/api/schema.ts'
import { CLOCK_SKEW_MS } from '../domain/limits.ts'
import type { Stats } from '../domain/values/values.ts'
import { type Originals, placeCopies } from './originals.ts'

/** The input of a repository's quality score. */
export interface QualityInput {
  summary: RepositorySummary
  hasReadme: boolean
  /** The latest version's variables. */
  variables: readonly Variable[]
  /** Active versions, highest first. */
  versions: readonly { changelog: string; hasProvenance: boolean }[]
}

/** A repository's summary and its other ranking inputs. */
export interface RankedRepository {
  summary: RepositorySummary
  /** Quality score, 0 to 100. */
  quality: number
  /** Its versions; yanked versions count only as predecessors. */
  releases: readonly RankedRelease[]
}

/** The ranking inputs of a version. */
export interface RankedRelease {
  version: string
  /** The next lower version number ever published, including yanked versions, or null. */
  previous_version: string | null
  published_at: string
  isYanked: boolean
}

const DAY_MS = 86_400_000

/** Computes a repository's quality score, 0 to 100. */
export function scoreQuality({ summary, hasReadme, variables, versions }: QualityInput): number {
  const isGiven = (value: Variable['example']) => value !== null && value !== ''
  const points = [
    [15, [...summary.description].length >= 40],
    [10, summary.tags.length > 0],
    [10, summary.license !== null],
    [10, hasReadme],
    [20, variables.every((variable) => variable.description !== '')],
    [15, variables.every((variable) => isGiven(variable.example))],
    [10, versions.slice(0, -1).every((version) => version.changelog !== '')],
    [10, versions[0]?.hasProvenance === true],
  ] as const
  return points.reduce((sum, [worth, isMet]) => sum + (isMet ? worth : 0), 0)
}

/** What determines a repository's places, whatever the day. Times are in milliseconds. */
interface SortKeys {
  of: Pick<RankedRepository, 'quality' | 'releases'>
  created: number
  updated: number
  /** Whether it stands behind all others in `top` and `trending`. */
  isDeprecated: boolean
  /** The score for `top`. */
  top: number
  /** What the downloads of the last days add to the score for `trending`. */
  downloads: number
  /** The active versions that move the repository up in `trending`. */
  published: readonly { time: number; weight: number }[]
}

/** Remembers the keys by summary, because few prompts change between two orders of a catalogue. */
const keysBySummary = new WeakMap<RepositorySummary, SortKeys>()

function keysOf({ summary, quality, releases }: RankedRepository): SortKeys {
  const known = keysBySummary.get(summary)
  if (known?.of.quality === quality && known.of.releases === releases) return known
  const keys: SortKeys = {
    of: { quality, releases },
    created: Date.parse(summary.created_at),
    updated: Date.parse(summary.updated_at),
    isDeprecated: summary.status === 'deprecated',
    top: scoreTop({ summary, quality }),
    downloads: 4 * Math.log10(1 + downloads(summary.stats, 'downloads_7d')),
    published: releases.flatMap((release) => {
      const weight = release.isYanked ? 0 : weigh(release)
      return weight > 0 ? [{ time: Date.parse(release.published_at), weight }] : []
    }),
  }
  keysBySummary.set(summary, keys)
  return keys
}

/** Computes the score for the sort order `top`. */
export function scoreTop({ summary, quality }: Pick<RankedRepository, 'summary' | 'quality'>): number {
  return 10 * Math.log10(1 + downloads(summary.stats, 'downloads_90d')) + quality / 10
}

/**
 * Computes the score for the sort order `trending`.
 *
 * @param day the build date in UTC, `YYYY-MM-DD`; ages count from the end of that day, so that a version published on it has no negative age
 */
export function scoreTrending(repository: RankedRepository, day: string): number {
  return trendingAt(keysOf(repository), endOf(day))
}

function trendingAt(keys: SortKeys, end: number): number {
  // Only the best version counts, so that publishing more often does not move a prompt up.
  let best = 0
  for (const { time, weight } of keys.published) {
    // The date of a version from the future is wrong, and its true age is unknown. Otherwise, it would lead the list until that date.
    if (isFuture(time, end)) continue
    const ageDays = Math.max(0, (end - time) / DAY_MS)
    if (ageDays <= 30) best = Math.max(best, weight * 2 ** (-ageDays / 7))
  }
  return best + keys.downloads
}

/** The places of repositories in each order, as positions in the list of all. */
export type Ranks = Readonly<Record<Sort | 'recent', Uint32Array<ArrayBuffer>>>

/**
 * Sorts repositories in each order, and by their latest update. No copy stands before its original in an order. Ties go to
 * the older prompt, because a publisher cannot make a prompt older; then by the full name.
 *
 * @param repositories sorted by full name
 * @param day the build date in UTC, `YYYY-MM-DD`
 * @param last places in orders from which most places follow: what is almost sorted is sorted in linear time
 */
export function rank(
  repositories: readonly RankedRepository[],
  { day, originals, last }: { day: string; originals: Originals; last?: Ranks | undefined },
): Ranks {
  const end = endOf(day)
  const keys = repositories.map(keysOf)
  const created = listNumbers(keys, (one) => one.created)
  const deprecated = listNumbers(keys, (one) => Number(one.isDeprecated))
  const nowhere = new Float64Array(keys.length)
  const by = (order: keyof Ranks, score: (keys: SortKeys) => number, behind = nowhere) => {
    const scores = listNumbers(keys, score)
    return listPlaces(keys.length, last?.[order]).sort(
      (a, b) => behind[a]! - behind[b]! || scores[b]! - scores[a]! || created[a]! - created[b]! || a - b,
    )
  }
  const nameOf = (place: number) => repositories[place]!.summary.full_name
  const places = new Map(originals.size === 0 ? [] : keys.map((_, place) => [nameOf(place), place]))
  const copies = new Map<number, number[]>()
  for (const [copy, names] of originals) {
    const place = places.get(copy)
    if (place !== undefined)
      copies.set(
        place,
        // A deprecated original stands last, and takes no copy with it.
        names.flatMap((name) => places.get(name) ?? []).filter((original) => !keys[original]!.isDeprecated),
      )
  }
  const inPlace = (order: number[]) =>
    Uint32Array.from(copies.size === 0 ? order : placeCopies(order, (place) => copies.get(place)))
  return {
    top: inPlace(by('top', ({ top }) => top, deprecated)),
    trending: inPlace(by('trending', (one) => trendingAt(one, end), deprecated)),
    new: inPlace(by('new', (one) => latestOf([one.created], end))),
    recent: Uint32Array.from(by('recent', ({ updated, created }) => latestOf([updated, created], end))),
  }
}

function listNumbers(keys: readonly SortKeys[], number: (keys: SortKeys) => number): Float64Array<ArrayBuffer> {
  const numbers = new Float64Array(keys.length)
  for (const [place, one] of keys.entries()) numbers[place] = number(one)
  return numbers
}

/** Lists all places, those of an order first. */
function listPlaces(count: number, order: Uint32Array = new Uint32Array()): number[] {
  const places = Array.from(order)
  const isListed = new Uint8Array(count)
  for (const place of places) isListed[place] = 1
  for (let place = 0; place < count; place++) if (!isListed[place]) places.push(place)
  return places
}

/** Sorts below every known time. */
const UNKNOWN_TIME = -1

/** Returns the first time that can be right, in milliseconds. */
function latestOf(times: readonly number[], end: number): number {
  return times.find((time) => !isFuture(time, end)) ?? UNKNOWN_TIME
}

/** Returns the end of the day of a build, in milliseconds. */
const endOf = (day: string) => Date.parse(`${day}T00:00:00Z`) + DAY_MS

/** Returns whether a time is after the day of the build, so that a wrong clock must have produced it. */
const isFuture = (time: number, end: number) => time >= end + CLOCK_SKEW_MS

function weigh({ version, previous_version }: RankedRelease): number {
  if (previous_version === null) return 4
  const [major, minor] = version.split('.')
  const [previousMajor, previousMinor] = previous_version.split('.')
  if (major !== previousMajor) return 4
  // A patch changes little, so it moves nothing up.
  return minor !== previousMinor ? 2 : 0
}

function downloads(stats: Stats | null, period: keyof Stats): number {
  return stats?.[period] ?? 0
}
