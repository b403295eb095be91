// Writes files as a zip archive without compression. The same files always have the same bytes, so no library writes them: an update could change them. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
import { crc32 } from 'node:zlib'
import { type ArchivedFile, isScript } from './archive.ts'

/** The first day that a zip can say, 1 January 1980. */
const FIRST_DAY = 0x21
/** Zip 1.0, as every program reads it. */
const VERSION = 10
/** Made on Unix, so that the mode of a file counts. */
const MADE_BY = (3 << 8) | VERSION
const REGULAR_FILE = 0o100_000

/** Writes files as zip: readable by all, executable if they are scripts, from 1980. Paths are ASCII. */
export function packZip(files: readonly ArchivedFile[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, bytes } of files) {
    const name = Buffer.from(path, 'latin1')
    const about = describe(bytes, name.length)
    const header = Buffer.concat([u32(0x04034b50), about, u16(0), name])
    const mode = REGULAR_FILE | (isScript(bytes) ? 0o755 : 0o644)
    // After the description: no extra field and no comment, the first disk, no attributes but the mode, and where the file is.
    const rest = [u16(0), u16(0), u16(0), u16(0), u32((mode << 16) >>> 0), u32(offset), name]
    directory.push(Buffer.concat([u32(0x02014b50), u16(MADE_BY), about, ...rest]))
    parts.push(header, bytes)
    offset += header.length + bytes.length
  }
  const list = Buffer.concat(directory)
  const count = u16(files.length)
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(list.length), u32(offset), u16(0)]
  return Buffer.concat([...parts, list, ...end])
}

/** What both headers of a file say. */
function describe(bytes: Uint8Array, nameLength: number): Buffer {
  const [size, time, flags, stored] = [u32(bytes.length), u16(0), u16(0), u16(0)]
  return Buffer.concat([
    u16(VERSION),
    flags,
    stored,
    time,
    u16(FIRST_DAY),
    u32(crc32(bytes)),
    size,
    size,
    u16(nameLength),
  ])
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
