// Reads bytes as UTF-8 that are not quite that. A decoder takes several times as long for what is invalid, so that is replaced first.

/** In the place of what is invalid: no letter, no space, and nothing that is shown. */
const DELETED = 0x7f

/** Decodes a text that may have zeros, as one in UTF-16 has, and bytes that are not UTF-8. Zeros are left out. */
export function decodeDamaged(bytes: Uint8Array): string {
  const valid = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === 0) continue
    const more = byte < 0x80 ? 0 : countFollowing(bytes, at)
    valid[length++] = more < 0 ? DELETED : byte
    for (let next = 1; next <= more; next++) valid[length++] = bytes[at + next]!
    at += Math.max(0, more)
  }
  return new TextDecoder().decode(valid.subarray(0, length))
}

/** @returns how many bytes follow one that begins a character; -1 if it begins none */
function countFollowing(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!
  const more = byte < 0xc2 || byte > 0xf4 ? -1 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
  for (let next = 1; next <= more; next++) if ((bytes[at + next] ?? 0) >> 6 !== 2) return -1
  const second = bytes[at + 1] ?? 0
  // No character is written with more bytes than it needs, none is half of a pair, and the last is U+10FFFF.
  const isWrong =
    (byte === 0xe0 && second < 0xa0) ||
    (byte === 0xed && second > 0x9f) ||
    (byte === 0xf0 && second < 0x90) ||
    (byte === 0xf4 && second > 0x8f)
  return isWrong ? -1 : more
}
