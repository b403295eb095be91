// Owns how the prompts that hold a term are written down: ascending numbers with a strength each, in a byte or two apiece.

/** The bit of a strength that says that the term stands in owner, name or title. With the level, a strength is 0 to 15. */
export const IN_NAME = 8
/** The bits of a strength that are its level: how well the prompt holds the term. */
export const LEVEL = 7
const STRENGTH_BITS = 4
/** So many strengths there are. */
export const STRENGTHS = 2 ** STRENGTH_BITS

/** Arrays to decode postings into, each with one place more than there are prompts. */
interface PostingRoom {
  ids: Uint32Array
  strengths: Uint8Array
}

/** Makes room for the postings of one term. @param prompts the highest number of a prompt */
export function makePostingRoom(prompts: number): PostingRoom {
  return { ids: new Uint32Array(prompts + 1), strengths: new Uint8Array(prompts + 1) }
}

/** Writes the postings of one term, one after the other. */
export class PostingWriter {
  /** How many there are. */
  count = 0
  #bytes = new Uint8Array(8)
  #length = 0
  #last = 0

  /** @param id higher than that of the last one */
  add(id: number, strength: number): void {
    if (this.#length + LONGEST_NUMBER > this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#bytes.length)
      longer.set(this.#bytes)
      this.#bytes = longer
    }
    let rest = ((id - this.#last) << STRENGTH_BITS) | strength
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#length++] = (rest & 127) | 128
    this.#bytes[this.#length++] = rest
    this.#last = id
    this.count++
  }

  /** What `decodePostings` reads. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** A number has at most 31 bits, and a byte takes seven of them. */
const LONGEST_NUMBER = 5

/** Reads postings, as `PostingWriter` wrote them. @returns how many there are in the room */
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

/** Reads those postings alone whose prompts have a mark. The others are still decoded, because each number is written as the distance from the one before. @returns how many there are in the room */
export function decodeAmong(
  bytes: Uint8Array,
  { ids, strengths }: PostingRoom,
  marks: Uint8Array,
  mark: number,
): number {
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
    // Every posting is written, and one without the mark is overwritten by the next, for that is faster than to decide before writing.
    ids[count] = id
    strengths[count] = value & 15
    if (marks[id] === mark) count++
  }
  return count
}

/** Writes postings anew, with some prompts left out and some put in. @param added the strength of each prompt by its number; one that is there already gets the new strength */
export function editPostings(
  bytes: Uint8Array,
  removed: ReadonlySet<number>,
  added: ReadonlyMap<number, number>,
): PostingWriter {
  const room = makePostingRoom(bytes.length)
  const count = decodePostings(bytes, room)
  const arrivals = [...added].sort(([a], [b]) => a - b)
  const writer = new PostingWriter()
  let next = 0
  for (let index = 0; index < count; index++) {
    const id = room.ids[index]!
    for (; next < arrivals.length && arrivals[next]![0] <= id; next++) writer.add(...arrivals[next]!)
    if (!removed.has(id) && !added.has(id)) writer.add(id, room.strengths[index]!)
  }
  for (; next < arrivals.length; next++) writer.add(...arrivals[next]!)
  return writer
}

/** Writes numbers one after the other. Only the last byte of each is below 128, so one can see where a number begins. */
export function encodeNumbers(numbers: Iterable<number>): Uint8Array {
  const bytes: number[] = []
  for (const number of numbers) writeNumber(bytes, number)
  return Uint8Array.from(bytes)
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. Numbers stay below 2^31. */
function writeNumber(bytes: number[], number: number): void {
  let rest = number
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  bytes.push(rest)
}
