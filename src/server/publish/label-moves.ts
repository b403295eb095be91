// Judges moves of labels: who may make them, whether the versions have the results that the owner requires, and whether a member must approve what they can do.
import { mapConcurrently } from '../../concurrency/promises.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import type { OwnerFile, RepositoryFile } from '../../domain/content/prompt-file.ts'
import { findProtection, needsApproval, type ProtectedLabel } from '../../domain/content/protected-labels.ts'
import type { Capability } from '../../domain/inspect/kinds.ts'
import type { LabelledVersion } from '../../domain/managing/approval.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import { targetOf, versionsAt } from '../../domain/values/label-target.ts'
import { isTag, type RepositoryPlace } from '../../domain/values/names.ts'
import type { FolderState } from '../../git/git-store.ts'
import { findChanges } from '../read/activity.ts'
import { findCapabilities } from '../read/capabilities.ts'
import { inspectVersion } from '../read/inspect-in-thread.ts'
import { findVersion } from '../read/records.ts'
import { type Bearer, requirePermission, requireRights } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'
import { type Readers, readTested } from './read-from-git.ts'

/** @throws HubError `not_found` for a path that no label can have */
export function requireLabelName(label: string): void {
  if (isTag(label)) return
  throw new HubError(
    'not_found',
    'No label can have this name. Labels are lower-case words joined by single hyphens, at most 36 characters.',
  )
}

/** @throws HubError `forbidden`; a protected label requires a higher permission than others */
export function requireLabelRights(
  bearer: Bearer,
  place: RepositoryPlace,
  label: string,
  file: OwnerFile | undefined,
): void {
  const isProtected = findProtection(file, label) !== undefined
  const needed = isProtected ? 'maintain' : 'label'
  requirePermission(bearer, needed, isProtected ? `${place.owner} protects the label ${label}. ` : '')
  requireRights(bearer, place, needed, file)
}

/** A move of a label that is being judged. */
interface JudgedMove {
  owner: string
  name: string
  label: string
  bearer: Pick<Bearer, 'isSignedIn'>
  /** What the owner requires of the label. */
  protection: ProtectedLabel | undefined
  /** The versions that the label has now. */
  present: readonly string[]
}

/** A version that is being published. */
interface NewVersion {
  record: VersionRecord
  /** The files beside its SKILL.md, by path. */
  files: Parameters<typeof inspectVersion>[1]
  ownerFile: OwnerFile | undefined
  /** The labels of the prompt now. */
  was: RepositoryFile['labels']
}

/** Judges a label of a version that is being published: it has no results yet, and what it can do may be new. @throws HubError `evidence_missing`, `approval_needed` */
export async function judgeNewVersion(
  { owner, name, bearer }: RepositoryPlace & { bearer: Pick<Bearer, 'isSignedIn'> },
  label: string,
  { record, files, ownerFile, was }: NewVersion,
  deps: PublishHub,
): Promise<void> {
  const protection = findProtection(ownerFile, label)
  if (typeof protection !== 'object') return
  if (protection.requires)
    throw new HubError(
      'evidence_missing',
      `${owner} requires results before ${label} moves, and a version that is being published has none. Publish without the label ${label}, report the results of ${protection.requires.join(', ')}, then move it.`,
    )
  const move = { owner, name, label, bearer, protection, present: versionsAt(was, label) }
  const inspect = () => deps.runLong(inspectVersion, record, record.skill ? files : [])
  await judgeCapabilities(move, [{ version: record.version, inspect }], deps)
}

/**
 * Judges what a label is to point at. A version that it gets anew needs the results that the owner requires, unless it had that version before; and a member, where it has new capabilities.
 *
 * @returns whether the label goes back to a version that it had before
 * @throws HubError `evidence_missing`, `approval_needed`, `unavailable`
 */
export async function judgeMove(
  { owner, name, bearer }: RepositoryPlace & { bearer: Pick<Bearer, 'isSignedIn'> },
  label: string,
  files: { was: RepositoryFile; is: RepositoryFile },
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
): Promise<boolean> {
  const was = targetOf(files.was.labels, label)
  const { version } = targetOf(files.is.labels, label)!
  const isMoved = was?.version !== version
  const { changes } = isMoved ? await findChanges(owner, name, deps) : { changes: [] }
  const isRestored = changes.some((one) => one.label === label && (one.from === version || one.to === version))
  const present = versionsAt(files.was.labels, label)
  const fresh = versionsAt(files.is.labels, label).filter((one) => !present.includes(one))
  const second = fresh.filter((one) => one !== version)
  const protection = findProtection(readOwner(owner, folder.ownerIndex), label)
  if (typeof protection !== 'object') return isRestored
  if (protection.requires) {
    const { requireEvidence } = await import('../../domain/managing/evidence.ts')
    for (const one of [...(isMoved && !isRestored ? [version] : []), ...second]) {
      const { content_sha256, results } = await readTested({ owner, name, version: one }, folder, readers, deps)
      requireEvidence(label, protection, { owner, name, version: one, content_sha256 }, results)
    }
  }
  const inspected = fresh.map((one) => ({ version: one, inspect: () => inspectServed({ owner, name }, one, deps) }))
  await judgeCapabilities({ owner, name, label, bearer, protection, present }, inspected, deps)
  return isRestored
}

/** Judges what versions can do that those of the label cannot, where a member must approve that. A version that the label had before is no exception: why it lost it is not known. @throws HubError `approval_needed`, `unavailable` */
async function judgeCapabilities(
  { owner, name, label, bearer, protection, present }: JudgedMove,
  fresh: readonly { version: string; inspect: () => Promise<readonly Capability[]> }[],
  deps: PublishHub,
): Promise<void> {
  if (bearer.isSignedIn || !needsApproval(protection)) return
  const { requireApproval } = await import('../../domain/managing/approval.ts')
  let known: LabelledVersion[] | undefined
  for (const { version, inspect } of fresh) {
    known ??= await mapConcurrently(1, present, async (one) => {
      return { version: one, capabilities: await inspectServed({ owner, name }, one, deps) }
    })
    const place = { owner, name, label, baseUrl: deps.baseUrl }
    requireApproval(place, known, { version, capabilities: await inspect() })
  }
}

/** Returns what a version can do. @throws HubError `unavailable` if the hub does not serve it, so that nothing moves that nobody has inspected */
async function inspectServed(
  { owner, name }: RepositoryPlace,
  version: string,
  deps: PublishHub,
): Promise<readonly Capability[]> {
  const record = (await findVersion(owner, name, version, deps))?.value()
  if (record) return findCapabilities(record, deps)
  throw new HubError(
    'unavailable',
    `This hub does not serve ${owner}/${name}@${version} yet, so it cannot say what it can do. Try again in five seconds.`,
    { retryAfterSeconds: 5 },
  )
}
