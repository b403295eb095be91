// Finds the name that a prompt or an owner has now, if `npm run rename` has changed it, so that old addresses redirect.
import { type Bytes, parseBuilt, type SiteFiles } from '../../built/site-files.ts'
import { DATA_FILES, unlistedPath } from '../../domain/api/data-paths.ts'
import type { User } from '../../domain/api/schema.ts'
import { splitFullName } from '../../domain/values/names.ts'
import { findSuccessor, rowsIn } from './records.ts'

/** Nobody renames a prompt more often than this. */
const MAX_NAMES = 10

/**
 * Returns the name that a prompt has now. One that only names a successor keeps its own addresses: a renamed one has each of its versions there, with the same bytes.
 *
 * @returns `owner/name`; undefined if the prompt was not renamed
 */
export async function findNewName(owner: string, name: string, siteFiles: SiteFiles): Promise<string | undefined> {
  const old = `${owner}/${name}`
  let now = old
  for (let names = 0; ; names++) {
    const next = await findSuccessor(...partsOf(now), siteFiles)
    if (next === null) break
    if (names === MAX_NAMES) return undefined
    now = next
  }
  if (now === old) return undefined
  const [own, others] = await Promise.all([old, now].map((fullName) => readDigests(fullName, siteFiles)))
  if (!own || !others) return undefined
  return own.entries().every(([version, digest]) => others.get(version) === digest) ? now : undefined
}

function partsOf(fullName: string): [owner: string, name: string] {
  const { owner = '', name = '' } = splitFullName(fullName) ?? {}
  return [owner, name]
}

async function readDigests(fullName: string, siteFiles: SiteFiles): Promise<ReadonlyMap<string, string> | undefined> {
  const bytes = await siteFiles.read(DATA_FILES.versions(...partsOf(fullName)))
  return bytes && new Map(rowsIn(bytes).map(({ version, content_sha256 }) => [version, content_sha256]))
}

/** Returns the handle that an owner has now: the one below which all of its prompts are, under their names. @returns undefined if the owner was not renamed */
export async function findNewOwner(owner: string, siteFiles: SiteFiles): Promise<string | undefined> {
  const bytes = await siteFiles.read(unlistedPath(owner))
  if (!bytes) return undefined
  const { now, name } = successors.get(bytes) ?? readOwner(bytes)
  if (now === undefined || name === undefined) return undefined
  const user = await siteFiles.read(DATA_FILES.user(owner))
  if (!user || parseBuilt<{ data: User }>(user).data.repos_count > 0) return undefined
  return (await findNewName(owner, name, siteFiles)) && now
}

/** Where all unlisted prompts of an owner are now, and the first of them. */
interface Successor {
  now: string | undefined
  name: string | undefined
}

/** Parsed once for each build: an owner may have many. */
const successors = new WeakMap<Bytes, Successor>()

function readOwner(bytes: Bytes): Successor {
  const { data } = parseBuilt<{ data: { name: string; moved_to: string | null }[] }>(bytes)
  const owner = splitFullName(data[0]?.moved_to ?? '')?.owner
  const areThere = data.every(({ name, moved_to }) => moved_to === `${owner}/${name}`)
  const found = { now: areThere ? owner : undefined, name: data[0]?.name }
  successors.set(bytes, found)
  return found
}
