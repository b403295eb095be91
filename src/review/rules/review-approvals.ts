// Review rules for labels whose new capabilities a member must approve: a pull request that moves one to such a version needs a maintainer.
import { findProtection, needsApproval } from '../../domain/content/protected-labels.ts'
import type { Capability } from '../../domain/inspect/kinds.ts'
import { describeGain, findGain } from '../../domain/managing/approval.ts'
import { versionsAt } from '../../domain/values/label-target.ts'
import type { RepositoryPlace } from '../../domain/values/names.ts'
import type { OwnerVerdict } from './pull-owners.ts'
import type { ReviewedLabels } from './review-results.ts'

/** A move of a label, and the versions whose capabilities decide about it. */
interface ApprovedMove {
  label: string
  present: readonly string[]
  /** Those that the label gets anew. */
  fresh: readonly string[]
}

/** Lists the moves of labels whose new capabilities must be approved, according to the owner's file in the base. */
export function listApprovals({ before, after, owner }: ReviewedLabels): ApprovedMove[] {
  if (before === undefined || owner === 'broken') return []
  return Object.keys(after).flatMap((label) => {
    if (!needsApproval(findProtection(owner, label))) return []
    const present = versionsAt(before, label)
    const fresh = versionsAt(after, label).filter((version) => !present.includes(version))
    return fresh.length === 0 ? [] : [{ label, present, fresh }]
  })
}

/** Judges such moves. @param abilities what the versions can do that can be read */
export function reviewAbilities(
  { owner, name }: RepositoryPlace,
  moves: readonly ApprovedMove[],
  abilities: ReadonlyMap<string, readonly Capability[]>,
): OwnerVerdict[] {
  const abilityOf = (version: string) => ({ version, capabilities: abilities.get(version) ?? [] })
  return moves.flatMap(({ label, present, fresh }) =>
    fresh.flatMap((version) => {
      const to = abilityOf(version)
      const gain = findGain(present.map(abilityOf), to.capabilities)
      if (gain.kinds.length === 0) return []
      const reason = `it moves ${label}, whose new capabilities must be approved: ${describeGain(gain, to)}`
      return [{ owner: `${owner}/${name}`, isAllowed: false, isByName: false, reason }]
    }),
  )
}
