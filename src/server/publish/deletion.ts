// Deletes a version or a whole prompt, for as long as its author may: one commit that deletes the files and records the numbers as used up.
import { parseBuilt } from '../../built/site-files.ts'
import { mapConcurrently } from '../../concurrency/promises.ts'
import { DATA_FILES } from '../../domain/api/data-paths.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import type { Dependent } from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type DeletionRequest, decideDeletion, readDeletionBody } from '../../domain/managing/deletion.ts'
import { readIndex, readOwner, readRepositoryState } from '../../domain/publishing/repository-state.ts'
import { isVersion, type RepositoryPlace } from '../../domain/values/names.ts'
import type { FolderState } from '../../git/git-store.ts'
import { listVersions } from '../read/records.ts'
import { type Bearer, requireRights } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'
import type { Readers } from './read-from-git.ts'
import {
  type Clock,
  changeMessage,
  openCommit,
  type ParseWrite,
  type Sending,
  type WriteDecision,
} from './write-to-git.ts'

/** Maximum number of other prompts that are read at once. */
const AT_ONCE = 4

/** What is deleted: a version, or without one, the whole prompt. */
interface Target extends DeletionRequest {
  version: string | undefined
}

/** Opens a deletion. @throws HubError `not_found` for a malformed version */
export function openDeletion(id: 'deleteRepository' | 'deleteVersion', { version = '' }: PathParameters): ParseWrite {
  if (id === 'deleteVersion' && !isVersion(version))
    throw new HubError('not_found', 'No version can have this number. Versions have the form x.y.z.')
  const isWhole = id === 'deleteRepository'
  return openCommit((body) => ({ ...readDeletionBody(body), version: isWhole ? undefined : version }), decideAttempt)
}

/** @throws HubError `forbidden` for a token of one prompt and for a CI job: what they were given for is one prompt's next versions */
function requireWhole({ owner, bearer }: Sending): void {
  if (bearer.scope === `${owner}/*`) return
  throw new HubError(
    'forbidden',
    `Only a member who is signed in, or a token for ${owner}/*, may delete a whole prompt.`,
  )
}

/** Decides an attempt: either a commit or, if it was deleted before, a response without one. */
async function decideAttempt(
  sending: Sending,
  { version, reason, dry_run }: Target,
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
  time: Clock,
): Promise<WriteDecision> {
  const { owner, name, bearer } = sending
  if (version === undefined) requireWhole(sending)
  requireRights(bearer, { owner, name }, rightOf(bearer), readOwner(owner, folder.ownerIndex))
  const state = readRepositoryState({ owner, name, versions: folder.versions.keys(), index: folder.index })
  const standing = {
    rows: await listVersions(owner, name, deps),
    including: await listIncluding({ owner, name }, version, readers, deps),
    nowMs: Math.max(folder.nowMs ?? time.now(), folder.headMs ?? 0),
  }
  const { deleted, indexText } = decideDeletion({ version, reason }, state, standing)
  const answer = {
    data: { full_name: `${owner}/${name}`, deleted, unchanged: indexText === undefined, commit: null },
  }
  if (indexText === undefined || dry_run) return { kind: 'answer', answer }
  const summary = version === undefined ? 'delete all versions' : `delete ${version}`
  return {
    kind: 'commit',
    additions: {
      owner,
      name,
      message: changeMessage(sending, `${owner}/${name}: ${summary}`),
      version: undefined,
      index: indexText,
      deleted: await listFiles(version, folder, readers, deps),
    },
    shown: { file: readIndex({ owner, name }, indexText), entry: undefined, added: undefined },
    answer,
  }
}

/** Where only trusted workflows may publish, a member who is signed in may still take back what one published, and a token may not. */
const rightOf = ({ isSignedIn }: Bearer) => (isSignedIn ? 'maintain' : 'publish')

/** Lists the versions of other prompts that include what is to be deleted: by the last build, and by what has been published since, which git confirms. */
async function listIncluding(
  place: RepositoryPlace,
  version: string | undefined,
  { readOther }: Readers,
  deps: PublishHub,
): Promise<string[]> {
  const isMeant = (part: string) => version === undefined || part === version
  const fullName = `${place.owner}/${place.name}`
  const built = await deps.siteFiles.read(DATA_FILES.dependents(place.owner, place.name))
  const dependents = built ? parseBuilt<{ data: Dependent[] }>(built).data : []
  const known = dependents
    .filter(({ includes }) => includes.some((part) => isMeant(part.version)))
    .map((one) => `${one.full_name}@${one.version}`)
  const noted = (await deps.listIncluding(place)).filter(({ part }) => isMeant(part))
  const byPrompt = Map.groupBy(noted, ({ by }) => `${by.owner}/${by.name}`)
  byPrompt.delete(fullName)
  const confirmed = await mapConcurrently(AT_ONCE, [...byPrompt], async ([other, notes]) => {
    const { folder } = await readOther(notes[0]!.by)
    return notes.flatMap(({ by }) => (folder.versions.has(by.version) ? [`${other}@${by.version}`] : []))
  })
  return [...new Set([...known.filter((address) => !address.startsWith(`${fullName}@`)), ...confirmed.flat()])]
}

/** Lists what git has of the version, or of the prompt but for its `index.md`. */
async function listFiles(
  version: string | undefined,
  { tree }: FolderState,
  { call }: Readers,
  { git }: PublishHub,
): Promise<string[]> {
  const all = tree === undefined ? [] : [...(await git.listFolder(tree, call)).keys()]
  const folders = ['versions', 'results', 'attestations'].map((folder) => `${folder}/${version}/`)
  const isMeant = (path: string) =>
    version === undefined
      ? path !== 'index.md'
      : path === `versions/${version}.md` || folders.some((folder) => path.startsWith(folder))
  const files = all.filter(isMeant)
  if (files.length <= LIMITS.deletedFiles) return files
  throw new HubError(
    'validation_failed',
    `There are ${files.length} files to delete, and the hub deletes at most ${LIMITS.deletedFiles} in one commit. Delete versions one at a time, or ask the operator of this hub to take the prompt down.`,
  )
}
