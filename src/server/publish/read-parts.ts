// Reads the versions that a publish includes: from git for a publish, and from records for a check.
import { isComposed, type WrittenPart } from '../../domain/compose/compose-version.ts'
import type { RepositoryState } from '../../domain/publishing/repository-state.ts'
import type { PublishInput } from '../../domain/publishing/request.ts'
import { type RepositoryPlace, splitFullName } from '../../domain/values/names.ts'
import { mapConcurrently } from '../../ports/map-concurrently.ts'
import type { TextWork } from '../../ports/text-work.ts'
import type { Sources } from '../hub.ts'
import { findVersion, findVersions } from '../read/records.ts'
import type { ReadOther } from './attempts.ts'

/** Maximum number of repositories, and then of versions, that are read at once. */
const AT_ONCE = 4

/** A repository that is included, and its versions. */
interface Neighbour {
  state: RepositoryState
  readVersion: (version: string) => Promise<Pick<WrittenPart, 'text' | 'hasFiles'>>
}

/** Reads a repository that a line includes. */
type ReadNeighbour = (place: RepositoryPlace) => Promise<Neighbour>

/** Reads repositories from git. @param readOther reads a repository at the commit that the attempt builds on */
export function neighboursInGit(readOther: ReadOther, text: TextWork): ReadNeighbour {
  return async (place) => {
    const { folder, readVersion } = await readOther(place)
    const found = { ...place, versions: [...folder.versions.keys()], index: folder.index }
    return {
      state: await text.run('readState', found),
      readVersion: async (version) => ({
        text: await readVersion(version),
        hasFiles: folder.folders.has(version),
      }),
    }
  }
}

/** Reads repositories from the build and the fresh copies. */
export function neighboursInRecords(deps: Sources & { text: TextWork }): ReadNeighbour {
  return async ({ owner, name }) => {
    const found = await findVersions(owner, name, deps)
    const standing = found && { repository: found.repository.value(), versions: found.versions.value() }
    return {
      state: await deps.text.run('recallState', { owner, name }, standing),
      readVersion: async (version) => {
        const record = (await findVersion(owner, name, version, deps))?.value()
        if (!record) return { text: undefined, hasFiles: false }
        return { text: await deps.text.run('formatPublished', record), hasFiles: record.bundle_sha256 !== null }
      },
    }
  }
}

/**
 * Resolves the include lines of a publish and reads the versions.
 *
 * @param latest the file of the latest version of the prompt itself
 * @returns the versions in the order of the lines; none if the publish is not composed
 * @throws HubError `validation_failed` for lines that name nothing to include; also the errors of git
 */
export async function readParts(
  body: PublishInput,
  state: RepositoryState,
  latest: string | undefined,
  readNeighbour: ReadNeighbour,
  text: TextWork,
): Promise<WrittenPart[]> {
  if (!isComposed(body)) return []
  const { owner, name } = state
  const found = await text.run('findIncludes', body, state, latest)
  const names = new Set(found.lines.map(({ repository }) => repository))
  // A prompt that includes itself is refused below, without reading it again.
  names.delete(`${owner}/${name}`)
  const read = await mapConcurrently(AT_ONCE, [...names], async (repository) => {
    return [repository, await readNeighbour(splitFullName(repository)!)] as const
  })
  const neighbours = new Map(read)
  const known = [...neighbours.values()].map((one) => one.state)
  const resolved = await text.run('resolveIncludes', { owner, name }, found, known)
  const addresses = new Map(resolved.map((one) => [`${one.repository}@${one.version}`, one]))
  const files = new Map(
    await mapConcurrently(AT_ONCE, [...addresses], async ([address, { repository, version }]) => {
      return [address, await neighbours.get(repository)!.readVersion(version)] as const
    }),
  )
  return resolved.map((one) => ({ ...one, ...files.get(`${one.repository}@${one.version}`)! }))
}
