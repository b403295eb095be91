// Owns drawing a part that many pages share once, and using its HTML for all of them.

/** More keys than this mean that a key names something of a single page, by mistake. */
const MOST_KEPT = 100
const kept = new Map<string, string>()

/** The HTML of a key: what `draw` gave the first time. @throws when there are so many keys that they cannot be shared ones */
export async function drawOnce(key: string, draw: () => Promise<string>): Promise<string> {
  const before = kept.get(key)
  if (before !== undefined) return before
  if (kept.size >= MOST_KEPT) throw new Error(`Too much is said to be the same on many pages; the last is ${key}.`)
  const html = await draw()
  kept.set(key, html)
  return html
}
