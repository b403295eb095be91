// Compares strings for sorting.

/** Compares strings by code unit, so that the order is the same on every machine, in any locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
