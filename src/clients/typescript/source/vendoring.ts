// Owns changing a lock and the vendored files that it names: everything is fetched and checked first, then all of it appears or none. docs/lock-file.md.
import { createHash } from 'node:crypto'
import { open, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolders, putAll, readLockFile, readVendored, requireNoLink, type Staged, writeTemporary } from './files.ts'
import { emptyLock, formatLock, isSafePath, type Lock, parseLock } from './lock.ts'
import { PromptHub } from './prompt-hub.ts'
import { isVersion, readWish } from './ranges.ts'
import { PromptHubError } from './trouble.ts'

const PATIENCE_MS = 5_000

/** A prompt to be added. */
export interface Addition {
  /** `owner/name`, or with a range or label: `owner/name@^1.2`. */
  name: string
  /** Where its content goes, from the lock's folder; `prompts/{owner}/{name}.md` unless given. */
  path?: string
}

/**
 * Adds a prompt to a lock, or gives it another range, and writes its content.
 *
 * @param lockPath where `prompts.lock` lies or is to lie
 * @param url the hub, when there is no lock yet
 * @returns the version that was chosen
 */
export async function addToLock(lockPath: string, { name, path }: Addition, url?: string): Promise<string> {
  const [fullName = '', given] = name.split('@')
  const address = (await readLockFile(lockPath))?.hub ?? url
  const hub = new PromptHub(address === undefined ? {} : { url: address })
  const wish = given === undefined ? undefined : readWish(given)
  if (given !== undefined && !wish)
    throw new PromptHubError('invalid_request', `${name}: ${given} is no version, range or label.`)
  const prompt = await hub.get(wish?.kind === 'version' ? `${fullName}@${given}` : name)
  const version = prompt.version!
  const target = path ?? `prompts/${fullName}.md`
  if (!isSafePath(target))
    throw new PromptHubError('invalid_request', `${target} leaves the folder or cannot be kept everywhere.`)
  await changeLock(lockPath, hub.url, (lock) => {
    lock.prompts[fullName] = { range: given ?? `^${version}`, version, sha256: prompt.sha256!, path: target }
    return [[target, prompt.content, fullName]]
  })
  return version
}

/**
 * Writes the vendored files of a lock. Files that have the right bytes already are left as they are.
 *
 * @returns how many files were written
 * @throws PromptHubError `integrity` when the hub has other bytes: then nothing is replaced
 */
export async function installLock(lockPath: string): Promise<number> {
  const lock = await readLockFile(lockPath)
  if (!lock) throw new PromptHubError('invalid_request', `There is no lock at ${lockPath}.`)
  const hub = new PromptHub({ url: lock.hub })
  const missing = await findChanged(lockPath, lock)
  const contents = await Promise.all(
    missing.map(async (name): Promise<[string, string, string]> => {
      const { version, sha256, path } = lock.prompts[name]!
      const prompt = await hub.get(name, { version })
      if (prompt.sha256 !== sha256)
        throw new PromptHubError(
          'integrity',
          `${name}@${version}: the hub has other bytes than prompts.lock. Nothing was replaced.`,
        )
      return [path, prompt.content, name]
    }),
  )
  if (contents.length > 0) await changeLock(lockPath, lock.hub, () => contents)
  return contents.length
}

/** The prompts of a lock whose vendored file is missing or has other bytes, by full name. The hub is not asked. */
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

/**
 * Changes a lock and its files, all of them or none.
 *
 * @param change is given the lock as it is once no other run is at work; it changes that lock, and returns path, content and full name of each file to be written
 */
async function changeLock(
  lockPath: string,
  hub: string,
  change: (lock: Lock) => [string, string, string][],
): Promise<void> {
  const path = resolve(lockPath)
  const folder = dirname(path)
  const handle = await takeTurn(`${path}.new`)
  const staged: Staged[] = []
  const made: string[] = []
  try {
    const lock = (await readLockFile(path)) ?? emptyLock(hub)
    const known = new Map(Object.values(lock.prompts).map((each) => [each.path, each.sha256]))
    const contents = change(lock)
    parseLock(formatLock(lock))
    for (const [target, content, name] of contents) {
      await requireOurs(folder, target, content, name, known, lock.hub)
      const place = join(folder, target)
      await makeFolders(dirname(place), made)
      const before = await readVendored(folder, target)
      const each: Staged = { place, temporary: await writeTemporary(place, content) }
      staged.push(each)
      if (before) each.before = await writeTemporary(place, before)
    }
    await handle.writeFile(formatLock(lock))
    await handle.sync()
    await handle.close()
    await putAll([...staged, { place: path, temporary: `${path}.new` }])
  } catch (error) {
    await handle.close().catch(() => {
      // When a rename has failed, it was closed before.
    })
    for (const { temporary } of staged) await rm(temporary, { force: true })
    for (const dir of made.reverse())
      await rmdir(dir).catch(() => {
        // It is not empty any more: somebody put something into it meanwhile.
      })
    await rm(`${path}.new`, { force: true })
    throw error
  } finally {
    for (const { before } of staged) if (before !== undefined) await rm(before, { force: true })
  }
}

/** Waits until no other run is at work: of several runs, the one that could create the file goes on. */
async function takeTurn(path: string) {
  const endsAt = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await open(path, 'wx')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      if (Date.now() > endsAt)
        throw new PromptHubError('invalid_request', `${path} is there: another run is at work. Delete it if none is.`, {
          cause: error,
        })
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}

/** Keeps a file that somebody wrote by hand from being replaced: it has to hold what the lock names, what is to be written, or some version of that prompt. */
async function requireOurs(
  folder: string,
  target: string,
  content: string,
  name: string,
  known: ReadonlyMap<string, string>,
  hub: string,
): Promise<void> {
  await requireNoLink(folder, target)
  const bytes = await readVendored(folder, target)
  if (!bytes) return
  const digest = digestOf(bytes)
  if (digest === known.get(target) || digest === digestOf(new TextEncoder().encode(content))) return
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
