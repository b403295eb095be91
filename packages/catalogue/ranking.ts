// Sorts lists by quality, top, trending and new. docs/contract.md section 5.
import type { Sort } from '../../src/domain/api/data-paths.ts'
import type { RepositorySummary, Variable } from '../../src/domain/api/schema.ts'
import { CLOCK_SKEW_MS } from '../../src/domain/limits.ts'
import { compareText } from '../../src/domain/text/compare-text.ts'
import type { Stats } from '../../src/domain/values/values.ts'
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

/** Computes the score for the sort order `top`. */
export function scoreTop({ summary, quality }: Pick<RankedRepository, 'summary' | 'quality'>): number {
  return 10 * Math.log10(1 + downloads(summary.stats, 'downloads_90d')) + quality / 10
}

/**
 * Computes the score for the sort order `trending`.
 *
 * @param day the build date in UTC, `YYYY-MM-DD`; ages count from the end of that day, so that a version published on it has no negative age
 */
export function scoreTrending(
  { summary, releases }: Pick<RankedRepository, 'summary' | 'releases'>,
  day: string,
): number {
  const end = endOf(day)
  // Only the best version counts, so that publishing more often does not move a prompt up.
  let published = 0
  for (const version of releases) {
    if (version.isYanked) continue
    const time = Date.parse(version.published_at)
    // The date of a version from the future is wrong, and its true age is unknown. Otherwise, it would lead the list until that date.
    if (isFuture(time, end)) continue
    const ageDays = Math.max(0, (end - time) / DAY_MS)
    if (ageDays <= 30) published = Math.max(published, weigh(version) * 2 ** (-ageDays / 7))
  }
  return published + 4 * Math.log10(1 + downloads(summary.stats, 'downloads_7d'))
}

/** Sorts repositories in each order. No copy stands before its original. */
export function rank(
  repositories: readonly RankedRepository[],
  { day, originals }: { day: string; originals: Originals },
): Record<Sort, RepositorySummary[]> {
  const summaries = new Map(repositories.map(({ summary }) => [summary.full_name, summary]))
  const originalsOf = ({ full_name }: RepositorySummary) =>
    originals.get(full_name)?.flatMap((name) => summaries.get(name) ?? [])
  const by = (score: (repository: RankedRepository) => number) => {
    const scored = repositories.map((repository) => ({ summary: repository.summary, score: score(repository) }))
    return placeCopies(sortByScore(scored), originalsOf)
  }
  const end = endOf(day)
  return {
    top: by(scoreTop),
    trending: by((repository) => scoreTrending(repository, day)),
    new: by(({ summary }) => latestOf([summary.created_at], end)),
  }
}

/** Sorts by the latest update, then by age. @param day the build date in UTC, `YYYY-MM-DD` */
export function sortByUpdates(summaries: readonly RepositorySummary[], day: string): RepositorySummary[] {
  const end = endOf(day)
  const scoreOf = ({ updated_at, created_at }: RepositorySummary) => latestOf([updated_at, created_at], end)
  return sortByScore(summaries.map((summary) => ({ summary, score: scoreOf(summary) })))
}

/** Sorts below every known time. */
const UNKNOWN_TIME = -1

/** Returns the first time that can be right, in milliseconds. */
function latestOf(times: readonly string[], end: number): number {
  return times.map(Date.parse).find((time) => !isFuture(time, end)) ?? UNKNOWN_TIME
}

/** Returns the end of the day of a build, in milliseconds. */
const endOf = (day: string) => Date.parse(`${day}T00:00:00Z`) + DAY_MS

/** Returns whether a time is after the day of the build, so that a wrong clock must have produced it. */
const isFuture = (time: number, end: number) => time >= end + CLOCK_SKEW_MS

/** Sorts by score, highest first. Ties go to the older prompt, because a publisher cannot make a prompt older; then by the full name. */
function sortByScore(scored: readonly { summary: RepositorySummary; score: number }[]): RepositorySummary[] {
  return (
    scored
      // Computed once instead of at every comparison.
      .map((one) => ({ ...one, created: Date.parse(one.summary.created_at) }))
      .sort(
        (a, b) => b.score - a.score || a.created - b.created || compareText(a.summary.full_name, b.summary.full_name),
      )
      .map(({ summary }) => summary)
  )
}

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
