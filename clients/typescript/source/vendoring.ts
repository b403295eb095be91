// Changes a lock and its vendored files: fetches and verifies everything first, then writes all of it or nothing. docs/lock-file.md.
import { createHash } from 'node:crypto'
import { open, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolders, openLock, putAll, readLockFile, readVendored, type Staged, writeTemporary } from './files.ts'
import { ATTRIBUTES, planAttributes } from './git-attributes.ts'
import { formatLock, isSafePath, type Lock, parseLock, readDetails } from './lock.ts'
import { PromptHub } from './prompt-hub.ts'
import { isVersion } from './ranges.ts'
import { PromptHubError } from './trouble.ts'

const MAX_WAIT_MS = 5_000

/** A prompt to add. */
export interface Addition {
  /** `owner/name`, or with a range or label: `owner/name@^1.2`. */
  name: string
  /** Path of its content, relative to the lock's folder; default: `prompts/{owner}/{name}.md`. */
  path?: string
}

/**
 * Adds a prompt to a lock, or changes its range, and writes its content.
 *
 * @param lockPath path of the existing or new `prompts.lock`
 * @param url the hub, if there is no lock yet
 * @param say called with instructions for the user
 * @returns the chosen version
 */
export async function addToLock(
  lockPath: string,
  { name, path }: Addition,
  url?: string,
  say: (sentence: string) => void = () => {},
): Promise<string> {
  const [fullName = '', given] = name.split('@')
  const before = await readLockFile(lockPath)
  const hubUrl = before?.hub ?? url
  const hub = new PromptHub(hubUrl === undefined ? {} : { url: hubUrl })
  if (given !== undefined && isVersion(given)) await requireActive(hub, fullName, given)
  const prompt = await hub.get(name)
  const version = prompt.version!
  const details = readDetails(prompt.variables, prompt.parameters)
  if (!details)
    throw new PromptHubError(
      'unavailable',
      `${fullName}@${version}: its variables or parameters are invalid in a lock.`,
    )
  const target = path ?? `prompts/${fullName}.md`
  if (!isSafePath(target))
    throw new PromptHubError('invalid_request', `${target} leaves the folder or is not valid on every system.`)
  const { text, sentence } = await planAttributes(lockPath, target)
  await changeLock(lockPath, hub.url, (lock) => {
    lock.prompts[fullName] = { range: given ?? `^${version}`, version, sha256: prompt.sha256!, path: target, details }
    const contents: Content[] = [{ path: target, content: prompt.content, name: fullName }]
    return text === undefined ? contents : [...contents, { path: ATTRIBUTES, content: text }]
  })
  if (sentence !== undefined) say(sentence)
  return version
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
 * @returns the number of files written
 * @throws PromptHubError `integrity` when the hub has different bytes; then nothing is replaced
 */
export async function installLock(lockPath: string): Promise<number> {
  const { lock } = await openLock(lockPath)
  const hub = new PromptHub({ url: lock.hub })
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
  if (contents.length > 0) await changeLock(lockPath, lock.hub, () => contents)
  return contents.length
}

/** The prompts of a lock whose vendored file is missing or differs, by full name. Sends no request. */
export async function findChanged(lockPath: string, lock: Lock): Promise<string[]> {
  const folder = dirname(resolve(lockPath))
  const checked = await Promise.all(
    Object.entries(lock.prompts).map(async ([name, { sha256, path }]) => {
      const bytes = await readVendored(folder, path)
      return bytes && digestOf(bytes) === sha256 ? [] : [name]
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
interface Content {
  path: string
  content: string
  /** The prompt of the content; undefined for the lock's own files. */
  name?: string
}

/**
 * Changes a lock and its files: all of them or none.
 *
 * @param change gets the current lock once no other run is active; it changes the lock, and returns the files to write
 */
async function changeLock(lockPath: string, hub: string, change: (lock: Lock) => Content[]): Promise<void> {
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
      if (found && name !== undefined) {
        const expected = [known.get(target), digestOf(new TextEncoder().encode(content))]
        if (!expected.includes(digestOf(found))) await requireVersion(found, target, name, lock.hub)
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
  const versions = await new PromptHub({ url: hub }).listVersions(name)
  if (versions.some(({ version, content_sha256 }) => isVersion(version) && content_sha256 === digest)) return
  throw new PromptHubError(
    'integrity',
    `${target} was changed by hand. Move it away, then try again; nothing was replaced.`,
  )
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
