// Opens the files of content, imports and built sites: ordinary files only, and no link anywhere below the root. No other module of these folders opens a file.
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Why a file was not opened. */
export type Refusal = 'missing' | 'link' | 'irregular' | 'long' | 'unreadable'

/** What a reader made of a file, or why the file was not opened. */
export type Opened<Value> = { value: Value; refusal?: never } | { value?: never; refusal: Refusal }

/** An open file, closed when the function that receives it returns. */
interface OpenFile {
  descriptor: number
  stats: Stats
}

/** A folder of files to read. Paths are relative to it, with forward slashes; an empty path is the folder itself. */
export type PlainFolder = ReturnType<typeof openFolder>

/** A link in the last part of a path is not followed, and opening a FIFO does not wait for a writer. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
/** Where Linux says which path an open file has. */
const OPEN_FILES = '/proc/self/fd'
const HAS_OPEN_FILES = existsSync(OPEN_FILES)
/** How often a file is opened that another program replaces at that moment. */
const MAX_ATTEMPTS = 5

/**
 * Opens a folder. It may be missing. Links may lead to the folder that contains it, but the folder itself must not be a link: `src/config.ts` resolves a link that the operator chose.
 *
 * A path is checked after the file has been opened, because a folder can be replaced by a link between a check and an open. On Linux, the kernel says which path the open file has. Elsewhere, the path is resolved again, before and after the file at the path is compared with the open file; a program that replaces a folder several times between two of these calls could get past this check.
 *
 * @param asksKernel whether the kernel says which path an open file has
 */
export function openFolder(dir: string, asksKernel = HAS_OPEN_FILES) {
  const whole = resolve(dir)
  const root = join(realPath(dirname(whole)) ?? dirname(whole), basename(whole))
  const placeOf = (path: string) => {
    const place = join(root, path)
    if (place !== root && !place.startsWith(join(root, '/')))
      throw Object.assign(new Error(`${path} is outside the folder`), { code: 'ENOENT' })
    return place
  }
  /** Returns whether no part of the path is a link, and something exists there. */
  const isPlain = (path: string): boolean => realPath(placeOf(path)) === placeOf(path)
  const isAt = (place: string, { ino, dev }: Stats) => {
    if (realPath(place) !== place) return false
    const found = lstatSync(place, { throwIfNoEntry: false })
    return found?.ino === ino && found.dev === dev && realPath(place) === place
  }
  /** Checks an open file. @returns undefined if it was replaced meanwhile, so that it has lost its path */
  const judge = (path: string, { descriptor, stats }: OpenFile): Refusal | 'plain' | undefined => {
    if (!stats.isFile()) return 'irregular'
    const place = placeOf(path)
    const isHere = asksKernel ? readlinkSync(`${OPEN_FILES}/${descriptor}`) === place : isAt(place, stats)
    if (isHere) return 'plain'
    return isPlain(path) ? undefined : 'link'
  }
  /** Opens a file, and closes it when `use` returns. */
  const open = <Value>(path: string, use: (file: OpenFile) => Value): Opened<Value> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      let descriptor: number | undefined
      try {
        descriptor = openSync(placeOf(path), FLAGS)
        const file = { descriptor, stats: fstatSync(descriptor) }
        const verdict = judge(path, file)
        if (verdict === 'plain') return { value: use(file) }
        if (verdict) return { refusal: verdict }
      } catch (error) {
        return { refusal: refusalOf(error) }
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
      }
    }
    return { refusal: 'unreadable' }
  }
  const refuseLinks = (path: string) => {
    if (!isPlain(path) && existsSync(placeOf(path)))
      throw Object.assign(new Error(`${path} is a link`), { code: 'ELOOP' })
  }
  return {
    isPlain,
    /** Lists a folder. @throws Error if it cannot be listed; its `code` is `ELOOP` if a part of the path is a link */
    list(path: string): Dirent[] {
      refuseLinks(path)
      return readdirSync(placeOf(path), { withFileTypes: true })
    },
    /** Checks that a folder can be listed, whatever its length. @throws Error as `list` does */
    check(path: string): void {
      refuseLinks(path)
      const folder = opendirSync(placeOf(path))
      try {
        folder.readSync()
      } finally {
        folder.closeSync()
      }
    },
    open,
    /** Reads a file of at most this length. */
    read(path: string, maxBytes: number): Opened<Buffer<ArrayBuffer>> {
      const opened = open(path, (file) => (file.stats.size > maxBytes ? undefined : readWhole(file)))
      return opened.refusal ? opened : opened.value ? { value: opened.value } : { refusal: 'long' }
    },
    /** Creates the folder of a file that is about to be written. @returns the file's absolute path @throws Error if a part of the path is a link */
    prepare(path: string): string {
      const parts = path.split('/')
      for (let count = 0; count <= parts.length; count++) {
        const place = placeOf(parts.slice(0, count).join('/'))
        if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
          throw new Error(`${place}: expected no symbolic link. Replace it with the folder or file that it points to.`)
      }
      mkdirSync(dirname(placeOf(path)), { recursive: true })
      return placeOf(path)
    },
  }
}

/** Describes why a file was not opened. @param maxBytes the maximum length that was asked for */
export function describeRefusal(refusal: Refusal, maxBytes: number): string {
  if (refusal === 'long') return `expected at most ${maxBytes} bytes`
  if (refusal === 'link') return 'expected a regular file, got a symbolic link'
  if (refusal === 'irregular') return 'expected a regular file, got something else'
  return 'expected a readable file'
}

/** Resolves every link in a path. @returns undefined if there is nothing at the path */
function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** Reads an open file, up to the length that it had when it was opened. */
function readWhole({ descriptor, stats }: OpenFile): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafe(stats.size)
  let length = 0
  while (length < bytes.length) {
    const added = readSync(descriptor, bytes, length, bytes.length - length, null)
    if (added === 0) break
    length += added
  }
  return bytes.subarray(0, length)
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ENAMETOOLONG: 'missing',
  ELOOP: 'link',
  EMLINK: 'link',
  // A socket cannot be opened.
  ENXIO: 'irregular',
  EISDIR: 'irregular',
}

function refusalOf(error: unknown): Refusal {
  return (error instanceof Error && 'code' in error && REFUSALS[String(error.code)]) || 'unreadable'
}
