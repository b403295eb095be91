// Adds prompts to a lock, and installs them: fetches and verifies everything first, then writes all of it or nothing. docs/lock-file.md.
import { dirname, resolve } from 'node:path'
import { parseArguments } from './arguments.ts'
import { openSignatures, type SignatureOptions } from './attested.ts'
import { type DenyOptions, reviewGained } from './capabilities.ts'
import { type ChangedPrompt, changedPrompt, changeLock, type NewPrompt } from './changing.ts'
import { type Addition, choosePlaces, skillNames, type Target, targetsOf } from './choosing.ts'
import { openLock, readLockFile } from './files.ts'
import { explainNone } from './hub-reader.ts'
import { type Lock, type LockedPrompt, type LockedSplit, type Place, readDetails, sortPlaces } from './lock.ts'
import { findDifferences } from './placed.ts'
import type { PromptFacts } from './prompt.ts'
import { PromptHub } from './prompt-hub.ts'
import { lockedHub } from './read-token.ts'
import { mapRequests } from './requests.ts'
import { noticesOf, type Problem, problemsOf, refuseOtherBytes, splitOf } from './review.ts'
import { readRecord, readSkill, readTools } from './skill-reader.ts'
import { grantTools, renameSkill, SKILL, type SkillFile } from './skills.ts'
import { PromptHubError } from './trouble.ts'
import { digestOf } from './verify.ts'

/** A prompt to write: its lock entry, and its files for each place where they differ. */
interface Fetched {
  locked: LockedPrompt
  prompts: NewPrompt[]
  /** What it lets agents do, for the user. */
  granted: Problem[]
}

/**
 * Adds prompts to a lock, or changes their ranges, and writes their contents: all of them or none.
 *
 * @param lockPath path of the existing or new `prompts.lock`
 * @param url the hub, if there is no lock yet
 * @param say called with warnings and instructions for the user
 * @param denying what stops the addition
 * @returns what was added, in the same order
 */
export async function addToLock(
  lockPath: string,
  additions: readonly Addition[],
  url?: string,
  say: (sentence: string) => void = () => {},
  denying: DenyOptions = {},
): Promise<ChangedPrompt[]> {
  const names = additions.map(({ name }) => parseArguments(name, {}).fullName)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new PromptHubError('invalid_request', `${twice} is given twice`)
  const before = await readLockFile(lockPath)
  const hub = new PromptHub(before ? lockedHub(before.hub) : url === undefined ? {} : { url })
  const there = new Map(Object.entries(before?.prompts ?? {}))
  const folder = dirname(resolve(lockPath))
  const named = additions.map((addition, index) => ({ ...addition, name: names[index]! }))
  const places = await choosePlaces(folder, before?.prompts ?? {}, named)
  const found = await mapRequests(additions, async ({ name: wish }, index) => {
    const prompt = await hub.get(wish)
    // @latest is as if nothing was written.
    const isWished = parseArguments(wish, {}).wish !== undefined
    const range = isWished ? wish.slice(wish.indexOf('@') + 1) : `^${prompt.version}`
    const keepsPermissions = named[index]!.keepsPermissions ?? there.get(names[index]!)?.keepsPermissions
    const wanted = { range, targets: places.get(names[index]!) ?? [], keepsPermissions }
    const fetched = await fetchPrompt(hub, folder, prompt, wanted)
    const locked = there.get(names[index]!)
    if (locked?.version === prompt.version) requirePinnedFiles(names[index]!, fetched.locked, locked)
    return fetched
  })
  const problems = (
    await mapRequests(found, async ({ locked: { version } }, index): Promise<Problem[]> => {
      const name = names[index]!
      const locked = there.get(name)
      const { record, rows } = await hub.readState(name, locked?.version ?? version)
      // It can be read, but not newly installed.
      if (rows.some((row) => row.yanked && row.version === version))
        throw new PromptHubError('not_found', explainNone(name, version, {}, rows))
      const split = splitOf(record, rows, found[index]!.locked.range, version)
      if (split) found[index]!.locked.split = split
      return [...(locked ? problemsOf(name, locked, record, rows) : []), ...noticesOf(name, record)]
    })
  ).flat()
  refuseOtherBytes(problems)
  problems.push(...found.flatMap(({ granted }) => granted))
  await mapRequests(found, async ({ locked: gained }, index) => {
    const name = names[index]!
    problems.push(...(await reviewGained(hub, name, { locked: there.get(name), gained }, before?.deny ?? [], denying)))
  })
  const change = (lock: Lock) => {
    for (const [index, { locked }] of found.entries()) lock.prompts[names[index]!] = locked
    return found.flatMap(({ prompts }) => prompts)
  }
  await changeLock(lockPath, { hub: hub.url, change, say })
  for (const { message } of problems) say(`warning: ${message}`)
  return found.map(({ locked }, index) =>
    changedPrompt(names[index]!, locked, there.get(names[index]!)?.version ?? null),
  )
}

