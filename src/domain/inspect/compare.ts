// Compares what two versions can do. Apart from the rules, so that pages and reads can load it alone.
import { CAPABILITY_KINDS, type Capability, type CapabilityKind } from './kinds.ts'

/** What a version can do that another cannot, and the other way round. What is only in another place is the same. */
export function compareCapabilities(
  from: readonly Capability[],
  to: readonly Capability[],
): { added: Capability[]; removed: Capability[] } {
  return { added: onlyIn(to, from), removed: onlyIn(from, to) }
}

function onlyIn(all: readonly Capability[], others: readonly Capability[]): Capability[] {
  const known = new Set(others.map(keyOf))
  return all.filter((one) => {
    const isNew = !known.has(keyOf(one))
    known.add(keyOf(one))
    return isNew
  })
}

const keyOf = ({ kind, severity, text }: Capability) => `${kind} ${severity} ${text}`

/** Returns the kinds in a list, in the order of the table. */
export function kindsOf(capabilities: readonly Pick<Capability, 'kind'>[]): CapabilityKind[] {
  const kinds = new Set(capabilities.map(({ kind }) => kind))
  return CAPABILITY_KINDS.filter((kind) => kinds.has(kind))
}
