// The port for work on somebody's text: a table of pure jobs. On the Node server, they run in worker threads with a deadline; elsewhere, they run in place.

import type { ExportFormat, WriteResult } from '../domain/api/export-formats.ts'
import type { Repository, Variable, VersionRecord, VersionRow, Warning } from '../domain/api/schema.ts'
import type { RepositoryParts } from '../domain/catalogue/repository-records.ts'
import type { Lines, WrittenPart } from '../domain/compose/compose-version.ts'
import type { MinAge, Resolved } from '../domain/compose/resolve.ts'
import type { VersionEntry } from '../domain/content/content-tree.ts'
import type { FilledMessages, FillingProblem, FillingValues } from '../domain/content/filling.ts'
import type { RepositoryFile } from '../domain/content/prompt-file.ts'
import type { ResultFile } from '../domain/content/result-file.ts'
import type { RootEntry } from '../domain/content/trusted-root-file.ts'
import type { ChangeDecision, NamedRepositories } from '../domain/managing/decision.ts'
import type { OwnerDecision } from '../domain/managing/owner-decision.ts'
import type { OwnerChange, OwnerFields } from '../domain/managing/owner-request.ts'
import type { Change, Target } from '../domain/managing/request.ts'
import type { ResultDecision, SentResult, TestedVersion } from '../domain/managing/result-decision.ts'
import type { ResultRequest } from '../domain/managing/result-request.ts'
import type { AttestationVerdict } from '../domain/publishing/attested.ts'
import type { PublishDecision, Publisher, Surroundings } from '../domain/publishing/decision.ts'
import type { RepositoryState } from '../domain/publishing/repository-state.ts'
import type { PublishInput } from '../domain/publishing/request.ts'
import type { ChatPart } from '../domain/values/chat.ts'
import type { VersionFileBytes } from '../domain/values/file-entry.ts'
import type { RepositoryPlace } from '../domain/values/names.ts'

/** The parts of a version that a preview shows. */
export type PreviewedPrompt = Pick<VersionRecord, 'content' | 'format' | 'variables'>

