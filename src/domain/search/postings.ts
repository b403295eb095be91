// Owns how the prompts that hold a term are written down: ascending numbers with a strength each, in a byte or two apiece.

/** How strongly a prompt holds a term: 0 to 7, and whether in its name or title. */
export interface Posting {
  /** The number of the prompt, from 1. */
  id: number
  /** 0 to 15: the level, and 8 when the term stands in name or title. */
  strength: number
}

/** The part of a strength that says: in name or title. */
export const IN_NAME = 8
/** The part of a strength that is its level. */
export const LEVEL = 7
const STRENGTH_BITS = 4

/** Room to decode into; as long as there are prompts, plus one. */
export interface PostingRoom {
  ids: Uint32Array
  strengths: Uint8Array
}

/** Makes room for the postings of one term. */
export function makePostingRoom(prompts: number): PostingRoom {
  return { ids: new Uint32Array(prompts + 1), strengths: new Uint8Array(prompts + 1) }
}

/** Writes postings. @param postings ascending by id, each id once */
export function encodePostings(postings: readonly Posting[]): Uint8Array {
  const bytes: number[] = []
  let last = 0
  for (const { id, strength } of postings) {
    writeNumber(bytes, (id - last) * 2 ** STRENGTH_BITS + strength)
    last = id
  }
  return Uint8Array.from(bytes)
}

/** Reads postings. The inverse of `encodePostings`. @returns how many there are in the room */
export function decodePostings(bytes: Uint8Array, { ids, strengths }: PostingRoom): number {
  let count = 0
  let id = 0
  let at = 0
  const { length } = bytes
  while (at < length) {
    let byte = bytes[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    id += value >>> STRENGTH_BITS
    ids[count] = id
    strengths[count++] = value & 15
  }
  return count
}

/** Postings with some left out and some put in. @param added by id; an id that is there already gets the new strength */
export function editPostings(
  bytes: Uint8Array,
  removed: ReadonlySet<number>,
  added: ReadonlyMap<number, number>,
): Posting[] {
  const room = makePostingRoom(bytes.length)
  const count = decodePostings(bytes, room)
  const postings = [...added].map(([id, strength]): Posting => ({ id, strength }))
  for (let index = 0; index < count; index++) {
    const id = room.ids[index]!
    if (!removed.has(id) && !added.has(id)) postings.push({ id, strength: room.strengths[index]! })
  }
  return postings.sort((a, b) => a.id - b.id)
}

/** Writes the words of a prompt as numbers. */
export function encodeNumbers(numbers: Iterable<number>): Uint8Array {
  const bytes: number[] = []
  for (const number of numbers) writeNumber(bytes, number)
  return Uint8Array.from(bytes)
}

/** Reads them. The inverse of `encodeNumbers`. */
export function decodeNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let byte = bytes[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    numbers.push(value)
  }
  return numbers
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. Numbers stay below 2^31. */
function writeNumber(bytes: number[], number: number): void {
  let rest = number
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  bytes.push(rest)
}