/** What a lock shall have of a prompt. */
interface Wanted {
  range: string
  targets: readonly Target[]
  split?: LockedSplit | undefined
  keepsPermissions?: boolean | undefined
}

/**
 * Builds the lock entry of a prompt, and collects its files; of a skill, all files are fetched.
 *
 * @param folder the lock's
 * @param wanted the range and places for the lock
 * @throws PromptHubError `unavailable` for a record that no lock can have, and the errors of the requests
 */
export async function fetchPrompt(
  hub: PromptHub,
  folder: string,
  prompt: PromptFacts,
  { range, targets, split, keepsPermissions = false }: Wanted,
): Promise<Fetched> {
  const { name, version, sha256, content, variables, parameters, publisher } = prompt
  const details = readDetails(variables, parameters)
  if (!details || version === null || sha256 === null)
    throw new PromptHubError('unavailable', `${name}@${version}: its variables or parameters are invalid in a lock.`)
  const plain = [{ path: '', bytes: new TextEncoder().encode(content) }]
  const plainSkill = targets.some(({ isSkill }) => isSkill) ? await readSkill(hub.url, hub.requests, prompt) : []
  const isGranting = keepsPermissions && plainSkill.length > 0
  const tools = isGranting ? readTools(await readRecord(hub.url, hub.requests, { name, version })) : []
  const skill = tools.length > 0 ? await grant(`${name} ${version}`, plainSkill, tools) : plainSkill
  const granted: Problem[] =
    tools.length > 0
      ? [
          {
            kind: 'permissions',
            message: `${name} ${version} lets agents use these tools without a question: ${tools.join(' ')}`,
          },
        ]
      : []
  const written = await Promise.all(
    targets.map(async ({ path, isSkill }) => ({
      path,
      isSkill,
      files: isSkill ? await nameSkill(name, path, skill) : plain,
    })),
  )
  const places = written.map(
    ({ path, isSkill, files }): Place => (isSkill ? { path, files: digestsOf(files) } : { path }),
  )
  const second = split && { split }
  const locked: LockedPrompt = {
    range,
    version,
    sha256,
    places: sortPlaces(places),
    ...(publisher && { publisher }),
    ...second,
    ...(keepsPermissions && { keepsPermissions }),
    details,
  }
  const differing = (await findDifferences(folder, locked)).map(({ place }) => place.path)
  const listKnown = async () => (await hub.listVersions(name)).map((row) => row.content_sha256)
  const prompts = written
    .filter(({ path }) => differing.includes(path))
    .map(({ path, files }) => ({ path, files, listKnown }))
  return { locked, prompts, granted }
}

type Written = Partial<SkillFile> & { path: string; bytes: Uint8Array<ArrayBuffer> }

function digestsOf(files: readonly Written[]): SkillFile[] {
  return files.map(({ path, sha256 = '' }) => ({ path, sha256 }))
}

/** Lets the SKILL.md of a skill grant the tools that it asks for. */
function grant(what: string, files: readonly Written[], tools: readonly unknown[]): Promise<readonly Written[]> {
  const refusal = `${what}: its permissions are invalid; add it without --keep-permissions`
  return changeSkill(files, (skill) => grantTools(skill, tools), refusal)
}

/** Gives the files of a skill the name of their folder, if that is the second one. */
async function nameSkill(fullName: string, folder: string, files: readonly Written[]): Promise<readonly Written[]> {
  const name = folder.split('/').at(-1)!
  if (!skillNames(fullName).slice(1).includes(name)) return files
  return changeSkill(
    files,
    (skill) => renameSkill(skill, name),
    `${fullName}: its ${SKILL} does not begin with a name.`,
  )
}

