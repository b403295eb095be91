// Compares a locked prompt, or all files of a locked skill, with what is in the project.
import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readVendored, requireNoLink } from './files.ts'
import { type LockedPrompt, mendEnds, type Place } from './lock.ts'
import { PromptHubError } from './trouble.ts'
import { findExact } from './verify.ts'

const MAX_LISTED = 1_000
/** Python and macOS write these next to files that are only used. */
const GENERATED = ['__pycache__', '.DS_Store']

/** How a project differs from its lock. */
export interface Difference {
  /** `missing` if only files are missing, which installing restores; otherwise `changed`, or `extra` for a file that is not in the lock. */
  kind: 'missing' | 'changed' | 'extra'
  /** The path of the first such file. */
  path: string
  /** Whether the file differs only in line endings, which git changes with core.autocrlf. */
  isInEnds?: boolean
}

/** Finds the places of a prompt whose files differ from the lock in this folder. */
export async function findDifferences(
  folder: string,
  locked: LockedPrompt,
): Promise<{ place: Place; difference: Difference }[]> {
  const found: { place: Place; difference: Difference }[] = []
  for (const place of locked.places) {
    const difference = await findDifference(folder, locked, place)
    if (difference) found.push({ place, difference })
  }
  return found
}

/** Finds how the files at a place of a prompt differ from the lock in this folder. @returns undefined if they do not @throws PromptHubError `integrity` for symbolic links */
export async function findDifference(
  folder: string,
  locked: LockedPrompt,
  place: Place,
): Promise<Difference | undefined> {
  let missing: Difference | undefined
  const wanted = digestsOf(locked, place)
  for (const [path, sha256] of wanted) {
    const bytes = await readVendored(folder, path)
    if (!bytes) missing ??= { kind: 'missing', path }
    else if (!(await findExact(bytes, sha256, path)))
      return { kind: 'changed', path, isInEnds: differsInEnds(bytes, sha256) }
  }
  for (const name of place.files ? await listFolder(folder, place.path) : [])
    if (!wanted.has(`${place.path}/${name}`)) return { kind: 'extra', path: `${place.path}/${name}` }
  return missing
}

/** Says how a project differs from its lock, and what to do. */
export function sayDifference({ path: folder, files }: Place, { kind, path, isInEnds }: Difference): string {
  if (kind === 'missing') return `${path} is not there; prompt-hub install restores it`
  if (kind === 'extra') return `${path} is not in prompts.lock; move it away, or delete it: prompt-hub install --force`
  if (isInEnds)
    return `${path} is not what prompts.lock says only in its line endings: git changed them, as with core.autocrlf. ${mendEnds(path, files && folder)}`
  return `${path} is not what prompts.lock says; prompt-hub install --force restores it`
}

/** The digest of each file at a place of a locked prompt, by its path in the project. */
function digestsOf({ sha256 }: LockedPrompt, { path, files }: Place): Map<string, string> {
  return new Map(files ? files.map((file) => [`${path}/${file.path}`, file.sha256]) : [[path, sha256]])
}

function differsInEnds(bytes: Uint8Array, sha256: string): boolean {
  const lf = Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n')
  return [lf, lf.replaceAll('\n', '\r\n')].some(
    (text) => createHash('sha256').update(text, 'latin1').digest('hex') === sha256,
  )
}

/** Lists the paths of everything in a folder that is not itself a folder, relative to it; those of links too. Without what Python and macOS generate. */
export async function listFolder(root: string, path: string): Promise<string[]> {
  await requireNoLink(root, path)
  const place = join(root, path)
  const there = await lstat(place).catch(() => undefined)
  if (!there) return []
  if (!there.isDirectory())
    throw new PromptHubError('integrity', `${path} is not a folder, or is a symbolic link; move it away`)
  const found: string[] = []
  const walk = async (folder: string, before: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (GENERATED.includes(entry.name)) continue
      if (entry.isDirectory()) await walk(join(folder, entry.name), `${before}${entry.name}/`)
      else if (found.push(before + entry.name) > MAX_LISTED)
        throw new PromptHubError('integrity', `${path} has more than ${MAX_LISTED} files; move it away`)
    }
  }
  await walk(place, '')
  return found
}
