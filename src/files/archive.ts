// Writes archives as tar in gzip, such as that of an Agent Skill: SKILL.md and all files beside it. The same files always have the same bytes, so no library writes them: an update could change them.
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { formatSkill, type SkillVersion } from '../domain/content/skill.ts'
import { type Bundle, entriesOf, type VersionFileBytes } from '../domain/values/file-entry.ts'

/** A file to put into an archive. */
export interface ArchivedFile {
  path: string
  bytes: Uint8Array
}

/** The size of a block of tar. */
const TAR_BLOCK = 512
/** Two empty blocks end a tar archive. */
const TAR_END = 2 * TAR_BLOCK
/** The most that a stored block of gzip holds (RFC 1951 section 3.2.4). */
const STORED_MOST = 65_535
const NAME_MOST = 100
const PREFIX_MOST = 155

/** Writes the archive of a version with files. @param files sorted by path */
export function packSkill(version: SkillVersion, files: readonly ArchivedFile[]): Uint8Array<ArrayBuffer> {
  return packFiles([{ path: 'SKILL.md', bytes: Buffer.from(formatSkill(version)) }, ...files])
}

/** Writes files as tar in gzip, in the given order. */
export function packFiles(files: readonly ArchivedFile[]): Uint8Array<ArrayBuffer> {
  return store(packTar(files))
}

/** Returns the SHA-256 of the archive of a version, in hex. That of a version without files is only made when somebody asks for it. */
export function digestArchive(version: SkillVersion): string {
  return version.bundle_sha256 ?? hash('sha256', packSkill(version, []))
}

/** Describes the files of a version, and writes their archive. @param files sorted by path; there is at least one */
export function bundleFiles(
  { owner, name }: { owner: string; name: string },
  version: Omit<SkillVersion, 'name' | 'full_name'>,
  files: readonly VersionFileBytes[],
): { bundle: Bundle; archive: Uint8Array<ArrayBuffer> } {
  const archive = packSkill({ ...version, name, full_name: `${owner}/${name}` }, files)
  return { bundle: { sha256: hash('sha256', archive), files: entriesOf(files) }, archive }
}

/** Writes files as tar: nobody's, readable by all, executable if they are scripts, from 1970. @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06 */
function packTar(files: readonly ArchivedFile[]): Buffer {
  const parts = files.flatMap(({ path, bytes }) => [...headersOf(path, bytes), bytes, fill(bytes.length)])
  return Buffer.concat([...parts, Buffer.alloc(TAR_END)])
}

/** The rest of a file's last block. */
const fill = (length: number) => Buffer.alloc((TAR_BLOCK - (length % TAR_BLOCK)) % TAR_BLOCK)

/** Returns the header of a file. A path that does not fit into it has one of its own before it, which every tar program of this century reads. */
function headersOf(path: string, bytes: Uint8Array): Buffer[] {
  const split = splitPath(path)
  const mode = isScript(bytes) ? 0o755 : 0o644
  if (split) return [header(split, bytes.length, '0', mode)]
  const record = ` path=${path}\n`
  let length = record.length
  // The length of a record counts its own digits.
  while (String(length).length + record.length !== length) length = String(length).length + record.length
  const line = Buffer.from(`${length}${record}`)
  // A name that ended with a slash would be a folder to old programs.
  const cut = { name: path.slice(0, NAME_MOST).replace(/\/$/, '_'), prefix: '' }
  return [
    header({ name: 'path', prefix: '' }, line.length, 'x', 0o644),
    line,
    fill(line.length),
    header(cut, bytes.length, '0', mode),
  ]
}

/** Returns whether a file is a script: it begins with #!. No version says which files are executable, so their bytes decide. */
export const isScript = (bytes: Uint8Array): boolean => bytes[0] === 0x23 && bytes[1] === 0x21

/** Splits a path at a slash, so that both parts fit into a header; undefined if that is not possible. */
function splitPath(path: string): { name: string; prefix: string } | undefined {
  if (path.length <= NAME_MOST) return { name: path, prefix: '' }
  const at = path.indexOf('/', path.length - NAME_MOST - 1)
  return at === -1 || at > PREFIX_MOST ? undefined : { name: path.slice(at + 1), prefix: path.slice(0, at) }
}

function header({ name, prefix }: { name: string; prefix: string }, size: number, type: string, mode: number): Buffer {
  const block = Buffer.alloc(TAR_BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const put = (text: string, at: number) => block.write(text, at, 'latin1')
  put(name, 0)
  put(octal(mode, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(size, 11), 124)
  put(octal(0, 11), 136)
  put(' '.repeat(8), 148)
  put(type, 156)
  put('ustar\x0000', 257)
  put(prefix, 345)
  let sum = 0
  // A call for each byte would double the time of a small archive.
  for (let at = 0; at < TAR_BLOCK; at++) sum += block[at]!
  put(`${octal(sum, 6)}\0 `, 148)
  return block
}

/** Writes bytes as gzip without compressing them (RFC 1952). */
function store(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const count = Math.max(1, Math.ceil(bytes.length / STORED_MOST))
  const out = Buffer.alloc(10 + 5 * count + bytes.length + 8)
  // Deflate, no name, no time, an unknown operating system.
  out.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
  let at = 10
  for (let index = 0; index < count; index++) {
    const part = bytes.subarray(index * STORED_MOST, (index + 1) * STORED_MOST)
    at = out.writeUInt8(index === count - 1 ? 1 : 0, at)
    at = out.writeUInt16LE(part.length, at)
    at = out.writeUInt16LE(part.length ^ STORED_MOST, at)
    out.set(part, at)
    at += part.length
  }
  at = out.writeUInt32LE(crc32(bytes), at)
  out.writeUInt32LE(bytes.length, at)
  return out
}
