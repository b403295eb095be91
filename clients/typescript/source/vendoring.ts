// Changes a lock and its vendored files: fetches and verifies everything first, then writes all of it or nothing. docs/lock-file.md.
import { createHash } from 'node:crypto'
import { open, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseArguments } from './arguments.ts'
import { makeFolders, openLock, putAll, readLockFile, readVendored, type Staged, writeTemporary } from './files.ts'
import { ATTRIBUTES, planAttributes } from './git-attributes.ts'
import { formatLock, isSafePath, type Lock, parseLock, readDetails } from './lock.ts'
import { PromptHub } from './prompt-hub.ts'
import { isVersion } from './ranges.ts'
import { lockedHub } from './read-token.ts'
import { PromptHubError } from './trouble.ts'
import { findExact } from './verify.ts'

const MAX_WAIT_MS = 5_000

/** A prompt to add. */
export interface Addition {
  /** `owner/name`, or with a range or label: `owner/name@^1.2`. */
  name: string
  /** Path of its content, relative to the lock's folder; default: `prompts/{owner}/{name}.md`. */
  path?: string
}

/**
 * Adds prompts to a lock, or changes their ranges, and writes their contents: all of them or none.
 *
 * @param lockPath path of the existing or new `prompts.lock`
 * @param url the hub, if there is no lock yet
 * @param say called with instructions for the user
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
  const found = await Promise.all(additions.map((addition) => resolveAddition(hub, addition)))
  const { text, sentence } = await planAttributes(
    lockPath,
    found.map(({ locked }) => locked.path),
  )
  await changeLock(lockPath, hub.url, (lock) => {
    for (const { name, locked } of found) lock.prompts[name] = locked
    const contents: Content[] = found.map(({ name, locked, content }) => ({ path: locked.path, content, name }))
    return text === undefined ? contents : [...contents, { path: ATTRIBUTES, content: text }]
  })
  if (sentence !== undefined) say(sentence)
  return found.map(({ locked }) => locked.version)
}

async function resolveAddition(hub: PromptHub, { name: wish, path }: Addition) {
  const { fullName: name, wish: parsed } = parseArguments(wish, {})
  const given = parsed === undefined ? undefined : wish.slice(wish.indexOf('@') + 1)
  if (parsed?.kind === 'version') await requireActive(hub, name, parsed.version)
  const { version, sha256, content, variables, parameters } = await hub.get(wish)
  const details = readDetails(variables, parameters)
  if (!details)
    throw new PromptHubError('unavailable', `${name}@${version}: its variables or parameters are invalid in a lock.`)
  const target = path ?? `prompts/${name}.md`
  if (!isSafePath(target))
    throw new PromptHubError('invalid_request', `${target} leaves the folder or is not valid on every system.`)
  const locked = { range: given ?? `^${version}`, version: version!, sha256: sha256!, path: target, details }
  return { name, locked, content }
}

/** @throws PromptHubError `not_found` with the reason when a version was yanked: it can be read, but not newly installed */
async function requireActive(hub: PromptHub, name: string, version: string): Promise<void> {
  const versions = await hub.listVersions(name)
  const yanked = versions.find((row) => row.version === version && row.yanked)
  if (!yanked) return
  const active = versions.filter((row) => !row.yanked).map((row) => row.version)
  const there = active.length > 0 ? `it has: ${active.slice(0, 10).join(', ')}` : 'it has none that is not yanked'
  const reason = yanked.yank_reason ? `: ${yanked.yank_reason}` : ''
  throw new PromptHubError('not_found', `${name} ${version} was yanked${reason}; ${there}`)
}

/**
 * Writes the vendored files of a lock. Files with the right bytes are left alone.
 *
 * @param isForced whether to replace files that were changed by hand
 * @returns the number of files written
 * @throws PromptHubError `integrity` when the hub has different bytes, or a file was changed by hand; then nothing is replaced
 */
export async function installLock(lockPath: string, isForced = false): Promise<number> {
  const { lock } = await openLock(lockPath)
  const hub = new PromptHub(lockedHub(lock.hub))
  const missing = await findChanged(lockPath, lock)
  const contents = await Promise.all(
    missing.map(async (name): Promise<Content> => {
      const { version, sha256, path } = lock.prompts[name]!
      const prompt = await hub.get(name, { version })
      if (prompt.sha256 !== sha256)
        throw new PromptHubError(
          'integrity',
          `${name}@${version}: the hub has other bytes than prompts.lock. Nothing was replaced.`,
        )
      return { path, content: prompt.content, name }
    }),
  )
  if (contents.length > 0) await changeLock(lockPath, lock.hub, () => contents, isForced)
  return contents.length
}

