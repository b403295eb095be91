// Publishes a version: parses the request, decides each attempt based on what is in git, and builds the response.
import { hash } from 'node:crypto'
import { addressesBelow } from '../../domain/api/data-paths.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { VersionRecord, Warning } from '../../domain/api/schema.ts'
import { listTrailers } from '../../domain/catalogue/change-mark.ts'
import { digestManifest } from '../../domain/catalogue/repository-records.ts'
import { listPublishingRules, type OwnerFile } from '../../domain/content/prompt-file.ts'
import {
  acceptAll,
  findReplayProblem,
  judgeSignatures,
  refuseOtherSubject,
  unsigned,
  type VerifiedSignature,
} from '../../domain/publishing/attested.ts'
import type { Publisher } from '../../domain/publishing/decision.ts'
import {
  brokenFileError,
  type RepositoryState,
  readOwner,
  readRepositoryState,
} from '../../domain/publishing/repository-state.ts'
import { IDEMPOTENCY_KEY, isComposed, type PublishInput, validationFailed } from '../../domain/publishing/request.ts'
import { canonicalJson, isSameJson } from '../../domain/text/json.ts'
import { lineOf } from '../../domain/text/plain-text.ts'
import { printable } from '../../domain/text/printable.ts'
import { type RepositoryPlace, splitFullName } from '../../domain/values/names.ts'
import { compareVersions } from '../../domain/values/versions.ts'
import { measure, measureFile } from '../../files/measure.ts'
import type { FolderState, PublishMark } from '../../git/git-store.ts'
import { readContentType } from '../request.ts'
import { listRuns, openVerification } from './attestations.ts'
import { requireRights } from './authenticate.ts'
import { judgeMove, judgeNewVersion, requireLabelRights } from './label-moves.ts'
import type { PublishHub } from './publish-hub.ts'
import type { Readers, WrittenVersion } from './read-from-git.ts'
import { isUnseen, type Written } from './renew-fresh-copy.ts'
import {
  type Body,
  markOf,
  type ParseWrite,
  type RepositoryWrite,
  type Sending,
  type WriteAnswer,
  type WriteDecision,
  writeToGit,
} from './write-to-git.ts'

/** A request that has passed all checks that do not need git. */
export interface AcceptedPublish extends Sending {
  body: PublishInput
  /** The number of lines before the content in the file that was sent. */
  linesBefore: number
  /** Digests of the Idempotency-Key and the request; undefined without a key. */
  idempotency: { key: string; request: string } | undefined
  /** Set if a member accepts what somebody proposed. */
  proposal?: AcceptedProposal | undefined
  /** Verifies the attestations of the request, once for all attempts; undefined if it has none. */
  verify?: (() => Promise<VerifiedSignature[]>) | undefined
}

/** A proposal whose version is being published by who accepts it. */
export interface AcceptedProposal extends Pick<Publisher, 'published_by' | 'provenance'> {
  /** Identifies the publish, whoever accepts the proposal. */
  key: string
  /** Checks who accepts it, with the owner's file of each attempt. @throws HubError `forbidden` */
  requireAcceptance: (file: OwnerFile | undefined) => void
}

/** Opens a publish. @param proposal set if the request is that of a proposal @throws HubError `invalid_request` for a malformed Idempotency-Key */
export function openPublish(request: Request, proposal?: AcceptedProposal): ParseWrite {
  const given = readIdempotencyKey(request)
  return async (sent, deps) => {
    const { body, linesBefore } = await parsePublishBody(request, sent, deps)
    return {
      needed: 'publish',
      async carryOut(sending, deps, time) {
        const { owner, name, bearer } = sending
        const ofSender = given === undefined ? undefined : digest(bearer.id, `${owner}/${name}`, given)
        const key = proposal?.key ?? ofSender
        const idempotency = key === undefined ? undefined : { key, request: digest(canonicalJson(describeBody(body))) }
        const verify = body.attestations && openVerification(body.attestations, deps)
        return writeToGit(
          publishAsWrite({ ...sending, body, linesBefore, idempotency, proposal, verify }, deps),
          bearer,
          deps,
          time,
        )
      },
    }
  }
}