/** Every job; a package adds its own by declaration merging. Arguments and results can be cloned, because they are sent to another thread. A job may throw HubError. */
export interface TextJobs {
  /** Writes a version in another tool's format. */
  exportVersion(format: ExportFormat, repository: Repository, record: VersionRecord): WriteResult
  /** Renders a prompt as it looks with its examples and defaults. */
  renderPreview(prompt: PreviewedPrompt): string
  /** Renders Markdown as safe HTML. */
  renderMarkdown(text: string, place: { title?: string; below?: number }): string
  /** Renders texts of a prompt, with its variables as links. @returns the HTML of each text, and the number of their hidden characters */
  renderTexts(texts: readonly string[], variables: readonly Variable[]): { html: string[]; hidden: number }
  /** Renders a comparison of two versions: the impact on callers, the changed lines, and the changed files with the lines of those given. */
  renderComparison(
    from: ComparedVersion,
    to: ComparedVersion,
    files?: readonly ComparedFile[],
  ): { impact: string; lines: string; files: string }
  /** Renders the lines of files as HTML, with hidden characters marked. @returns the lines of each file, and whether there are more */
  renderFiles(texts: readonly string[]): { lines: string[]; isCut: boolean }[]
  /** Fills in a prompt, ignoring unknown names. @throws HubError `invalid_request`, `content_too_large` */
  fillPrompt(
    record: Pick<VersionRecord, 'content' | 'messages' | 'variables'>,
    values: FillingValues,
  ): { content: string; messages: VersionRecord['messages']; missing: string[] }
  /** Lists the placeholders of a text. */
  findPlaceholders(content: string): string[]
  /** Fills in messages; every required value must be given. */
  fillMessages(
    chat: { messages: readonly ChatPart[]; variables: readonly Variable[] },
    values: FillingValues,
  ): { value: FilledMessages; problems?: never } | { value?: never; problems: FillingProblem[] }
  /** Finds the warnings about a version's texts. */
  warnOfTexts(record: VersionRecord): Warning[]
  /** Parses the JSON of a publish. @throws HubError `invalid_request`, `validation_failed`, `content_too_large` */
  parsePublish(body: string): PublishInput
  /** Parses a prompt file to publish, with its query parameters. @throws HubError `validation_failed`, `content_too_large` */
  parsePromptFile(file: string, query: Readonly<Record<string, string>>): PublishInput
  /** Parses the archive of a skill's folder to publish, with its query parameters. @throws HubError `invalid_request`, `validation_failed`, `content_too_large` */
  parseArchive(archive: Uint8Array<ArrayBuffer>, query: Readonly<Record<string, string>>): PublishInput
  /** Verifies an attestation with the hub's trusted roots. @returns what it says, or why it is refused */
  verifyAttestation(text: string, roots: readonly RootEntry[]): AttestationVerdict
  /** Unpacks the files of a version from its archive, without its SKILL.md. */
  unpackFiles(archive: Uint8Array<ArrayBuffer>): VersionFileBytes[]
  /** Parses the body of a change. @throws HubError `invalid_request`, `validation_failed` */
  parseChange(target: Target, body: string): Change
  /** Parses the body of a change to an owner, and lists its fields that decide who may do what. @throws HubError `invalid_request`, `validation_failed` */
  parseOwnerChange(body: string): { change: OwnerChange; rights: string[] }
  /** Decides what a change to an owner writes. @throws like `decideOwnerChange` */
  decideOwnerChange(fields: OwnerFields, owner: string, text: string | undefined): OwnerDecision
  /** Parses a repository's `index.md`. @throws HubError `upstream_error` */
  readState(found: RepositoryPlace & { versions: string[]; index: string | undefined }): RepositoryState
  /** Rebuilds a repository's state from its records. */
  recallState(
    place: RepositoryPlace,
    found: { repository: Repository; versions: readonly VersionRow[] } | undefined,
  ): RepositoryState
  /** Decides what a publish writes. @throws like `decidePublish` */
  decidePublish(
    request: PublishInput,
    state: RepositoryState,
    latest: WrittenVersion,
    publisher: Publisher,
    hub: { baseUrl: string; around: Surroundings; parts: readonly WrittenPart[] },
  ): PublishDecision
  /** Finds the include lines of a publish that is to be composed. @param latest the file of the latest version @throws HubError `validation_failed`, `upstream_error` */
  findIncludes(request: PublishInput, state: RepositoryState, latest: string | undefined): Lines
  /** Decides which versions include lines include. @param known the repositories that they name @throws HubError `validation_failed` */
  resolveIncludes(place: RepositoryPlace, found: Lines, known: readonly RepositoryState[], minAge?: MinAge): Resolved[]
  /** Describes a version that an earlier publish wrote. @param before the version with which it was compared, if any @throws HubError `upstream_error` */
  describePublished(
    state: RepositoryState,
    version: string,
    written: WrittenVersion,
    before: { version: string; text: string | undefined } | undefined,
    publish: { baseUrl: string; isAssembled: boolean },
  ): { record: VersionRecord; entry: VersionEntry; warnings: Warning[]; breaking: boolean }
  /** Decides what a change writes. @throws like `decideChange` */
  decideChange(change: Change, state: RepositoryState, named: NamedRepositories): ChangeDecision
  /** Parses the body of a result. @throws HubError `invalid_request`, `validation_failed` */
  parseResult(body: string): ResultRequest
  /** Decides what a report of a result writes. @throws like `decideResult` */
  decideResult(sent: SentResult, fullName: string, tested: TestedVersion, nowMs: number): ResultDecision
  /** Parses result files, by suite; those with problems are left out. */
  parseResults(files: readonly (readonly [suite: string, text: string])[]): [suite: string, file: ResultFile][]
  /** Formats result files, by suite. */
  formatResults(files: readonly (readonly [suite: string, file: ResultFile])[]): [suite: string, text: string][]
  /** Computes the SHA-256 of a listed version's content. @param text its file @throws HubError `upstream_error` */
  digestVersion(place: RepositoryPlace, version: string, text: string | undefined): string
  /** Parses a version file. @returns undefined if it has problems */
  readVersion(version: string, text: string): VersionEntry | undefined
  /** Formats a published version as its file. */
  formatPublished(record: VersionRecord): string
  /** Builds the records of a repository. */
  describeRepository(parts: RepositoryParts, baseUrl: string): Repository
  /** Builds the record of a version. */
  recordVersion(entry: VersionEntry, previous: string | null, place: RepositoryPlace, baseUrl: string): VersionRecord
  /** Parses `index.md`. @throws HubError `upstream_error` */
  readIndex(place: RepositoryPlace, text: string | undefined): RepositoryFile
}

/** A version as it is in git. */
export interface WrittenVersion {
  /** Its file; undefined if there is none. */
  text: string | undefined
  /** The files beside its SKILL.md, sorted by path. */
  files: readonly VersionFileBytes[]
}

/** A version to compare. */
export type ComparedVersion = Pick<
  VersionRecord,
  'version' | 'content' | 'format' | 'variables' | 'parameters' | 'files' | 'includes' | 'raw_url'
>

/** A text file of two compared versions. */
export interface ComparedFile {
  path: string
  /** Its text in each version; undefined where there is no such file. */
  before: string | undefined
  after: string | undefined
}

/** Runs jobs on behalf of one client. */
export interface TextWork {
  /**
   * Runs a job.
   *
   * @throws HubError of the job; `unavailable` if it takes too long or too much work is waiting
   */
  run<Name extends keyof TextJobs>(
    name: Name,
    ...given: Parameters<TextJobs[Name]>
  ): Promise<ReturnType<TextJobs[Name]>>
}

/** The code of every job. */
export type TextJobTable = {
  [Name in keyof TextJobs]: (...given: Parameters<TextJobs[Name]>) => Promise<ReturnType<TextJobs[Name]>>
}

/** Makes a job of a function in a module, which is imported on first use. */
export function jobIn<Module, Given extends unknown[], Value>(
  load: () => Promise<Module>,
  find: (code: Module) => (...given: Given) => Value,
): (...given: Given) => Promise<Value> {
  return async (...given) => find(await load())(...given)
}

/** Runs jobs in place. @param jobs imports those that the caller needs; any other job is a mistake in our code */
export function runInPlace(jobs: () => Partial<TextJobTable> | Promise<Partial<TextJobTable>>): TextWork {
  return {
    async run(name, ...given) {
      const job = (await jobs())[name]
      if (!job) throw new Error(`${name} is not among the jobs of this function`)
      return job(...given)
    },
  }
}
