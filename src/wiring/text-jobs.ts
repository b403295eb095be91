// The jobs of the port for work on somebody's text, and the driver that runs them in place. Each job imports its code on first use.
import type { VersionEntry } from '../domain/content/content-tree.ts'
import type { Bundle, VersionFileBytes } from '../domain/values/file-entry.ts'
import { runInPlace, type TextJobTable, type TextWork } from '../ports/text-work.ts'
import { EXPORT_CODE, EXPORT_JOBS } from './text-jobs-export.ts'
import { FILL_CODE, FILL_JOBS } from './text-jobs-fill.ts'
import { PAGE_CODE, PAGE_JOBS } from './text-jobs-pages.ts'
import { RESULT_CODE, RESULT_JOBS } from './text-jobs-results.ts'

/** The code of the jobs below, which a function loads on first use. */
const CODE = {
  recordLinks: () => import('../domain/api/record-links.ts'),
  records: () => import('../domain/catalogue/repository-records.ts'),
  promptFile: () => import('../domain/content/prompt-file.ts'),
  pastedFile: () => import('../../packages/editor/form/pasted-file.ts'),
  changeDecision: () => import('../domain/managing/decision.ts'),
  changeRequest: () => import('../domain/managing/request.ts'),
  ownerDecision: () => import('../domain/managing/owner-decision.ts'),
  ownerRequest: () => import('../domain/managing/owner-request.ts'),
  judgeForm: () => import('../../packages/editor/form/judge-form.ts'),
  publishIncludes: () => import('../domain/publishing/includes.ts'),
  publishDecision: () => import('../domain/publishing/decision.ts'),
  promptFilePublish: () => import('../domain/publishing/prompt-file.ts'),
  repositoryState: () => import('../domain/publishing/repository-state.ts'),
  publishRequest: () => import('../domain/publishing/request.ts'),
  measures: () => import('../ports/measure.ts'),
  archive: () => import('../../packages/stores/read-archive.ts'),
  upstream: () => import('../../packages/stores/upstream/upstream-paths.ts'),
  skillFolder: () => import('../../packages/formats/skill-folder.ts'),
}

