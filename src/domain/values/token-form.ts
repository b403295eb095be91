// Generates tokens, and detects mistyped tokens by their checksum, without reading a store.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_DIGITS = 32
const CHECKSUM_DIGITS = 6
const TOKEN = /hub_[0-9A-Za-z]{38}(?![0-9A-Za-z])/g

/**
 * Generates a token.
 *
 * @param nextByte source of random bytes, 0 to 255. Bytes of 248 or more are skipped, so that every digit is equally likely.
 * @returns `hub_`, 32 random base62 digits, and their CRC-32 in 6 base62 digits. docs/contract.md section 7
 */
export function makeToken(nextByte: () => number): string {
  let random = ''
  while (random.length < RANDOM_DIGITS) {
    const byte = nextByte()
    if (byte < 248) random += DIGITS[byte % 62]
  }
  const body = `hub_${random}`
  return body + checksumOf(body)
}

/** Returns whether a string is a well-formed token with a valid checksum. Whether the token exists and is valid is checked elsewhere. */
export function isToken(text: string): boolean {
  return (
    /^hub_[0-9A-Za-z]{38}$/.test(text) && checksumOf(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS)
  )
}

/** Returns the offset of the first hub token in a text, in UTF-16 code units, or undefined. */
export function findToken(text: string): number | undefined {
  return text.matchAll(TOKEN).find(([token]) => isToken(token))?.index
}

/** Computes a string's checksum: its CRC-32 as six base62 digits, most significant digit first. */
export function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_DIGITS; place++) {
    digits = DIGITS[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Computes the CRC-32 of ASCII text, as in zip and PNG (ISO 3309). Bit by bit is fast enough, because the input has 36 characters. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (const character of text) {
    crc ^= character.charCodeAt(0)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
