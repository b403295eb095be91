// Serves prompts to npm, pnpm, bun and Yarn as a registry that they only read: lists of versions, and packages.

import { type Bytes, parseBuilt } from '../built/site-files.ts'
import { DATA_FILES } from '../domain/api/data-paths.ts'
import { HubError } from '../domain/api/errors.ts'
import type { PathParameters } from '../domain/api/routes.ts'
import type { VersionRecord } from '../domain/api/schema.ts'
import { printable } from '../domain/text/printable.ts'
import { isName, isOwner, isVersion } from '../domain/values/names.ts'
import type { Connect, Hub, Sources } from '../server/hub.ts'
import { findFiles, type VersionPlace } from '../server/read/files.ts'
import { encode, findNewest, findVersion } from '../server/read/records.ts'
import { respondForNpm } from '../server/refusals.ts'
import { countRequest, pathOf } from '../server/request.ts'
import { respondWith } from '../server/respond.ts'
import { formatPackument, readDigests } from './npm.ts'

/** Handles one request. Never throws. What a build has is outside the rate limit, because `npm ci` asks for every package; but the package of a skill with files is made for each request. @param parameters as in one of `NPM_PATHS` */
export async function handleNpm(request: Request, parameters: PathParameters, connect: Connect): Promise<Response> {
  const place = readPlace(parameters)
  try {
    if (!place) throw packageNotFound(request)
    const hub = await connect()
    const { owner, name, version } = place
    const [built, copy] = await Promise.all([
      hub.siteFiles.read(
        version === undefined ? DATA_FILES.npm(owner, name) : DATA_FILES.version(owner, name, version),
      ),
      version === undefined ? hub.fresh.find('repositories', owner, name) : undefined,
    ])
    const isBuilt = built !== undefined && !copy
    if (!isBuilt) await countRequest(hub)
    const bytes =
      version !== undefined
        ? await makePackage({ owner, name, version }, hub, isBuilt ? () => countRequest(hub) : undefined)
        : isBuilt
          ? built
          : await listPackage(place, hub)
    if (!bytes) throw packageNotFound(request)
    return respondWith(request, {
      bytes,
      subject: { owner, name },
      ...(version === undefined
        ? { mediaType: 'application/json', cache: 'changing' }
        : { mediaType: 'application/gzip', cache: 'immutable', hasDigest: true }),
    })
  } catch (thrown) {
    return respondForNpm(request, thrown, place)
  }
}

/** Reads what a path asks for. npm sends the slash of a package's name encoded. */
function readPlace({ package: full, scope, name, file }: PathParameters) {
  const [, owner = '', bare = ''] = /^@([^/]+)\/([^/]+)$/.exec(full?.replace(/%2f/i, '/') ?? `${scope}/${name}`) ?? []
  if (!isOwner(owner) || !isName(bare)) return undefined
  if (file === undefined) return { owner, name: bare, version: undefined }
  const version = file.startsWith(`${bare}-`) ? file.slice(bare.length + 1).replace(/\.tgz$/, '') : ''
  return isVersion(version) && file.endsWith('.tgz') ? { owner, name: bare, version } : undefined
}

/** The lists of prompts that have changed since the build, by their copies, which hosts keep. */
const listed = new WeakMap<object, Promise<Bytes>>()

/** Lists the versions of a repository that has changed since the build. Versions that the build has are not packed again. */
export async function listPackage(
  { owner, name }: { owner: string; name: string },
  sources: Sources & Pick<Hub, 'baseUrl'>,
): Promise<Bytes | undefined> {
  const { copy } = await findNewest(owner, name, sources)
  if (!copy) return undefined
  const list = async () => {
    const built = await sources.siteFiles.read(DATA_FILES.npm(owner, name))
    const { repository, versions } = copy
    const numbers = new Set(versions.map(({ version }) => version))
    const known = readDigests(built && new TextDecoder().decode(built), numbers)
    const others = [...numbers].filter((version) => !known.has(version))
    const { digestPackage } = await import('./npm-package.ts')
    // One after the other, because a package may have megabytes.
    for (const version of others) {
      const bytes = await makePackage({ owner, name, version }, sources)
      if (!bytes) throw new HubError('unavailable', `${owner}/${name}@${version} cannot be read right now. Try again.`)
      known.set(version, digestPackage(bytes))
    }
    return encode(formatPackument({ repository, versions }, known, sources.baseUrl))
  }
  const known = listed.get(copy)
  if (known !== undefined) return known
  const now = list()
  listed.set(copy, now)
  now.catch(() => listed.delete(copy))
  return now
}

/** The packages of versions without other files, by the bytes of their records, which hosts cache. */
const packages = new WeakMap<Bytes, Bytes>()

/** Makes the package of a version from its record and files. @param onWork called before much is read and packed */
async function makePackage(
  place: VersionPlace,
  sources: Sources,
  onWork?: () => Promise<void>,
): Promise<Bytes | undefined> {
  const built = await sources.siteFiles.read(DATA_FILES.version(place.owner, place.name, place.version))
  const known = built && packages.get(built)
  if (known) return known
  const record = built
    ? parseBuilt<{ data: VersionRecord }>(built).data
    : (await findVersion(place.owner, place.name, place.version, sources))?.value()
  if (!record) return undefined
  if (record.files.length > 0) await onWork?.()
  const files = await findFiles(record, sources)
  // Imported on first use, because the function that serves it serves much else.
  const { packPackage } = await import('./npm-package.ts')
  const made = packPackage(record, files)
  if (built && files.length === 0) packages.set(built, made)
  return made
}

function packageNotFound(request: Request): HubError {
  return new HubError(
    'not_found',
    `There is no package at ${printable(pathOf(request.url))}. A prompt owner/name is the package @owner/name, and /api/v1/repos lists all prompts.`,
  )
}
