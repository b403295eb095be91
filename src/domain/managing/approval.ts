// Finds what a version can do that the versions of a label cannot, which a member must approve where the owner asks for that. Pure.
import { HubError } from '../api/errors.ts'
import { kindsOf } from '../inspect/compare.ts'
import { summariseAdded } from '../inspect/describe.ts'
import type { Capability, CapabilityKind } from '../inspect/kinds.ts'

/** A version of a label, and what it can do. */
export interface LabelledVersion {
  version: string
  capabilities: readonly Capability[]
}

/** What a version can do that a version of the label cannot. */
interface Gain {
  /** The version that it is compared with; undefined if the label has none. */
  from: LabelledVersion | undefined
  kinds: CapabilityKind[]
}

/** Finds the kinds that a version has and a version of the label lacks, or has without `danger`. @param present the versions of the label; if one of them has all kinds, none is new */
export function findGain(present: readonly LabelledVersion[], capabilities: readonly Capability[]): Gain {
  const gains = present.map((from) => ({ from, kinds: newKinds(from.capabilities, capabilities) }))
  const least = gains.sort((a, b) => a.kinds.length - b.kinds.length)[0]
  return least ?? { from: undefined, kinds: newKinds([], capabilities) }
}

function newKinds(before: readonly Capability[], after: readonly Capability[]): CapabilityKind[] {
  const isKnown = ({ kind, severity }: Capability) =>
    before.some((one) => one.kind === kind && (severity !== 'danger' || one.severity === 'danger'))
  return kindsOf(after.filter((one) => !isKnown(one)))
}

/** Says what a version can do that the label's cannot. */
export function describeGain({ from, kinds }: Gain, to: LabelledVersion): string {
  const ofKinds = (all: readonly Capability[]) => all.filter(({ kind }) => kinds.includes(kind))
  const words = summariseAdded(ofKinds(from?.capabilities ?? []), ofKinds(to.capabilities))
  return `${to.version} can do what ${from ? `${from.version} cannot` : 'must be approved, because the label has no version yet'} (${kinds.join(', ')}): ${words}`
}

/** @throws HubError `approval_needed` if a version has kinds that no version of the label has */
export function requireApproval(
  { owner, name, label, baseUrl }: { owner: string; name: string; label: string; baseUrl: string },
  present: readonly LabelledVersion[],
  to: LabelledVersion,
): void {
  const gain = findGain(present, to.capabilities)
  if (gain.kinds.length === 0) return
  throw new HubError(
    'approval_needed',
    `${owner} requires that a member approves new capabilities before ${label} moves, and ${describeGain(gain, to)}. No token can approve that: a member of ${owner} signs in and moves the label at ${baseUrl}/${owner}/${name}/manage`,
  )
}