/** Every job. */
export const TEXT_JOBS: TextJobTable = {
  ...FILL_JOBS,
  ...EXPORT_JOBS,
  ...PAGE_JOBS,
  ...RESULT_JOBS,
  async readPastedForm(sent, format, base) {
    const { readPastedForm } = await CODE.pastedFile()
    return readPastedForm(sent, format, base)
  },
  async judgeForm(sent, base, apply) {
    const { judgeForm } = await CODE.judgeForm()
    return judgeForm(sent, base, apply)
  },
  async parsePublish(body) {
    const [{ readPublishBody }, { measure }] = await Promise.all([CODE.publishRequest(), CODE.measures()])
    return readPublishBody(body, measure)
  },
  async parsePromptFile(file, query) {
    const [{ readPromptFile }, { measure }] = await Promise.all([CODE.promptFilePublish(), CODE.measures()])
    return readPromptFile(file, query, measure)
  },
  async parseArchive(archive, query) {
    const [{ readArchive }, { readPromptFile }, { readSkillFolder }, { measure }] = await Promise.all([
      CODE.archive(),
      CODE.promptFilePublish(),
      CODE.skillFolder(),
      CODE.measures(),
    ])
    const { main, files, attestations } = readArchive(archive)
    const input =
      main.name === 'SKILL.md'
        ? readSkillFolder(main.text, files, query, measure)
        : readPromptFile(main.text, query, measure, files)
    return attestations.length === 0 ? input : { ...input, attestations }
  },
  async verifyAttestation(text, roots) {
    // Not among the code that every thread loads: most publishes have no attestation.
    const { verifyAttestation } = await import('../../packages/stores/verify-attestation.ts')
    return verifyAttestation(text, roots)
  },
  async unpackFiles(archive) {
    const [{ readArchive }, { measureFile }] = await Promise.all([CODE.archive(), CODE.measures()])
    return readArchive(archive).files.map(({ path, bytes }) => measureFile(path, bytes))
  },
  async readUpstreamFile(path, bytes) {
    const { findSource } = await CODE.upstream()
    return findSource(path)?.file.read(bytes)
  },
  async parseChange(target, body) {
    const { readChangeBody } = await CODE.changeRequest()
    return readChangeBody(target, body)
  },
  async readState(found) {
    const { readRepositoryState } = await CODE.repositoryState()
    return readRepositoryState(found)
  },
  async recallState(place, found) {
    const { recallRepositoryState } = await CODE.repositoryState()
    return recallRepositoryState(place, found)
  },
  async decidePublish(request, state, latest, publisher, { baseUrl, around, parts }) {
    const [{ decidePublish }, { addressesBelow }, { measure, measureFile }] = await Promise.all([
      CODE.publishDecision(),
      CODE.recordLinks(),
      CODE.measures(),
    ])
    const given = request.files?.map(({ path, bytes }) => measureFile(path, bytes))
    const bundle = await bundlerOf(state, latest.files, given)
    const files = { latest: latest.files, given, bundle }
    const addresses = addressesBelow(baseUrl)
    return decidePublish(request, state, latest.text, publisher, { measure, addresses, around, parts, files })
  },
  async findIncludes(request, state, latest) {
    const { findRequestIncludes } = await CODE.publishIncludes()
    return findRequestIncludes(request, state, latest)
  },
  async resolveIncludes(place, found, known) {
    const { resolveRequestIncludes } = await CODE.publishIncludes()
    return resolveRequestIncludes(place, found, known)
  },
  async describePublished(state, version, { text, files }, { baseUrl, isAssembled }) {
    const [{ warnOf }, { nextLower, readListedVersion }, { measure }] = await Promise.all([
      CODE.publishDecision(),
      CODE.repositoryState(),
      CODE.measures(),
    ])
    const file = readListedVersion(state, version, text)
    const plain = { ...file, ...measure(file.content), version }
    const bundle = await bundlerOf(state, files)
    const entry = files.length === 0 ? plain : { ...plain, bundle: bundle(plain, files) }
    const previous = nextLower(state.versions, version)
    return {
      record: await TEXT_JOBS.recordVersion(entry, previous, state, baseUrl),
      warnings: warnOf(entry, state, files, [], isAssembled),
    }
  },
  async decideChange(change, state, named) {
    const { decideChange } = await CODE.changeDecision()
    return decideChange(change, state, named)
  },
  async parseOwnerChange(body) {
    const { readOwnerChange, listRights } = await CODE.ownerRequest()
    const change = readOwnerChange(body)
    return { change, rights: listRights(change) }
  },
  async decideOwnerChange(fields, owner, text) {
    const { decideOwnerChange } = await CODE.ownerDecision()
    return decideOwnerChange(fields, owner, text)
  },
  async readVersion(version, text) {
    const [{ parseVersionFile }, { measure }] = await Promise.all([CODE.promptFile(), CODE.measures()])
    const { value } = parseVersionFile(text)
    return value && { ...value, ...measure(value.content), version }
  },
  async formatPublished(record) {
    const { formatPublished } = await CODE.promptFile()
    return formatPublished(record)
  },
  async describeRepository(parts, baseUrl) {
    const [{ describeRepository }, { addressesBelow }] = await Promise.all([CODE.records(), CODE.recordLinks()])
    return describeRepository(parts, addressesBelow(baseUrl))
  },
  async recordVersion(entry, previous, place, baseUrl) {
    const [{ recordVersion }, { addressesBelow }] = await Promise.all([CODE.records(), CODE.recordLinks()])
    return recordVersion(entry, previous, place, addressesBelow(baseUrl))
  },
  async readIndex(place, text) {
    const { readIndex } = await CODE.repositoryState()
    return readIndex(place, text)
  },
}

/** Returns the function that describes the files of a version. The code is imported only if there are files. */
async function bundlerOf(
  place: { owner: string; name: string },
  ...lists: (readonly VersionFileBytes[] | undefined)[]
): Promise<(version: VersionEntry, files: readonly VersionFileBytes[]) => Bundle> {
  const code = lists.some((files) => files && files.length > 0) ? await import('../ports/archive.ts') : undefined
  return (version, files) => {
    if (!code || !version.skill) throw new Error('only a skill has files')
    return code.bundleFiles(place, { ...version, skill: version.skill }, files).bundle
  }
}

/** Runs every job in place: on Netlify, where each request has a process of its own, and in tests. */
export const TEXT_WORK_IN_PLACE: TextWork = runInPlace(() => TEXT_JOBS)

/** Loads the code of every job. */
export async function loadTextJobs(): Promise<void> {
  const all = { ...FILL_CODE, ...EXPORT_CODE, ...PAGE_CODE, ...RESULT_CODE, ...CODE }
  await Promise.all(Object.values(all).map((load) => load()))
}
