// Decides what a change to a repository writes: a new `index.md`, nothing, or an error. Pure.
import { HubError } from '../api/errors.ts'
import { DEFAULT_REPOSITORY_FILE, editKeys, type RepositoryFile, replaceBody } from '../content/prompt-file.ts'
import { checkNames } from '../content/rules.ts'
import { type RepositoryState, readIndex } from '../publishing/repository-state.ts'
import { invalidField, validationFailed } from '../publishing/request.ts'
import { isSameJson } from '../text/json.ts'
import type { KeyChange } from '../text/yaml-edit.ts'
import { describeTarget, formatTarget, type LabelTarget, labelsWith, targetOf } from '../values/label-target.ts'
import { titleFromName } from '../values/names.ts'
import type { Change, ExpectedTarget, PatchFields } from './request.ts'

/** The result of a change. */
interface ChangeDecision {
  /** The new content of `index.md`; undefined if nothing changed. */
  indexText: string | undefined
  /** The parsed `index.md` after the change. */
  file: RepositoryFile
  /** What changed, for the commit message: only names, numbers and fields, never user text. */
  summary: string
}

/** The repositories named by a change, by full name. */
export type NamedRepositories = Map<string, Pick<RepositoryFile, 'moved_to'>>

/**
 * Decides the result of a change.
 *
 * @param named the repositories named by `moved_to` and `replaced_by`
 * @param salt that of a split which begins
 * @throws HubError `not_found`, `repo_archived`, `version_conflict`, `validation_failed`; `upstream_error` when `index.md` cannot be read
 */
export function decideChange(
  change: Change,
  state: RepositoryState,
  named: NamedRepositories,
  salt: string,
): ChangeDecision {
  const { owner, name, file } = state
  const fullName = `${owner}/${name}`
  if (state.versions.length === 0)
    throw new HubError(
      'not_found',
      `There is no repository ${fullName}. Publish its first version before you change it.`,
    )
  refuseArchived(change, fullName, file)
  const edits = editsOf(change, state, named, salt)
  if (edits.keys.length === 0 && edits.readme === undefined)
    return { indexText: undefined, file, summary: edits.summary }
  const text = editKeys(state.indexText ?? '---\n---\n', edits.keys)
  const indexText = edits.readme === undefined ? text : replaceBody(text, edits.readme)
  return { indexText, file: readIndex(state, indexText), summary: edits.summary }
}

/** What can be changed of an archived repository. */
const OF_STATUS: ReadonlySet<string> = new Set(['status', 'status_message', 'replaced_by'])

function refuseArchived(change: Change, fullName: string, { status }: RepositoryFile): void {
  if (status !== 'archived') return
  if (change.kind === 'patch' && Object.keys(change.fields).every((field) => OF_STATUS.has(field))) return
  throw archivedError(fullName)
}

/** Returns the error for a change of an archived repository. */
export function archivedError(fullName: string): HubError {
  return new HubError(
    'repo_archived',
    `${fullName} is archived, so only its status can be changed. Set its status to active first.`,
  )
}

interface Edits {
  keys: KeyChange[]
  readme?: string | undefined
  summary: string
}

function editsOf(change: Change, state: RepositoryState, named: NamedRepositories, salt: string): Edits {
  const { file } = state
  switch (change.kind) {
    case 'patch':
      return editsOfPatch(change.fields, state, named)
    case 'label': {
      const { label, version, split } = change
      const now = targetOf(file.labels, label)
      for (const [key, one] of [['version', version], ...(split ? [['split.version', split.version]] : [])] as const) {
        requireVersion(state, one!)
        if (Object.hasOwn(file.yanked, one!))
          throw invalidField(
            key!,
            `expected a version that is not yanked, got ${one}; labels never point at a yanked version`,
          )
      }
      refuseConflict(change, state, now)
      const target = { version, split: split && { ...split, salt: saltOf(split.version, now, salt) } }
      return {
        keys: isSameJson(now, target) ? [] : [{ path: ['labels', label], value: formatTarget(target) }],
        summary: `label ${label} ${now ? describeTarget(now) : 'none'} → ${describeTarget(target)}`,
      }
    }
    case 'unlabel': {
      const { label } = change
      const now = targetOf(file.labels, label)
      refuseConflict(change, state, now)
      return {
        keys: now === undefined ? [] : [{ path: ['labels', label], value: undefined }],
        summary: `label ${label} ${now ? describeTarget(now) : 'none'} → none`,
      }
    }
    case 'yank': {
      const { version, reason } = change
      requireVersion(state, version)
      const labels = labelsWith(file.labels, version)
      if (labels.length > 0)
        throw invalidField(
          'labels',
          `${labels.join(', ')} ${labels.length === 1 ? 'points' : 'point'} at ${version}; move or remove ${labels.length === 1 ? 'it' : 'them'} first`,
        )
      const isSame = Object.hasOwn(file.yanked, version) && file.yanked[version] === reason
      return { keys: isSame ? [] : [{ path: ['yanked', version], value: reason }], summary: `yank ${version}` }
    }
    case 'unyank': {
      const { version } = change
      requireVersion(state, version)
      const isYanked = Object.hasOwn(file.yanked, version)
      return { keys: isYanked ? [{ path: ['yanked', version], value: undefined }] : [], summary: `unyank ${version}` }
    }
  }
}