/** The prompts of a lock whose vendored file is missing or differs, by full name. Sends no request. */
export async function findChanged(lockPath: string, lock: Lock): Promise<string[]> {
  const folder = dirname(resolve(lockPath))
  const checked = await Promise.all(
    Object.entries(lock.prompts).map(async ([name, { sha256, path }]) => {
      const bytes = await readVendored(folder, path)
      return bytes && (await findExact(bytes, sha256, path)) ? [] : [name]
    }),
  )
  return checked.flat()
}

/** The paths of files that differ only in line endings, which git changes with core.autocrlf. */
export async function findChangedEnds(lockPath: string, lock: Lock, changed: readonly string[]): Promise<string[]> {
  const folder = dirname(resolve(lockPath))
  const found = await Promise.all(
    changed.map(async (name) => {
      const { path, sha256 } = lock.prompts[name]!
      const bytes = await readVendored(folder, path)
      if (!bytes) return []
      const lf = Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n')
      const isChangedEnds = [lf, lf.replaceAll('\n', '\r\n')].some(
        (text) => digestOf(Buffer.from(text, 'latin1')) === sha256,
      )
      return isChangedEnds ? [path] : []
    }),
  )
  return found.flat()
}

/** A file to write. */
export interface Content {
  path: string
  content: string
  /** The prompt of the content; undefined for the lock's own files. */
  name?: string
}

/**
 * Changes a lock and its files: all of them or none.
 *
 * @param change gets the current lock once no other run is active; it changes the lock, and returns the files to write
 * @param isForced whether to replace files that were changed by hand
 */
export async function changeLock(
  lockPath: string,
  hub: string,
  change: (lock: Lock) => Content[],
  isForced = false,
): Promise<void> {
  const path = resolve(lockPath)
  const folder = dirname(path)
  const handle = await takeTurn(`${path}.new`)
  const staged: Staged[] = []
  const made: string[] = []
  try {
    const lock = (await readLockFile(path)) ?? { hub, prompts: {} }
    const known = new Map(Object.values(lock.prompts).map((each) => [each.path, each.sha256]))
    const before = formatLock(lock)
    const contents = change(lock)
    const text = formatLock(lock)
    parseLock(text)
    for (const { path: target, content, name } of contents) {
      const found = await readVendored(folder, target)
      if (found && name !== undefined && !isForced) {
        const expected = [known.get(target), digestOf(new TextEncoder().encode(content))]
        const matches = expected.map((sha256) => sha256 !== undefined && findExact(found, sha256, target))
        if (!(await Promise.all(matches)).some(Boolean)) await requireVersion(found, target, name, lock.hub)
      }
      const place = join(folder, target)
      await makeFolders(dirname(place), made)
      const each: Staged = { place, temporary: await writeTemporary(place, content) }
      staged.push(each)
      if (found) each.before = await writeTemporary(place, found)
    }
    await handle.writeFile(text)
    await handle.sync()
    await handle.close()
    await putAll(text === before ? staged : [...staged, { place: path, temporary: `${path}.new` }])
    await rm(`${path}.new`, { force: true })
  } catch (error) {
    await handle.close().catch(() => {
      // After a failed rename it is already closed.
    })
    for (const { temporary } of staged) await rm(temporary, { force: true })
    for (const dir of made.reverse())
      await rmdir(dir).catch(() => {
        // No longer empty: someone put a file into it in the meantime.
      })
    await rm(`${path}.new`, { force: true })
    throw error
  } finally {
    for (const { before } of staged) if (before !== undefined) await rm(before, { force: true })
  }
}

/** Waits until no other run is active. The run that creates the file may proceed. */
async function takeTurn(path: string) {
  const endsAt = Date.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return await open(path, 'wx')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      if (Date.now() > endsAt)
        throw new PromptHubError('invalid_request', `${path} exists: another run is active. Delete it if none is.`, {
          cause: error,
        })
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}

/** Protects hand-written files: a file may be replaced only if it is the locked content, the new one, or some version of that prompt. */
async function requireVersion(found: Uint8Array, target: string, name: string, hub: string): Promise<void> {
  const digest = digestOf(found)
  const versions = await new PromptHub(lockedHub(hub)).listVersions(name)
  if (versions.some(({ version, content_sha256 }) => isVersion(version) && content_sha256 === digest)) return
  throw new PromptHubError(
    'integrity',
    `${target} was changed by hand, or is another file; nothing was replaced. Move it away, or replace it: prompt-hub install --force`,
  )
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
