// Judges moves of labels: who may make them, and whether the versions have the results that the owner requires.
import { HubError } from '../../domain/api/errors.ts'
import type { OwnerFile, RepositoryFile } from '../../domain/content/prompt-file.ts'
import { findProtection } from '../../domain/content/protected-labels.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import { targetOf, versionsOf } from '../../domain/values/label-target.ts'
import { isTag, type RepositoryPlace } from '../../domain/values/names.ts'
import type { FolderState } from '../../git/git-store.ts'
import { findChanges } from '../read/activity.ts'
import type { Readers } from './attempts.ts'
import { type Bearer, requirePermission, requireRights } from './authenticate.ts'
import type { PublishHub } from './publish-hub.ts'

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

/** Refuses labels that a version which is being published cannot have, because it has no results yet. @throws HubError `evidence_missing` */
export function refuseConditional(
  labels: readonly string[],
  { owner }: RepositoryPlace,
  file: OwnerFile | undefined,
): void {
  for (const label of labels) {
    const protection = findProtection(file, label)
    if (protection === undefined || typeof protection === 'string') continue
    throw new HubError(
      'evidence_missing',
      `${owner} requires results before ${label} moves, and a version that is being published has none. Publish without the label ${label}, report the results of ${protection.requires.join(', ')}, then move it.`,
    )
  }
}

/**
 * Judges what a label is to point at. A version that it gets anew needs the results that the owner requires, unless it had that version before.
 *
 * @returns whether the label goes back to a version that it had before
 * @throws HubError `evidence_missing`
 */
export async function judgeMove(
  { owner, name }: RepositoryPlace,
  label: string,
  files: { was: RepositoryFile; is: RepositoryFile },
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
): Promise<boolean> {
  const was = targetOf(files.was.labels, label)
  const { version, split } = targetOf(files.is.labels, label)!
  const isMoved = was?.version !== version
  const { changes } = isMoved ? await findChanges(owner, name, deps) : { changes: [] }
  const isRestored = changes.some((one) => one.label === label && (one.from === version || one.to === version))
  const fresh = [
    ...(isMoved && !isRestored ? [version] : []),
    ...(split && !(was && versionsOf(was).includes(split.version)) ? [split.version] : []),
  ]
  const protection = findProtection(readOwner(owner, folder.ownerIndex), label)
  if (fresh.length === 0 || protection === undefined || typeof protection === 'string') return isRestored
  const [{ requireEvidence }, { readTested }] = await Promise.all([
    import('../../domain/managing/evidence.ts'),
    import('./read-from-git.ts'),
  ])
  for (const one of fresh) {
    const { content_sha256, results } = await readTested({ owner, name, version: one }, folder, readers, deps)
    requireEvidence(label, protection, { owner, name, version: one, content_sha256 }, results)
  }
  return isRestored
}