/** Parses the body of a publish: JSON or, with query parameters, a prompt file or an archive. @param given the decoded body @returns also the number of lines before the content: those of the front matter of a prompt file @throws HubError `invalid_request`, `validation_failed`, `content_too_large` */
export async function parsePublishBody(
  request: Request,
  given: Body,
  { runLong, parseArchive }: Pick<PublishHub, 'runLong' | 'parseArchive'>,
): Promise<{ body: PublishInput; linesBefore: number }> {
  const query = readQuery(request)
  if (typeof given !== 'string') return { body: await parseArchive(given, query), linesBefore: 0 }
  if (readContentType(request.headers).mediaType !== 'text/markdown') {
    // A `dry_run` that nobody reads would publish.
    const message = 'expected no query parameters with JSON; put the field in the body'
    const unread = Object.keys(query).map((key) => ({ key: printable(key), message }))
    if (unread.length > 0) throw validationFailed(unread)
    return { body: await runLong((await import('./decide.ts')).readPublishBody, given), linesBefore: 0 }
  }
  const body = await runLong((await import('./decide.ts')).readPromptFile, given, query)
  // The content is the end of the file, and what precedes it has a limit.
  const front = given.slice(0, given.length - body.content.length)
  return { body, linesBefore: lineOf(front, front.length) - 1 }
}

/** Reads the query parameters; of a repeated one, the last. @throws HubError `invalid_request` if they are not UTF-8, because the version would have replacement characters for ever */
function readQuery(request: Request): Record<string, string> {
  const { search, searchParams } = new URL(request.url)
  try {
    decodeURIComponent(search)
  } catch {
    throw new HubError(
      'invalid_request',
      'The query is not percent-encoded UTF-8. Encode each value, for example with encodeURIComponent or jq -r @uri.',
    )
  }
  return Object.fromEntries(searchParams)
}

/** Counts the lines of warnings from the start of the file that was sent. Content that begins with front matter is meant to if the file has front matter of its own. */
export function placeWarnings(warnings: Warning[], linesBefore: number): Warning[] {
  if (linesBefore === 0) return warnings
  return warnings
    .filter(({ code }) => code !== 'looks_like_front_matter')
    .map((warning) => (warning.line === null ? warning : { ...warning, line: warning.line + linesBefore }))
}

/** Returns a body in which files are digests, to tell whether two are the same. */
function describeBody({ files, ...body }: PublishInput): object {
  return files ? { ...body, files: files.map(({ path, bytes }) => [path, hash('sha256', bytes)]) } : body
}

/** Reads the Idempotency-Key header. @returns undefined if there is none @throws HubError `invalid_request` */
function readIdempotencyKey(request: Request): string | undefined {
  const key = request.headers.get('Idempotency-Key')
  if (key === null || IDEMPOTENCY_KEY.pattern.test(key)) return key ?? undefined
  const { shortest, longest } = IDEMPOTENCY_KEY
  throw new HubError('invalid_request', `Idempotency-Key: expected ${shortest} to ${longest} visible ASCII characters.`)
}

/** Computes the SHA-256 of several parts, in hex. The parts are separated by null bytes, so no part may contain one. */
function digest(...parts: string[]): string {
  return hash('sha256', parts.join('\0'))
}

/** Converts a publish to a write that `writeWithRetries` can carry out. */
export function publishAsWrite(accepted: AcceptedPublish, deps: PublishHub): RepositoryWrite {
  return {
    ...accepted,
    needsHistory: accepted.idempotency !== undefined,
    decide: (folder, readers) => decideAttempt(accepted, folder, readers, deps),
  }
}

