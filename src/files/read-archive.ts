// Reads the archive of a publish: a skill's folder as tar, compressed with gzip. Sizes and the number of entries are checked before anything is unpacked.
import { gunzipSync } from 'node:zlib'
import { HubError } from '../domain/api/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { type GivenFile, invalidField } from '../domain/publishing/request.ts'
import { printable } from '../domain/text/printable.ts'
import { attestationName } from '../domain/values/attestation-name.ts'
import { isJunk, sortFiles, type VersionFileBytes } from '../domain/values/file-entry.ts'
import { measureFile } from './measure.ts'

/** A folder to publish. */
interface GivenFolder {
  /** SKILL.md, or a prompt file. */
  main: { name: 'SKILL.md' | 'prompt.md'; text: string }
  files: GivenFile[]
  /** The text of each attestation, as it is stored. */
  attestations: string[]
  /** The paths of what systems and programs left in the folder, which is not published. */
  leftOut: string[]
}

const BLOCK = 512
/** Files, the main file, and a header and a filled block for each entry: a megabyte less than this. */
const MAX_TAR_BYTES = LIMITS.requestBytesWithFiles
/** Entries also count if they are folders. */
const MAX_ENTRIES = 1_000
/** The folder with the attestations in an archive. */
const ATTESTATIONS = '.attestations/'
const MAIN_NAMES = ['SKILL.md', 'prompt.md'] as const

/** Unpacks an archive that was sent. @throws HubError `invalid_request` for bytes that are no such archive, `content_too_large`, `validation_failed` for entries that a skill may not have */
export function readArchive(archive: Uint8Array): GivenFolder {
  const all = listEntries(unzip(archive))
  const isLeftOut = ({ path }: GivenFile) => path.split('/').some(isJunk)
  const leftOut = all.filter(isLeftOut).map(({ path }) => path)
  return { ...readEntries(withoutFolder(all.filter((entry) => !isLeftOut(entry)))), leftOut }
}

function readEntries(entries: readonly GivenFile[]): Omit<GivenFolder, 'leftOut'> {
  const mains = entries.filter(({ path }) => MAIN_NAMES.some((name) => name === path))
  const [main, second] = mains
  if (!main || second)
    throw invalidField(
      'archive',
      `expected ${second ? 'either SKILL.md or prompt.md' : 'SKILL.md or prompt.md'} at its root or in its only folder, got ${second ? 'both' : 'neither'}`,
    )
  const signed = entries.filter(({ path }) => path.startsWith(ATTESTATIONS))
  const files = entries.filter((entry) => entry !== main && !signed.includes(entry))
  if (files.length > LIMITS.filesPerVersion)
    throw invalidField('files', `expected at most ${LIMITS.filesPerVersion} files, got ${files.length}`)
  const attestations = readAttestations(signed)
  return { main: { name: main.path as 'SKILL.md', text: decodeMain(main) }, files, attestations }
}

/** Reads attestations in the order of their names, which no file of a skill can have. @throws HubError `validation_failed` */
function readAttestations(entries: readonly GivenFile[]): string[] {
  if (entries.length > LIMITS.attestationsPerVersion)
    throw invalidField('attestations', `expected at most ${LIMITS.attestationsPerVersion} attestations`)
  return sortFiles(entries).map(({ path, bytes }, index) => {
    const wrong = (message: string) => invalidField(`attestations.${index}`, message)
    if (path !== `${ATTESTATIONS}${attestationName(index)}`)
      throw wrong(`expected ${ATTESTATIONS}${attestationName(index)}, got ${printable(path)}`)
    if (bytes.length > LIMITS.attestationBytes) throw wrong(`expected at most ${LIMITS.attestationBytes} bytes`)
    let text = ''
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      return JSON.stringify(JSON.parse(text))
    } catch {
      const count = countLines(text)
      throw wrong(
        count === undefined
          ? 'expected JSON in UTF-8'
          : `expected one bundle, got ${count} bundles, one on each line (JSON Lines). Write each line to a file of its own`,
      )
    }
  })
}

/** Counts the values of JSON Lines, as `gh attestation download` writes them. @returns undefined for another text */
function countLines(text: string): number | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  try {
    for (const line of lines) JSON.parse(line)
    return lines.length > 1 ? lines.length : undefined
  } catch {
    return undefined
  }
}

function unzip(archive: Uint8Array): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: MAX_TAR_BYTES })
  } catch (error) {
    const isLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isLong
      ? new HubError('content_too_large', `archive: expected at most ${MAX_TAR_BYTES} bytes when unpacked.`)
      : invalidArchive('it is not compressed with gzip')
  }
}

function invalidArchive(reason: string): HubError {
  return new HubError(
    'invalid_request',
    `The archive cannot be read: ${reason}. Make it with a program such as tar -czf skill.tar.gz FOLDER.`,
  )
}

