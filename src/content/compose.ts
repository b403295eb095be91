// Writes the next version of a prompt, composed from the versions in the content folder. Never overwrites a file.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addressesBelow } from '../domain/api/data-paths.ts'
import { digestManifest } from '../domain/catalogue/repository-records.ts'
import type { Lines, WrittenPart } from '../domain/compose/compose-version.ts'
import { formatPath } from '../domain/content/content-path.ts'
import { findRequestIncludes, resolveRequestIncludes } from '../domain/publishing/carry-over.ts'
import { decidePublish, type PublishDecision } from '../domain/publishing/decision.ts'
import { readPromptFile } from '../domain/publishing/prompt-file.ts'
import { type RepositoryState, readRepositoryState } from '../domain/publishing/repository-state.ts'
import { type PublishInput, parsePublishRequest } from '../domain/publishing/request.ts'
import { type RepositoryPlace, splitFullName, type VersionPlace } from '../domain/values/names.ts'
import type { WantedBump } from '../domain/values/versions.ts'
import { measure } from '../files/measure.ts'
import { listVersions, readIndex, readVersion } from './prompt-files.ts'
import { writeContent } from './write-content.ts'

/** What to compose. */
interface Composition extends RepositoryPlace {
  /** The text of a prompt file; if omitted, the source of the latest version is composed again. */
  source?: string | undefined
  bump: WantedBump
  /** Whether a breaking change may be a minor or patch version. */
  allowBreaking: boolean
  changelog: string
  /** The login of the author. */
  by: string
  /** The SHA-256 of the manifest that the version must have; if omitted, any. */
  expected?: string | undefined
}

/** Composes the next version. @returns its path, relative to the content folder; undefined if nothing changes, or if another manifest is expected @throws Error with the reason if nothing was written */
export function composeVersion(
  dir: string,
  { owner, name, source, bump, allowBreaking, changelog, by, expected }: Composition,
  now: Date,
): string | undefined {
  const state = readState(dir, { owner, name })
  const body = readBody(source, { bump, changelog, allow_breaking: allowBreaking })
  if (state.latest !== undefined && hasFolder(dir, { owner, name, version: state.latest }))
    throw new Error(`${owner}/${name} is a skill with files; publish it with hubcli recompose, which keeps them`)
  const latest = state.latest === undefined ? undefined : readVersion(dir, { owner, name, version: state.latest })
  const parts = readParts(dir, state, findRequestIncludes(body, state, latest))
  const decision = decidePublish(
    body,
    state,
    latest,
    { published_by: by, clock: { nowMs: now.getTime(), isShared: false }, provenance: undefined },
    {
      measure,
      parts,
      addresses: addressesBelow('https://hub.example'),
      around: { isOriginKnown: false },
      files: { latest: [], given: undefined, bundle: refuseFiles },
    },
  )
  if (expected !== undefined && digestManifest(decision.record, measure) !== expected) return undefined
  return write(dir, { owner, name }, decision)
}

function readBody(
  source: string | undefined,
  given: Pick<PublishInput, 'bump' | 'changelog' | 'allow_breaking'>,
): PublishInput {
  if (source === undefined) return parsePublishRequest({ recompose: true, ...given })
  const query = { ...given, allow_breaking: String(given.allow_breaking), compose: 'true' }
  return readPromptFile(source, query)
}

function write(dir: string, { owner, name }: RepositoryPlace, decision: PublishDecision): string | undefined {
  const { versionText, version, fields } = decision
  if (fields.length > 0)
    throw new Error(`${fields.join(', ')}: expected in content/${owner}/${name}/index.md; remove it from the source`)
  if (versionText === undefined) return undefined
  const path = formatPath({ kind: 'version', owner, name, version: version.version })
  writeContent(dir, { path, text: versionText })
  return path
}

function readState(dir: string, place: RepositoryPlace): RepositoryState {
  return readRepositoryState({ ...place, versions: listVersions(dir, place) ?? [], index: readIndex(dir, place) })
}

function readParts(dir: string, { owner, name }: RepositoryPlace, found: Lines): WrittenPart[] {
  const names = new Set(found.lines.map(({ repository }) => repository))
  const known = [...names].map((fullName) => readState(dir, splitFullName(fullName)!))
  return resolveRequestIncludes({ owner, name }, found, known).map((one) => {
    const place = { ...splitFullName(one.repository)!, version: one.version }
    return { ...one, file: readVersion(dir, place), hasFiles: hasFolder(dir, place) }
  })
}

/** Returns whether a version has files beside its SKILL.md. */
function hasFolder(dir: string, place: VersionPlace): boolean {
  return existsSync(join(dir, formatPath({ kind: 'version', ...place }).slice(0, -'.md'.length)))
}

function refuseFiles(): never {
  throw new Error('a version that is composed here has no files')
}
