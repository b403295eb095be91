// Owns one spelling for each JSON value, so that equal values are equal texts.

/** JSON with sorted keys: the same text for the same value, whatever order it was written in. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) =>
    typeof child === 'object' && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child,
  )
}
