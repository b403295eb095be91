// Changes a lock and its vendored files: all of them or none. docs/lock-file.md
import { dirname, resolve } from 'node:path'
import { readLockFile, readVendored, write } from './files.ts'
import { ATTRIBUTES, planAttributes } from './git-attributes.ts'
import { formatLock, type Lock, type LockedPrompt, type Place, parseLock } from './lock.ts'
import { findDifference, listFolder } from './placed.ts'
import { deletePlaced, isFolder, type NewFiles, replaceFiles, restoreFolder, takeTurn } from './replacing.ts'
import { PromptHubError } from './trouble.ts'
import { digestOf, findExact } from './verify.ts'

/** The files of a prompt to write next to a lock. */
export interface NewPrompt extends NewFiles {
  /** Lists the digests of all versions of the prompt. A file that is one of them was not edited. */
  listKnown(): Promise<readonly string[]>
}

/** A prompt whose files were written or deleted. */
export interface ChangedPrompt {
  name: string
  /** The version that was locked before, or null. */
  from: string | null
  version: string
  paths: string[]
}

/** Describes what was done with the files of a locked prompt. @param from default: the version did not change */
export const changedPrompt = (
  name: string,
  { version, places }: Pick<LockedPrompt, 'version' | 'places'>,
  from: string | null = version,
): ChangedPrompt => ({ name, from, version, paths: places.map(({ path }) => path) })

/** How to change a lock. */
export interface Change {
  /** The URL of a new lock. */
  hub: string
  /** Gets the current lock once no other run is active; changes the lock, and returns the files to write. */
  change(lock: Lock): readonly NewPrompt[]
  /** Called with instructions for the user. */
  say?(sentence: string): void
  /** Whether to replace files that were changed by hand. */
  isForced?: boolean
}

/** Changes a lock and its files: all of them or none. */
export async function changeLock(lockPath: string, change: Change): Promise<void> {
  await write(async () => changeWhole(lockPath, change))
}

async function changeWhole(lockPath: string, { hub, change, say = () => {}, isForced = false }: Change): Promise<void> {
  const path = resolve(lockPath)
  const folder = dirname(path)
  let sentence: string | undefined
  const left: Place[] = []
  await takeTurn(path, async (turn) => {
    const lock = (await readLockFile(path)) ?? { hub, prompts: {} }
    const before = placesIn(lock)
    for (const { place } of before.values()) if (place.files) await restoreFolder(folder, place.path)
    const unchanged = formatLock(lock)
    const prompts = change(lock)
    const text = formatLock(lock)
    parseLock(text)
    if (!isForced) await requireUnedited(folder, before, prompts)
    const targets: NewFiles[] = [...prompts]
    const now = placesIn(lock)
    const added = [...now.values()].map(({ place }) => place).filter(({ path }) => !before.has(path))
    if (added.length > 0) {
      const planned = await planAttributes(path, added)
      sentence = planned.sentence
      if (planned.text !== undefined)
        targets.push({ path: ATTRIBUTES, files: [{ path: '', bytes: new TextEncoder().encode(planned.text) }] })
    }
    // Compared before anything changes: a link in a path is an error.
    const edited: string[] = []
    for (const { locked, place } of before.values()) {
      if (now.has(place.path)) continue
      const difference = await findDifference(folder, locked, place)
      if (difference && difference.kind !== 'missing') edited.push(difference.path)
      else left.push(place)
    }
    for (const { path } of left) say(`deletes ${path}`)
    for (const each of edited) say(`${each} was changed by hand and stays`)
    await replaceFiles(path, targets, turn, text === unchanged ? undefined : text)
  })
  if (sentence !== undefined) say(sentence)
  for (const { path } of left)
    await deletePlaced(folder, path).catch((error: Error) =>
      say(`${path} cannot be deleted and stays: ${error.message}`),
    )
}

/** @param before the places in the lock @throws PromptHubError `integrity` if somebody has edited a file that would be replaced */
export async function requireUnedited(
  folder: string,
  before: ReadonlyMap<string, PlaceInLock>,
  prompts: readonly NewPrompt[],
): Promise<void> {
  for (const each of prompts) await requireOneUnedited(folder, each, before.get(each.path))
}

/** A place in a lock, and its prompt. */
interface PlaceInLock {
  locked: LockedPrompt
  place: Place
}

/** Each place in a lock, by its path. */
export function placesIn({ prompts }: Lock): Map<string, PlaceInLock> {
  const all = Object.values(prompts).flatMap((locked) => locked.places.map((place) => ({ locked, place })))
  return new Map(all.map((each) => [each.place.path, each]))
}

/** Protects files that somebody has edited: a file may be replaced only if it is the locked one, the new one, or, for a prompt that is not a skill, some version of it. */
async function requireOneUnedited(folder: string, prompt: NewPrompt, before: PlaceInLock | undefined): Promise<void> {
  const fresh = await Promise.all(
    prompt.files.map(async ({ path, bytes }) => ({ path, sha256: await digestOf(bytes, path) })),
  )
  const locked = before && (before.place.files ?? [{ path: '', sha256: before.locked.sha256 }])
  const known = [...fresh, ...(locked ?? [])]
  for (const name of isFolder(prompt) ? await listFolder(folder, prompt.path) : ['']) {
    const path = name === '' ? prompt.path : `${prompt.path}/${name}`
    const found = await readVendored(folder, path)
    if (!found) continue
    const isOneOf = async (digests: readonly string[]) =>
      (await Promise.all(digests.map((sha256) => findExact(found, sha256, path)))).some(Boolean)
    if (await isOneOf(known.filter((each) => each.path === name).map(({ sha256 }) => sha256))) continue
    if (isFolder(prompt) || !(await isOneOf(await prompt.listKnown())))
      throw new PromptHubError(
        'integrity',
        `${path} was changed by hand, or is another file; nothing was replaced. Move it away${locked ? ', or replace it: prompt-hub install --force' : ''}`,
      )
  }
}
