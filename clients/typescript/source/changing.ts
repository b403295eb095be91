// Changes a lock and its vendored files: all of them or none. docs/lock-file.md
import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readLockFile, readVendored } from './files.ts'
import { ATTRIBUTES, planAttributes } from './git-attributes.ts'
import { formatLock, type Lock, type LockedPrompt, parseLock } from './lock.ts'
import { type Difference, findDifference, listFolder } from './placed.ts'
import { deletePlaced, isFolder, type NewFiles, replaceFiles, restoreFolder, takeTurn } from './replacing.ts'
import { PromptHubError } from './trouble.ts'
import { digestOf, findExact } from './verify.ts'

/** The files of a prompt to write next to a lock. */
export interface NewPrompt extends NewFiles {
  /** Lists the digests of all versions of the prompt. A file that is one of them was not edited. */
  listKnown(): Promise<readonly string[]>
}

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
export async function changeLock(
  lockPath: string,
  { hub, change, say = () => {}, isForced = false }: Change,
): Promise<void> {
  const path = resolve(lockPath)
  const folder = dirname(path)
  let sentence: string | undefined
  const left: { old: LockedPrompt; now: string | undefined; difference: Difference | undefined }[] = []
  await takeTurn(path, async (turn) => {
    const lock = (await readLockFile(path)) ?? { hub, prompts: {} }
    const before = { ...lock.prompts }
    for (const each of Object.values(before)) if (each.files) await restoreFolder(folder, each.path)
    const unchanged = formatLock(lock)
    const prompts = change(lock)
    const text = formatLock(lock)
    parseLock(text)
    for (const each of isForced ? [] : prompts) {
      const locked = Object.values(before).find((there) => there.path === each.path)
      await requireUnedited(folder, each, locked)
    }
    const targets: NewFiles[] = [...prompts]
    const added = Object.entries(lock.prompts).filter(([name, { path }]) => before[name]?.path !== path)
    if (added.length > 0) {
      const places = added.map(([, each]) => each)
      const planned = await planAttributes(path, places)
      sentence = planned.sentence
      if (planned.text !== undefined)
        targets.push({ path: ATTRIBUTES, files: [{ path: '', bytes: new TextEncoder().encode(planned.text) }] })
    }
    // Compared before anything changes: a link in a path is an error.
    for (const [name, old] of Object.entries(before)) {
      const now = lock.prompts[name]?.path
      if (now !== old.path) left.push({ old, now, difference: await findDifference(folder, old) })
    }
    await replaceFiles(path, targets, turn, text === unchanged ? undefined : text)
  })
  if (sentence !== undefined) say(sentence)
  for (const { old, now, difference } of left) {
    if (now !== undefined && (await isSame(join(folder, old.path), join(folder, now)))) continue
    if (difference && difference.kind !== 'missing') say(`${difference.path} was changed by hand and stays`)
    else
      await deletePlaced(folder, old.path).catch((error: Error) =>
        say(`${old.path} cannot be deleted and stays: ${error.message}`),
      )
  }
}

/** Whether two paths lead to the same file, as those that differ only in case do on macOS and Windows. */
async function isSame(...paths: [string, string]): Promise<boolean> {
  const stats = paths.map((path) => stat(path, { bigint: true }).catch(() => undefined))
  const [one, other] = await Promise.all(stats)
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/** Protects files that somebody has edited: a file may be replaced only if it is the locked one, the new one, or, for a prompt that is not a skill, some version of it. */
async function requireUnedited(folder: string, prompt: NewPrompt, locked: LockedPrompt | undefined): Promise<void> {
  const fresh = await Promise.all(
    prompt.files.map(async ({ path, bytes }) => ({ path, sha256: await digestOf(bytes, path) })),
  )
  const known = [...fresh, ...(locked ? (locked.files ?? [{ path: '', sha256: locked.sha256 }]) : [])]
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