/** Changes the SKILL.md in a list of files. @param refusal what is said if it cannot be changed */
function changeSkill(
  files: readonly Written[],
  change: (skill: Written['bytes']) => Written['bytes'] | undefined,
  refusal: string,
): Promise<readonly Written[]> {
  return Promise.all(
    files.map(async (file) => {
      if (file.path !== SKILL) return file
      const bytes = change(file.bytes)
      if (!bytes) throw new PromptHubError('unavailable', refusal)
      return { path: SKILL, bytes, sha256: await digestOf(bytes, SKILL) }
    }),
  )
}

/** What an installation takes. */
export interface InstallOptions extends SignatureOptions {
  /** Replaces files that were changed by hand. */
  isForced?: boolean
  /** Refuses a lock in which a version has no attestation or, if the package `sigstore` is installed, one that does not verify. */
  isAttested?: boolean
  /** Called with what could not be verified. */
  say?: (sentence: string) => void
}

/**
 * Writes the vendored files of a lock. Files with the right bytes are left alone.
 *
 * @returns the prompts whose files were written
 * @throws PromptHubError `integrity` when the hub has different bytes, or a file was changed by hand; then nothing is replaced
 */
export async function installLock(
  lockPath: string,
  { isForced = false, isAttested = false, say = () => {}, ...checks }: InstallOptions = {},
): Promise<ChangedPrompt[]> {
  if (checks.trustedRoot !== undefined && !isAttested)
    throw new PromptHubError(
      'invalid_request',
      '--trusted-root: expected --require-attestation beside it, because without it no signature is verified',
    )
  const { lock } = await openLock(lockPath)
  const hub = new PromptHub(lockedHub(lock.hub))
  if (isAttested) {
    const signatures = openSignatures(hub, checks)
    const unverified = await mapRequests(Object.entries(lock.prompts), async ([name, locked]) => {
      await signatures.require(name, locked)
      return signatures.check(name, locked)
    })
    for (const sentence of new Set(unverified)) if (sentence !== undefined) say(`note: ${sentence}`)
  }
  const folder = dirname(resolve(lockPath))
  const found = await mapRequests(Object.entries(lock.prompts), async ([name, locked]) => {
    if ((await findDifferences(folder, locked)).length === 0) return []
    const { range, keepsPermissions } = locked
    const wanted = { range, targets: targetsOf(locked), keepsPermissions }
    const now = await fetchPrompt(hub, folder, await hub.get(name, { version: locked.version }), wanted)
    requirePinned(name, now.locked, locked)
    return [{ changed: changedPrompt(name, locked), prompts: now.prompts }]
  })
  const written = found.flat()
  const prompts = written.flatMap((each) => each.prompts)
  if (written.length > 0) await changeLock(lockPath, { hub: lock.hub, change: () => prompts, isForced })
  return written.map(({ changed }) => changed)
}

/** @throws PromptHubError `integrity` unless the hub has what the lock pins of a version */
export function requirePinned(name: string, now: LockedPrompt, locked: LockedPrompt): void {
  if (pinned(now) !== pinned(locked)) throw otherBytes(name, locked.version, ', or another publisher')
}

/** @throws PromptHubError `integrity` unless the files in the places of a version are those of the lock; only its SKILL.md changes if it grants tools now, or does no more */
function requirePinnedFiles(name: string, now: LockedPrompt, locked: LockedPrompt): void {
  const isSameGrant = Boolean(now.keepsPermissions) === Boolean(locked.keepsPermissions)
  const common = ({ sha256, places }: LockedPrompt, { places: others }: LockedPrompt) => ({
    sha256,
    places: sortPlaces(places)
      .filter(({ path }) => others.some((other) => other.path === path))
      .map(({ path, files = [] }) => ({ path, files: files.filter((file) => isSameGrant || file.path !== SKILL) })),
  })
  if (pinned(common(now, locked)) !== pinned(common(locked, now))) throw otherBytes(name, locked.version)
}

const otherBytes = (name: string, version: string, more = '') =>
  new PromptHubError(
    'integrity',
    `${name}@${version}: the hub has other bytes than prompts.lock${more}. Nothing was replaced.`,
  )

/** What a lock pins of a version, as one text. */
function pinned({ sha256, places, publisher }: Pick<LockedPrompt, 'sha256' | 'places' | 'publisher'>): string {
  const digests = places.map(({ path, files = [] }) => [
    path,
    files.map((file) => `${file.path} ${file.sha256}`).sort(),
  ])
  return JSON.stringify([sha256, digests, publisher])
}