function decodeMain({ path, bytes }: GivenFile): string {
  if (bytes.length > LIMITS.requestBytes)
    throw new HubError('content_too_large', `${path}: expected at most ${LIMITS.requestBytes} bytes.`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new HubError('invalid_request', `${path} is not UTF-8. Save it as UTF-8 and send the archive again.`)
  }
}

/** Lists the files of a tar archive: ustar, with the long names of pax and GNU. @see https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function listEntries(tar: Buffer): GivenFile[] {
  const files: GivenFile[] = []
  let longPath: string | undefined
  let count = 0
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) return files
    if (++count > MAX_ENTRIES) throw invalidField('archive', `expected at most ${MAX_ENTRIES} entries`)
    const { path, type, size } = readHeader(header)
    const end = at + BLOCK + size
    if (end > tar.length) throw invalidArchive('it ends in the middle of a file')
    const bytes = tar.subarray(at + BLOCK, end)
    at = end + ((BLOCK - (size % BLOCK)) % BLOCK)
    if (type === 'x') longPath = readPaxPath(bytes) ?? longPath
    else if (type === 'L') longPath = textOf(bytes)
    else if (type === 'g') {
      if (readPaxPath(bytes) !== undefined) throw invalidArchive('it gives one path to several files')
    } else {
      const name = longPath ?? path
      longPath = undefined
      // Before POSIX, a slash at the end was all that marked a folder.
      if (type === 'file' && name.endsWith('/')) continue
      if (type === 'file') files.push({ path: cleanPath(name), bytes: new Uint8Array(bytes) })
      else if (type !== 'folder')
        throw invalidField(`archive: ${printable(name)}`, 'expected only files and folders, got a link or a device')
    }
  }
  throw invalidArchive('its end is missing')
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8').replace(/\0.*$/s, '')

function readHeader(header: Buffer): { path: string; type: string; size: number } {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (readOctal(header.subarray(148, 156)) !== sum) throw invalidArchive('a header has a wrong checksum')
  const name = textOf(header.subarray(0, 100))
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? textOf(header.subarray(345, 500)) : ''
  const flag = String.fromCharCode(header[156]!)
  // GNU tar uses the prefix for other things, and marks that with two blanks.
  const isGnu = header.toString('latin1', 257, 265) === 'ustar  \0'
  const path = prefix === '' || isGnu ? name : `${prefix}/${name}`
  const type = flag === '0' || flag === '\0' || flag === '7' ? 'file' : flag === '5' ? 'folder' : flag
  return { path, type, size: readOctal(header.subarray(124, 136)) }
}

/** Reads a number. Larger numbers than fit into octal digits are in binary, and no archive that is accepted has one. */
function readOctal(field: Buffer): number {
  const [, digits] = /^ *([0-7]{1,11})[ \0]*$/.exec(field.toString('latin1')) ?? []
  if (digits === undefined) throw invalidArchive('a header has an invalid number')
  return Number.parseInt(digits, 8)
}

/** Reads the path of a pax header. @throws HubError if the header changes the size, which would hide files */
function readPaxPath(bytes: Buffer): string | undefined {
  let path: string | undefined
  for (let at = 0; at < bytes.length; ) {
    const [head = '', digits = ''] = /^(\d{1,7}) /.exec(bytes.toString('latin1', at, at + 8)) ?? []
    const end = at + Number(digits)
    const record = bytes.toString('utf8', at + head.length, end)
    if (digits === '' || end > bytes.length || end <= at + head.length || !record.endsWith('\n'))
      throw invalidArchive('an extended header is malformed')
    at = end
    if (record.startsWith('path=')) path = record.slice(5, -1)
    if (/^(?:size|linkpath|GNU\.sparse)/.test(record)) throw invalidArchive('an extended header is not supported')
  }
  return path
}

/** Removes `./` from the start of a path. All other unusual paths are refused with the file's name when the files are checked. */
const cleanPath = (path: string) => path.replace(/^(?:\.\/)+/, '')

/** Removes the folder that contains all entries, as in an archive of a folder. */
function withoutFolder(entries: readonly GivenFile[]): GivenFile[] {
  if (entries.some(({ path }) => !path.includes('/'))) return [...entries]
  const folder = `${entries[0]?.path.split('/', 1)[0] ?? ''}/`
  // A folder named `..` is no folder of the archive.
  if (!/^[^./]|^\.[^./]/.test(folder) || !entries.every(({ path }) => path.startsWith(folder))) return [...entries]
  return entries.map(({ path, bytes }) => ({ path: path.slice(folder.length), bytes }))
}

/** Unpacks the files of a version from its archive, without its SKILL.md. */
export function unpackFiles(archive: Uint8Array): VersionFileBytes[] {
  return readEntries(withoutFolder(listEntries(unzip(archive)))).files.map(({ path, bytes }) =>
    measureFile(path, bytes),
  )
}
