// Parses a publish, decides what it writes, and describes what an earlier one wrote, with the digests and archives that this needs.

import { allowInThreads } from '../../concurrency/long-work.ts'
import { addressesBelow } from '../../domain/api/data-paths.ts'
import type { VersionRecord, Warning } from '../../domain/api/schema.ts'
import { recordVersion } from '../../domain/catalogue/repository-records.ts'
import type { WrittenPart } from '../../domain/compose/compose-version.ts'
import type { VersionEntry } from '../../domain/content/content-tree.ts'
import type { WrittenFile } from '../../domain/content/prompt-file.ts'
import { warnOf } from '../../domain/content/warnings.ts'
import {
  compareWritten,
  decidePublish as decide,
  type PublishDecision,
  type Publisher,
  type Surroundings,
} from '../../domain/publishing/decision.ts'
import { readPromptFile } from '../../domain/publishing/prompt-file.ts'
import { nextLower, type RepositoryState, readListedVersion } from '../../domain/publishing/repository-state.ts'
import { type PublishInput, readPublishBody } from '../../domain/publishing/request.ts'
import type { Bundle, VersionFileBytes } from '../../domain/values/file-entry.ts'
import type { RepositoryPlace } from '../../domain/values/names.ts'
import { bundleFiles } from '../../files/archive.ts'
import { measure, measureFile } from '../../files/measure.ts'

export { readPromptFile, readPublishBody }

/** A version, with its files. */
export interface WrittenVersion {
  /** Undefined if it has no file. */
  file: WrittenFile | undefined
  /** The files beside its SKILL.md, sorted by path. */
  files: readonly VersionFileBytes[]
}

/** Decides what a publish writes. @throws HubError like the decision */
export function decidePublish(
  request: PublishInput,
  state: RepositoryState,
  latest: WrittenVersion,
  publisher: Publisher,
  { baseUrl, around, parts }: { baseUrl: string; around: Surroundings; parts: readonly WrittenPart[] },
): PublishDecision {
  const files = {
    latest: latest.files,
    given: request.files?.map(({ path, bytes }) => measureFile(path, bytes)),
    bundle: (version: VersionEntry, all: readonly VersionFileBytes[]) => bundleOf(state, version, all),
  }
  const addresses = addressesBelow(baseUrl)
  return decide(request, state, latest.file, publisher, { measure, addresses, around, parts, files })
}

/** Describes a version that an earlier publish wrote. @param before the version with which it was compared, if any @throws HubError `upstream_error` */
export function describePublished(
  state: RepositoryState,
  version: string,
  { file: written, files }: WrittenVersion,
  before: { version: string; file: WrittenFile | undefined } | undefined,
  { baseUrl, isAssembled }: { baseUrl: string; isAssembled: boolean },
): { record: VersionRecord; entry: VersionEntry; warnings: Warning[]; breaking: boolean } {
  const file = readListedVersion(state, version, written)
  const plain = { ...file, ...measure(file.content), version }
  const entry = files.length === 0 ? plain : { ...plain, bundle: bundleOf(state, plain, files) }
  const latest = before && { ...readListedVersion(state, before.version, before.file), version: before.version }
  const { difference, warnings: breaking } = compareWritten(latest, entry)
  return {
    record: recordVersion(entry, nextLower(state.versions, version), state, addressesBelow(baseUrl)),
    entry,
    warnings: warnOf(entry, state, files, breaking, isAssembled),
    breaking: difference?.breaking ?? false,
  }
}

/** Describes the files of a version. */
function bundleOf(place: RepositoryPlace, version: VersionEntry, files: readonly VersionFileBytes[]): Bundle {
  if (!version.skill) throw new Error('only a skill has files')
  return bundleFiles(place, { ...version, skill: version.skill }, files).bundle
}

allowInThreads(import.meta.url, { readPublishBody, readPromptFile, decidePublish, describePublished })
