// Reads the releases of the clients: the current one is built from `clients/`, and each past one is an archive in `releases/`.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'fflate'
import { parseTar } from 'nanotar'
import { readCliRelease } from './hubcli.ts'
import { readClientsRelease } from './libraries.ts'
import { type PackageFiles, packTar, type Release } from './packages.ts'

/** What is released together, with one number: the shell client, or both libraries. */
type Released = 'hubcli' | 'libraries'

const FOLDER = 'releases'

/** Reads all releases of hubcli, oldest first. @param root the project's folder */
export async function readCliReleases(root: string): Promise<Release[]> {
  return withArchives(root, 'hubcli', await readCliRelease(root))
}

/** Reads all releases of the libraries, oldest first. @param root the project's folder */
export async function readClientsReleases(root: string): Promise<Release[]> {
  return withArchives(root, 'libraries', await readClientsRelease(root))
}

/** @param current the release built from `clients/`; it replaces the archive with its number, which has the same files */
async function withArchives(root: string, released: Released, current: Release): Promise<Release[]> {
  const archived = (await readdir(join(root, FOLDER))).flatMap((name) => {
    const number = new RegExp(`^${released}-(\\d+\\.\\d+\\.\\d+)\\.tgz$`).exec(name)?.[1]
    return number === undefined || number === current.number ? [] : [number]
  })
  const past = archived.map(async (number) => ({ number, files: await readArchive(root, released, number) }))
  const all = [...(await Promise.all(past)), current]
  return all.sort((one, other) => one.number.localeCompare(other.number, 'en', { numeric: true }))
}

/**
 * Archives a release, unless it already is.
 *
 * @throws Error if the archive with this number has other files, because a release never changes
 */
export async function archiveRelease(root: string, released: Released, { number, files }: Release): Promise<void> {
  if (await isArchived(root, released, { number, files })) return
  await writeFile(pathOf(root, released, number), packTar(files))
}

/** Returns whether a release is archived. @throws Error if the archive with this number has other files */
export async function isArchived(root: string, released: Released, { number, files }: Release): Promise<boolean> {
  const archived = await readArchive(root, released, number).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (archived === undefined) return false
  const same = archived.size === files.size && [...files].every(([path, text]) => archived.get(path) === text)
  if (same) return true
  throw new Error(`${released} ${number} is released and never changes. Give it a new number.`)
}

async function readArchive(root: string, released: Released, number: string): Promise<PackageFiles> {
  const entries = parseTar(gunzipSync(await readFile(pathOf(root, released, number))))
  return new Map(entries.map(({ name, text }) => [name, text]))
}

const pathOf = (root: string, released: Released, number: string) => join(root, FOLDER, `${released}-${number}.tgz`)