function editsOfPatch(fields: PatchFields, { owner, name, file }: RepositoryState, named: NamedRepositories): Edits {
  const { readme, ...front } = fields
  const current = { ...file, title: file.title ?? titleFromName(name) }
  const changed = Object.entries(front).filter(
    ([key, value]) => value !== undefined && !isSameJson(value, current[key as keyof typeof front]),
  )
  const after = { ...file, ...Object.fromEntries(changed) }
  const isChanged = (key: string) => changed.some(([field]) => field === key)
  const problems = checkNames({ owner, name, file: after }, { repositories: named }).filter(({ key }) => isChanged(key))
  if (problems.length > 0) throw validationFailed(problems)
  for (const key of ['moved_to', 'replaced_by'] as const) {
    const next = isChanged(key) && after[key] !== null && named.get(after[key])?.moved_to
    if (next) throw invalidField(key, `expected its current name: ${after[key]} has itself moved to ${next}`)
  }
  const newReadme = readme !== undefined && readme.trim() !== file.readme ? readme : undefined
  // A key with its default value is removed only if the request sets it to null, so that what the author wrote stays visible.
  const keys = changed.map(([key, value]): KeyChange => ({ path: [key], value: value === null ? undefined : value }))
  const names = [...changed.map(([key]) => key), ...(newReadme === undefined ? [] : ['readme'])]
  const status = changed.find(([key]) => key === 'status')
  const said = [
    ...(status ? [`status ${file.status ?? DEFAULT_REPOSITORY_FILE.status} → ${String(status[1])}`] : []),
    ...names.filter((key) => key !== 'status'),
  ]
  return { keys, readme: newReadme, summary: `change ${said.join(', ')}` }
}

/** While only the percentage changes, the salt stays, so that nobody leaves the second version as its share grows. */
const saltOf = (version: string, now: LabelTarget | undefined, salt: string) =>
  now?.split?.version === version ? now.split.salt : salt

/** @throws HubError `not_found` for a version that a repository does not have */
export function requireVersion({ owner, name, versions }: RepositoryState, version: string): void {
  if (!versions.includes(version))
    throw new HubError(
      'not_found',
      `${owner}/${name} has no version ${version}. Its versions are listed at /api/v1/repos/${owner}/${name}/versions.`,
    )
}

function refuseConflict(
  { label, expected }: { label: string; expected: ExpectedTarget },
  { owner, name }: RepositoryState,
  now: LabelTarget | undefined,
): void {
  if (expected === undefined || isExpected(expected, now)) return
  const said = typeof expected === 'string' ? expected : expected ? describeTarget(expected) : 'no such label'
  throw new HubError(
    'version_conflict',
    `${owner}/${name}: expected was ${said}, but ${label} points at ${now ? describeTarget(now) : 'nothing'}. Fetch the repository, then send the change again.`,
  )
}

function isExpected(expected: Exclude<ExpectedTarget, undefined>, now: LabelTarget | undefined): boolean {
  if (expected === null || now === undefined) return expected === null && now === undefined
  if (typeof expected === 'string') return expected === now.version
  const { version, percent } = now.split ?? {}
  return expected.version === now.version && expected.split?.version === version && expected.split?.percent === percent
}