/** Decides an attempt: either a commit or a response without a commit. @throws HubError `forbidden`, `idempotency_key_reused`, `upstream_error` for an invalid file; also throws the errors of `decidePublish` */
async function decideAttempt(
  accepted: AcceptedPublish,
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
): Promise<WriteDecision> {
  const { owner, name, bearer, body, idempotency, proposal, verify, arrivedMs, linesBefore } = accepted
  const { baseUrl, issuer } = deps
  const ownerFile = readOwner(owner, folder.ownerIndex)
  const rules = listPublishingRules(ownerFile)
  if (proposal) proposal.requireAcceptance(ownerFile)
  else {
    requireRights(bearer, { owner, name }, 'publish', ownerFile)
    if (rules.includes('reviewed')) throw unreviewed({ owner, name })
  }
  const { labels = [] } = body
  for (const label of labels) requireLabelRights(bearer, { owner, name }, label, ownerFile)
  const earlier = folder.publishes.find(
    ({ trailers }) => idempotency && trailers.get('Idempotency-Key') === idempotency.key,
  )
  if (earlier && earlier.trailers.get('Request-Digest') !== idempotency?.request)
    throw new HubError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used with a different body. Use a new key for each publish, and repeat a key only with the same body.',
    )
  const used = await deps.listUsedNumbers({ owner, name })
  const found = { owner, name, versions: [...folder.versions.keys()], index: folder.index, used }
  const state = readRepositoryState(found)
  if (earlier) return replay(earlier, { folder, state }, readers, accepted, deps)
  const publisher = {
    published_by: proposal?.published_by ?? bearer.login ?? owner,
    clock: { nowMs: folder.nowMs ?? arrivedMs, isShared: folder.nowMs !== undefined },
    provenance: proposal ? proposal.provenance : bearer.provenance,
    attestations: verify ? judgeSignatures(await verify(), { issuer, owner: ownerFile, name }) : [],
  }
  const latest = state.latest === undefined ? NOTHING : await readers.readWritten(state.latest)
  const { decideAround, readInGit } = await import('./decide.ts')
  const decision = await decideAround(
    body,
    state,
    { latest, publisher, needsMajor: rules.includes('semver') },
    (place) => readInGit(place, readers.readOther),
    deps,
  )
  const { isUnchanged, versionText, indexText, version, file, record, changes, warnings } = decision
  const breaking = changes?.breaking ?? false
  const data = describeOutcome({ record, warnings, breaking }, isUnchanged, { baseUrl, linesBefore })
  if (!isUnchanged && rules.includes('signed-only') && publisher.attestations.length === 0) throw unsigned(owner)
  if (!isUnchanged && record.attestations.length > 0) {
    const { manifest_sha256 } = data
    refuseOtherSubject({ ...version, prompt: `${owner}/${name}`, manifest_sha256 }, publisher.attestations)
    const runs = await listRuns({ owner, name }, version.content_sha256, deps)
    acceptAll(record.attestations.map((facts) => ({ problem: findReplayProblem(version, facts, runs) })))
  }
  const given = body.files?.map(({ path, bytes }) => measureFile(path, bytes)) ?? latest.files
  for (const label of labels)
    if (isUnchanged) await judgeMove(accepted, label, { was: state.file, is: file }, folder, readers, deps)
    else await judgeNewVersion(accepted, label, { record, files: given, ownerFile, was: state.file.labels }, deps)
  const inText = accepted.wantsText ? sayPublished(data) : undefined
  if (body.dry_run) return { kind: 'answer', answer: { data, inText } }
  if (isUnchanged && indexText === undefined) {
    const shown = { file, entry: version, added: record, files: latest.files }
    return answerSeen({ data, inText }, shown, folder, accepted, deps)
  }
  const headline = isUnchanged ? `Update ${owner}/${name}` : `Publish ${owner}/${name} ${version.version}`
  const mark = markOf(bearer)
  const trailers: [string, string][] = [
    ['Version', version.version],
    ['Published-By', publisher.published_by],
    ...(proposal ? [['Accepted-By', bearer.login ?? owner] as [string, string]] : []),
    ...listTrailers(mark),
  ]
  if (idempotency) trailers.push(['Idempotency-Key', idempotency.key], ['Request-Digest', idempotency.request])
  if (versionText !== undefined && folder.folders.has(version.version))
    throw brokenFileError({ kind: 'version', owner, name, version: version.version }, [
      { key: '', message: 'expected a file beside the folder of the same name. Remove the folder' },
    ])
  const files = version.bundle ? given : []
  const { includes = [] } = version
  if (versionText !== undefined && includes.length > 0) {
    const included = includes.map((one) => ({ ...splitFullName(one.repository)!, version: one.version }))
    await deps.noteIncluded({ owner, name, version: version.version }, included)
  }
  const { attestations = [] } = body
  const addition =
    versionText === undefined ? undefined : { version: version.version, text: versionText, files, attestations }
  return {
    kind: 'commit',
    additions: { owner, name, message: { headline, trailers }, version: addition, index: indexText },
    shown: { file, entry: version, added: isUnchanged ? undefined : record, files, attestations, mark },
    answer: isUnchanged ? { data, inText } : { data, inText, status: 201, headers: { Location: record.url } },
  }
}

/** Returns the refusal of an owner that accepts versions only as proposals. */
function unreviewed({ owner, name }: RepositoryPlace): HubError {
  return new HubError(
    'forbidden',
    `${owner} accepts versions only as proposals that another member accepts (publishing: reviewed in content/${owner}/index.md). Press Propose in the editor, or send the same body to POST /api/v1/repos/${owner}/${name}/proposals.`,
  )
}

