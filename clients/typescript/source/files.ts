// The file-based parts of this library (Node, Deno, Bun): a cache folder, and a lock with its vendored prompts.
import { createHash, randomUUID } from 'node:crypto'
import { constants, lstat, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kept, Store } from './cache.ts'
import { type Lock, MAX_LOCK_BYTES, parseLock } from './lock.ts'
import type { LockInForce } from './prompt-hub.ts'
import { PromptHubError } from './trouble.ts'

export { verifySignatures } from './attested.ts'

/** No version is larger, so no more of a file is compared. */
const MAX_CONTENT_BYTES = 1_048_576

/**
 * Opens a store in a folder, with one file per response. Several processes may share it, because files are written atomically.
 *
 * @param dir the folder; created when missing
 */
export function diskStore(dir: string): Store {
  const pathOf = (url: string) => join(dir, `${createHash('sha256').update(url).digest('hex')}.json`)
  return {
    async read(url) {
      const text = await readFile(pathOf(url), 'utf8').catch(orUndefined)
      if (text === undefined) return undefined
      const kept = JSON.parse(text) as Kept & { url: string }
      return kept.url === url && typeof kept.text === 'string' && typeof kept.checkedAt === 'number' ? kept : undefined
    },
    async write(url, kept) {
      await mkdir(dir, { recursive: true })
      await writeWhole(pathOf(url), JSON.stringify({ url, ...kept }))
    },
    remove: (url) => rm(pathOf(url), { force: true }),
  }
}

/**
 * Opens a lock to pass to a `PromptHub`.
 *
 * @param path path or `file:` URL of `prompts.lock`; its vendored files are in its folder or below
 * @throws PromptHubError `integrity` when the file is not what a client would write, `invalid_request` when it does not exist
 */
export async function openLock(path: string | URL = 'prompts.lock'): Promise<LockInForce> {
  if (path instanceof URL) return openLock(fileURLToPath(path))
  const lock = await readLockFile(path)
  if (!lock) throw new PromptHubError('invalid_request', `No lock at ${path}. Create one: hubcli add owner/name`)
  return { lock, readFile: (file) => readVendored(dirname(resolve(path)), file) }
}

/** Reads a lock that may not exist yet. @returns undefined if it does not exist */
export async function readLockFile(path: string): Promise<Lock | undefined> {
  const bytes = await readVendored(dirname(resolve(path)), basename(path), MAX_LOCK_BYTES)
  if (!bytes) return undefined
  try {
    return parseLock(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (error) {
    if (error instanceof PromptHubError) throw error
    throw new PromptHubError('integrity', 'prompts.lock is not UTF-8. Restore it from git.', { cause: error })
  }
}

/**
 * Reads a file below a folder, without following symbolic links.
 *
 * @param file a path from a lock, validated when the lock was read
 * @returns at most one byte more than `largest`; undefined if there is no file
 * @throws PromptHubError `integrity` for anything but a regular file
 */
export async function readVendored(
  folder: string,
  file: string,
  largest: number = MAX_CONTENT_BYTES,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  await requireNoLink(folder, file)
  // A pipe would otherwise keep the process until somebody writes to it. Windows has no such flag.
  const opened = await open(join(folder, file), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(orUndefined)
  if (!opened) return undefined
  try {
    const there = await opened.stat()
    if (!there.isFile()) throw new PromptHubError('integrity', `${file} is not a regular file.`)
    const bytes = new Uint8Array(Math.min(there.size, largest + 1))
    const { bytesRead } = await opened.read(bytes, 0, bytes.length, 0)
    return bytes.subarray(0, bytesRead)
  } finally {
    await opened.close()
  }
}

/** @throws PromptHubError `integrity` when a part of the path is a symbolic link, which could lead anywhere, or a folder of it is none */
export async function requireNoLink(folder: string, file: string): Promise<void> {
  let reached = ''
  for (const segment of file.split('/')) {
    reached += segment
    const found = await lstat(join(folder, reached)).catch(orUndefined)
    if (!found) return
    if (reached !== file && !found.isDirectory())
      throw new PromptHubError('integrity', `${file}: ${reached}/ is not a folder, or is a symbolic link.`)
    if (found.isSymbolicLink())
      throw new PromptHubError('integrity', `${file} is a symbolic link; replace it with a file.`)
    reached += '/'
  }
}

const underWay = new Set<Promise<unknown>>()

/** Does work that would leave something half-written if the process ended during it. */
export async function write<Result>(work: () => Promise<Result>): Promise<Result> {
  const writing = work()
  underWay.add(writing)
  try {
    return await writing
  } finally {
    underWay.delete(writing)
  }
}

/** Waits for what is being written. */
export async function finishWriting(): Promise<void> {
  await Promise.allSettled(underWay)
}

/** Writes a file atomically. */
export async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  await write(async () => {
    const temporary = await writeTemporary(path, data)
    await putAll([{ place: path, temporary }]).catch(async (error: unknown) => {
      await rm(temporary, { force: true })
      throw error
    })
  })
}

/** Writes and syncs a temporary file next to a path, so that a rename puts the whole file in place at once. @returns its path */
export async function writeTemporary(path: string, data: string | Uint8Array): Promise<string> {
  const temporary = join(dirname(path), `.prompt-hub.${randomUUID()}`)
  try {
    await writeFile(temporary, data, { flag: 'wx', flush: true })
    return temporary
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** A file or folder that was written beside its place, to be renamed. */
export interface Staged {
  place: string
  temporary: string
  /** A copy of the existing file. */
  before?: string
  /** Where the existing folder is kept until the end. */
  aside?: string
}

/** Puts all files and folders in place: if one fails, the previous ones are restored. */
export async function putAll(staged: readonly Staged[]): Promise<void> {
  const done: Staged[] = []
  try {
    for (const each of staged) {
      if (each.aside !== undefined) {
        await rename(each.place, each.aside)
        done.push(each)
      }
      await rename(each.temporary, each.place)
      if (each.aside === undefined) done.push(each)
    }
  } catch (error) {
    for (const { place, temporary, before, aside } of done.reverse()) {
      if (aside !== undefined) {
        await rename(place, temporary).catch(() => {
          // The new folder was not in place yet.
        })
        await rename(aside, place)
      } else if (before !== undefined) await rename(before, place)
      else await rm(place, { force: true, recursive: true })
    }
    throw error
  }
}

function orUndefined(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
