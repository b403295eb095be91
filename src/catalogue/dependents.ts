// Finds which prompts include which versions of others, by their latest versions, and which of them have newer versions.
import { addressesBelow } from '../domain/api/data-paths.ts'
import type { ComposedPrompt, Dependent, RepositorySummary } from '../domain/api/schema.ts'
import { type Selectable, selectVersion } from '../domain/compose/resolve.ts'
import type { Included, RepositoryOutline } from './outline.ts'
import { oncePer } from './remember.ts'

/** A listed prompt whose latest version includes others. */
interface Composed {
  summary: RepositorySummary
  includes: readonly Wanted[]
}

/** What is included, and the version that its range or label selects now. */
interface Wanted extends Included {
  wanted: string | null
}

type Outline = Pick<RepositoryOutline, 'summary' | 'includes' | 'releases' | 'labelled' | 'movedTo'>

/** What ranges select, by the releases of an outline, which belong to it alone. Resolving a range reads all of them, and most stay the same in the next catalogue. */
const selections = oncePer((_: Outline['releases']) => new Map<string, string | null>())

function findWanted(outline: Outline | undefined, include: Included): string | null {
  if (!outline) return null
  const known = selections(outline.releases)
  const before = known.get(include.range)
  if (before !== undefined) return before
  const wanted = selectVersion(describeSelectable(outline), include).version ?? null
  known.set(include.range, wanted)
  return wanted
}

/**
 * Lists the prompts that include others.
 *
 * @param outlines all repositories by full name, because an unlisted prompt may be included too
 * @param listed those in which to look, in the order of the result
 */
export function listComposed(outlines: ReadonlyMap<string, Outline>, listed: readonly RepositorySummary[]): Composed[] {
  // Few include others, and looking for each of many thousands takes longer than looking at all.
  const composed = new Map<string, readonly Included[]>()
  for (const { summary, includes } of outlines.values()) if (includes) composed.set(summary.full_name, includes)
  if (composed.size === 0) return []
  return listed.flatMap((summary) => {
    const includes = composed.get(summary.full_name)
    if (!includes) return []
    const describe = (include: Included) => ({
      ...include,
      wanted: findWanted(outlines.get(include.repository), include),
    })
    return { summary, includes: includes.map(describe) }
  })
}

function describeSelectable({ releases, labelled, movedTo }: Outline): Selectable {
  const yanked = releases.filter(({ isYanked }) => isYanked).map(({ version }) => [version, ''])
  return {
    versions: releases.map(({ version }) => version),
    file: {
      yanked: Object.fromEntries(yanked),
      // A version that was taken down is not among the versions.
      removed: {},
      labels: Object.fromEntries(labelled.map(({ label, version }) => [label, { version, split: null }])),
      moved_to: movedTo,
    },
  }
}

/** Groups prompts by the full names of the prompts that they include. */
export function groupByPart(composed: readonly Composed[]): Map<string, Composed[]> {
  const parts = new Map<string, Composed[]>()
  for (const { summary, includes } of composed)
    for (const [part, some] of Map.groupBy(includes, ({ repository }) => repository)) {
      const dependents = parts.get(part) ?? []
      dependents.push({ summary, includes: some })
      parts.set(part, dependents)
    }
  return parts
}

/** Describes a prompt in the list of those that include another one. */
export function describeDependent({ summary, includes }: Composed, baseUrl: string): Dependent {
  const { owner, name, full_name, title, latest_version } = summary
  const { url, html_url } = addressesBelow(baseUrl).repository(owner, name)
  const ranges = includes.map(({ range, version }) => ({ range, version }))
  return { full_name, title, version: latest_version!, includes: ranges, url, html_url }
}

/** Describes a prompt in the list of its owner's prompts that include others. */
export function describeComposed({ summary, includes }: Composed, baseUrl: string): ComposedPrompt {
  const { owner, name, full_name, latest_version } = summary
  const { url } = addressesBelow(baseUrl).repository(owner, name)
  return { full_name, version: latest_version!, includes: [...includes], url }
}