/** The latest version of a prompt that has none. */
const NOTHING: WrittenVersion = { file: undefined, files: [] }

/** Rebuilds the response to an earlier publish from its commit and the version's file. @throws HubError `not_found` for a version that was taken down */
async function replay(
  { sha, url, headline, trailers }: PublishMark,
  { folder, state }: { folder: FolderState; state: RepositoryState },
  readers: Readers,
  accepted: AcceptedPublish,
  deps: PublishHub,
): Promise<WriteDecision> {
  const { baseUrl } = deps
  const version = trailers.get('Version') ?? ''
  if (Object.hasOwn(state.file.removed, version))
    throw new HubError(
      'not_found',
      `${state.owner}/${state.name}@${version}, which this Idempotency-Key published, was taken down. Publish another text with a new key.`,
    )
  const isUpdate = headline.startsWith('Update ')
  const isBefore = (other: string) => compareVersions(other, version) > 0 && !Object.hasOwn(state.file.yanked, other)
  const before = isUpdate ? undefined : state.versions.find(isBefore)
  const [written, earlierFile] = await Promise.all([
    readers.readWritten(version),
    before === undefined ? undefined : readers.readVersion(before),
  ])
  const compared = before === undefined ? undefined : { version: before, file: earlierFile }
  const { describePublished } = await import('./decide.ts')
  const { entry, ...described } = await deps.runLong(describePublished, state, version, written, compared, {
    baseUrl,
    isAssembled: isComposed(accepted.body),
  })
  const data = describeOutcome(described, isUpdate, { baseUrl, linesBefore: accepted.linesBefore })
  const headers = { 'Idempotency-Replayed': 'true' }
  const inText = accepted.wantsText ? sayPublished(data) : undefined
  const answer = { data: { ...data, commit: { sha, url } }, inText, headers }
  const shown = { file: state.file, entry, added: described.record, files: written.files }
  return answerSeen(answer, shown, folder, accepted, deps)
}

/** Answers without a commit. If an earlier attempt or process made the commit, but could not show it, readers are shown it now. */
async function answerSeen(
  answer: WriteAnswer,
  shown: Pick<Written, 'file' | 'entry' | 'files'> & { added: VersionRecord },
  folder: FolderState,
  { owner, name, body }: AcceptedPublish,
  deps: PublishHub,
): Promise<WriteDecision> {
  // If that cannot be told, what follows logs the reason, and the answer is the same.
  if (!(await isUnseen({ owner, name, folder, ...shown }, deps).catch(() => true))) return { kind: 'answer', answer }
  // The request is the one that made the commit, so it has the bytes of the attestations.
  const { attestations = [] } = body
  const isSigned = isSameJson(
    attestations.map((bundle) => hash('sha256', bundle)),
    shown.added.attestations.map(({ sha256 }) => sha256),
  )
  return { kind: 'answer', answer, shown: { ...shown, attestations: isSigned ? attestations : [] } }
}

/** Describes a version and what became of the request, before a commit is made. */
export function describeOutcome(
  { record, warnings, breaking }: { record: VersionRecord; warnings: Warning[]; breaking: boolean },
  unchanged: boolean,
  { baseUrl, linesBefore }: { baseUrl: string; linesBefore: number },
) {
  const html_url = addressesBelow(baseUrl).versionPage(record.owner, record.name, record.version)
  const manifest_sha256 = digestManifest(record, measure)
  return {
    ...record,
    manifest_sha256,
    html_url,
    unchanged,
    breaking,
    commit: null,
    warnings: linesBefore === 0 ? warnings : placeWarnings(warnings, linesBefore),
  }
}

/** Returns what says in text what became of a publish: the version and its URL, then a line for each warning. */
function sayPublished({ version, url, unchanged, breaking, warnings }: ReturnType<typeof describeOutcome>) {
  return ({ commit }: WriteAnswer['data']): string => {
    const notes = [
      ...(breaking ? ['breaking'] : []),
      ...(unchanged ? [`unchanged${commit ? ', except for its details' : ''}`] : []),
    ]
    const lines = warnings.map(({ message, line }) => `warning: ${message}${line === null ? '' : ` (line ${line})`}`)
    return [[version, url, ...notes.map((note) => `(${note})`)].join(' '), ...lines, ''].join('\n')
  }
}
