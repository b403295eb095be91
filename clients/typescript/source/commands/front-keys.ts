// Leaves out the keys of a SKILL.md that no hub keeps, so that a skill of another tool can be published.

/** The keys that a hub keeps. */
const KEPT = ['name', 'description', 'license', 'compatibility', 'metadata']
const TOP_KEY = /^["']?([A-Za-z_][\w.-]*)["']?[ \t]*:(?=\s|$)/
/** As far as front matter is looked at; a hub refuses a longer one. */
const MAX_FRONT_BYTES = 65_536

/** Empties the lines of all other keys, so that the numbers of the lines stay. @returns the file, and the keys that are left out */
export function leaveOutKeys(skill: Uint8Array<ArrayBuffer>): { bytes: Uint8Array<ArrayBuffer>; keys: string[] } {
  // One character for each byte, so that all others stay.
  const text = Buffer.from(skill).toString('latin1')
  const start = /^(?:\xef\xbb\xbf)?---[ \t]*\r?\n/.exec(text)?.[0].length
  const end = text.slice(0, MAX_FRONT_BYTES).indexOf('\n---', (start ?? 1) - 1)
  if (start === undefined || end < start) return { bytes: skill, keys: [] }
  const keys: string[] = []
  let isKept = true
  const lines = text.slice(start, end).split('\n')
  const kept = lines.map((line) => {
    const key = TOP_KEY.exec(line)?.[1]
    if (key !== undefined) isKept = KEPT.includes(key)
    if (key !== undefined && !isKept) keys.push(key)
    return isKept ? line : line.endsWith('\r') ? '\r' : ''
  })
  if (keys.length === 0) return { bytes: skill, keys }
  return {
    bytes: new Uint8Array(Buffer.from(text.slice(0, start) + kept.join('\n') + text.slice(end), 'latin1')),
    keys,
  }
}
