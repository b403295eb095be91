// Arranges a prompt's versions as a tape: one tick for each, oldest first, by its height a major, minor or patch version.

import type { VersionRow } from '../../domain/api/schema.ts'
import { formatDay } from '../../domain/text/days.ts'
import { type Labels, marksOf } from '../../domain/values/label-target.ts'

/** What a tape is made from. */
interface TapeParts {
  /** Highest first. */
  versions: readonly Pick<VersionRow, 'version' | 'published_at' | 'yanked'>[]
  labels: Labels
  /** The versions that are known to break callers. */
  breaking: ReadonlySet<string>
  /** The changelogs that are known, by version. */
  changelogs: ReadonlyMap<string, string>
}

interface Tick {
  version: string
  part: 'major' | 'minor' | 'patch'
  isBreaking: boolean
  isYanked: boolean
  /** Whether a label points at it. */
  isLabelled: boolean
  words: string
}

/** Maximum number of ticks; the list of versions has them all. */
const MAX_TICKS = 60
const CHANGELOG_CHARACTERS = 100

/** Returns the ticks of the newest versions, oldest first. */
export function listTicks({ versions, labels, breaking, changelogs }: TapeParts): Tick[] {
  return versions
    .slice(0, MAX_TICKS)
    .map(({ version, published_at, yanked }) => {
      const named = marksOf(labels, version)
      const isBreaking = breaking.has(version)
      const marks = [...named, ...(isBreaking ? ['breaking'] : []), ...(yanked ? ['yanked'] : [])]
      const changelog = shorten(changelogs.get(version) ?? '')
      return {
        version,
        part: partOf(version),
        isBreaking,
        isYanked: yanked,
        isLabelled: named.length > 0,
        words: [[version, ...marks].join(', '), formatDay(published_at), changelog].filter(Boolean).join(' · '),
      }
    })
    .reverse()
}

/** Returns the part of its number that a version raised. */
export function partOf(version: string): Tick['part'] {
  const [, minor, patch] = version.split('.')
  if (patch !== '0') return 'patch'
  return minor === '0' ? 'major' : 'minor'
}

function shorten(text: string): string {
  const line = text
    .slice(0, 10 * CHANGELOG_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= CHANGELOG_CHARACTERS) return line
  return `${line
    .slice(0, CHANGELOG_CHARACTERS)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd()}…`
}
