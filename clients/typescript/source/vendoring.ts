// Adds prompts to a lock, and installs them: fetches and verifies everything first, then writes all of it or nothing. docs/lock-file.md.
import { dirname, resolve } from 'node:path'
import { parseArguments } from './arguments.ts'
import { changeLock, type NewPrompt } from './changing.ts'
import { openLock, readLockFile } from './files.ts'
import { explainNone } from './hub-reader.ts'
import { isSafePath, type Lock, type LockedPrompt, readDetails } from './lock.ts'
import { findDifference } from './placed.ts'
import type { PromptFacts } from './prompt.ts'
import { PromptHub } from './prompt-hub.ts'
import { refuseUnattested } from './publisher.ts'
import { lockedHub } from './read-token.ts'
import { mapRequests } from './requests.ts'
import { noticesOf, type Problem, problemsOf, refuseOtherBytes } from './review.ts'
import { readSkill } from './skill-reader.ts'
import { PromptHubError } from './trouble.ts'

/** A prompt to add. */
export interface Addition {
  /** `owner/name`, or with a range or label: `owner/name@^1.2`. */
  name: string
  /** Path of its content, relative to the lock's folder; default: `prompts/{owner}/{name}.md`. */
  path?: string
}

/** A prompt to write: its lock entry and its files. */
export interface Fetched {
  locked: LockedPrompt
  prompt: NewPrompt
}

/**
 * Adds prompts to a lock, or changes their ranges, and writes their contents: all of them or none.
 *
 * @param lockPath path of the existing or new `prompts.lock`
 * @param url the hub, if there is no lock yet
 * @param say called with warnings and instructions for the user
 * @returns the chosen versions, in the same order
 */
export async function addToLock(
  lockPath: string,
  additions: readonly Addition[],
  url?: string,
  say: (sentence: string) => void = () => {},
): Promise<string[]> {
  const names = additions.map(({ name }) => parseArguments(name, {}).fullName)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new PromptHubError('invalid_request', `${twice} is given twice`)
  const before = await readLockFile(lockPath)
  const hub = new PromptHub(before ? lockedHub(before.hub) : url === undefined ? {} : { url })
  const there = new Map(Object.entries(before?.prompts ?? {}))
  const found = await mapRequests(additions, (addition, index) =>
    resolveAddition(hub, addition, there.get(names[index]!)),
  )
  const problems = (
    await mapRequests(found, async ({ locked: { version } }, index): Promise<Problem[]> => {
      const name = names[index]!
      const locked = there.get(name)
      const { record, rows } = await hub.readState(name, locked?.version ?? version)
      // It can be read, but not newly installed.
      if (rows.some((row) => row.yanked && row.version === version))
        throw new PromptHubError('not_found', explainNone(name, version, {}, rows))
      return [...(locked ? problemsOf(name, locked, record, rows) : []), ...noticesOf(name, record)]
    })
  ).flat()
  refuseOtherBytes(problems)
  const change = (lock: Lock) => {
    for (const [index, { locked }] of found.entries()) lock.prompts[names[index]!] = locked
    return found.map(({ prompt }) => prompt)
  }
  await changeLock(lockPath, { hub: hub.url, change, say })
  for (const { message } of problems) say(`warning: ${message}`)
  return found.map(({ locked }) => locked.version)
}

/** @param locked the present entry; a skill stays one, unless there is another path */
async function resolveAddition(
  hub: PromptHub,
  { name: wish, path }: Addition,
  locked: LockedPrompt | undefined,
): Promise<Fetched> {
  const { fullName: name, wish: parsed } = parseArguments(wish, {})
  const given = parsed === undefined ? undefined : wish.slice(wish.indexOf('@') + 1)
  const skill = path === undefined && locked?.files ? locked : undefined
  const target = path ?? skill?.path ?? `prompts/${name}.md`
  if (!isSafePath(target))
    throw new PromptHubError('invalid_request', `${target} leaves the folder or is not valid on every system.`)
  const prompt = await hub.get(wish)
  const range = given ?? `^${prompt.version}`
  return fetchPrompt(hub, prompt, { range, path: target, ...(skill?.files && { files: skill.files }) })
}

/**
 * Builds the lock entry of a prompt, and collects its files; of a skill, all files are fetched.
 *
 * @param place the range and path for the lock; with `files`, it is a skill
 * @throws PromptHubError `unavailable` for a record that no lock can have, and the errors of the requests
 */
export async function fetchPrompt(
  hub: PromptHub,
  prompt: PromptFacts,
  place: Pick<LockedPrompt, 'range' | 'path' | 'files'>,
): Promise<Fetched> {
  const { name, version, sha256, content, variables, parameters, publisher } = prompt
  const { range, path } = place
  const details = readDetails(variables, parameters)
  if (!details || version === null || sha256 === null)
    throw new PromptHubError('unavailable', `${name}@${version}: its variables or parameters are invalid in a lock.`)
  const listKnown = async () => (await hub.listVersions(name)).map((row) => row.content_sha256)
  const locked = { range, version, sha256, path, ...(publisher && { publisher }), details }
  if (!place.files) {
    const files = [{ path: '', bytes: new TextEncoder().encode(content) }]
    return { locked, prompt: { path, files, listKnown } }
  }
  const files = await readSkill(hub.url, hub.requests, prompt)
  const digests = files.map(({ path, sha256 }) => ({ path, sha256 }))
  return { locked: { ...locked, files: digests }, prompt: { path, files, listKnown } }
}

/**
 * Writes the vendored files of a lock. Files with the right bytes are left alone.
 *
 * @param isForced whether to replace files that were changed by hand
 * @param isAttested whether to refuse a lock in which a version has no attestation
 * @returns the number of prompts whose files were written
 * @throws PromptHubError `integrity` when the hub has different bytes, or a file was changed by hand; then nothing is replaced
 */
export async function installLock(lockPath: string, isForced = false, isAttested = false): Promise<number> {
  const { lock } = await openLock(lockPath)
  for (const [name, { version, publisher }] of Object.entries(lock.prompts)) {
    const refused = isAttested ? refuseUnattested(`${name} ${version}`, publisher) : undefined
    if (refused !== undefined) throw new PromptHubError('integrity', `${refused}; nothing was changed`)
  }
  const hub = new PromptHub(lockedHub(lock.hub))
  const folder = dirname(resolve(lockPath))
  const found = await mapRequests(Object.entries(lock.prompts), async ([name, locked]): Promise<NewPrompt[]> => {
    if (!(await findDifference(folder, locked))) return []
    const now = await fetchPrompt(hub, await hub.get(name, { version: locked.version }), locked)
    requirePinned(name, now.locked, locked)
    return [now.prompt]
  })
  const prompts = found.flat()
  if (prompts.length > 0) await changeLock(lockPath, { hub: lock.hub, change: () => prompts, isForced })
  return prompts.length
}

/** @throws PromptHubError `integrity` unless the hub has what the lock pins of a version */
export function requirePinned(name: string, now: LockedPrompt, locked: LockedPrompt): void {
  if (pinned(now) !== pinned(locked))
    throw new PromptHubError(
      'integrity',
      `${name}@${locked.version}: the hub has other bytes than prompts.lock, or another publisher. Nothing was replaced.`,
    )
}

/** What a lock pins of a version, as one text. */
function pinned({ sha256, files = [], publisher }: LockedPrompt): string {
  return JSON.stringify([sha256, files.map((file) => `${file.path} ${file.sha256}`).sort(), publisher])
}
