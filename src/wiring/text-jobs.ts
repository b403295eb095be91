// The jobs of the port for work on somebody's text, and the driver that runs them in place. Each job imports its code on first use.
import { addressesBelow } from '../domain/api/record-links.ts'
import type { VersionEntry } from '../domain/content/content-tree.ts'
import type { Bundle, VersionFileBytes } from '../domain/values/file-entry.ts'
import { measure, measureFile } from '../ports/measure.ts'
import { jobIn, runInPlace, type TextJobTable, type TextWork } from '../ports/text-work.ts'
import { EXPORT_CODE, EXPORT_JOBS } from './text-jobs-export.ts'
import { FILL_CODE, FILL_JOBS } from './text-jobs-fill.ts'
import { PAGE_CODE, PAGE_JOBS } from './text-jobs-pages.ts'

/** The code of the jobs below, which a function loads on first use. */
const CODE = {
  records: () => import('../domain/catalogue/repository-records.ts'),
  promptFile: () => import('../domain/content/prompt-file.ts'),
  resultFile: () => import('../domain/content/result-file.ts'),
  pastedFile: () => import('../../packages/editor/form/pasted-file.ts'),
  changeDecision: () => import('../domain/managing/decision.ts'),
  changeRequest: () => import('../domain/managing/request.ts'),
  ownerDecision: () => import('../domain/managing/owner-decision.ts'),
  ownerRequest: () => import('../domain/managing/owner-request.ts'),
  resultDecision: () => import('../domain/managing/result-decision.ts'),
  resultRequest: () => import('../domain/managing/result-request.ts'),
  judgeForm: () => import('../../packages/editor/form/judge-form.ts'),
  publishIncludes: () => import('../domain/publishing/includes.ts'),
  publishDecision: () => import('../domain/publishing/decision.ts'),
  promptFilePublish: () => import('../domain/publishing/prompt-file.ts'),
  repositoryState: () => import('../domain/publishing/repository-state.ts'),
  publishRequest: () => import('../domain/publishing/request.ts'),
  archive: () => import('../../packages/stores/read-archive.ts'),
  skillFolder: () => import('../../packages/formats/skill-folder.ts'),
}

/** Not among the code that every thread loads: most publishes have no attestation. */
const loadVerification = () => import('../../packages/stores/verify-attestation.ts')

/** Every job. */
export const TEXT_JOBS: TextJobTable = {
  ...FILL_JOBS,
  ...EXPORT_JOBS,
  ...PAGE_JOBS,
  readPastedForm: jobIn(CODE.pastedFile, (code) => code.readPastedForm),
  judgeForm: jobIn(CODE.judgeForm, (code) => code.judgeForm),
  parsePublish: jobIn(CODE.publishRequest, (code) => (body) => code.readPublishBody(body, measure)),
  parsePromptFile: jobIn(CODE.promptFilePublish, (code) => (file, query) => code.readPromptFile(file, query, measure)),
  async parseArchive(archive, query) {
    const [{ readArchive }, { readPromptFile }, { readSkillFolder }] = await Promise.all([
      CODE.archive(),
      CODE.promptFilePublish(),
      CODE.skillFolder(),
    ])
    const { main, files, attestations } = readArchive(archive)
    const input =
      main.name === 'SKILL.md'
        ? readSkillFolder(main.text, files, query, measure)
        : readPromptFile(main.text, query, measure, files)
    return attestations.length === 0 ? input : { ...input, attestations }
  },
  verifyAttestation: jobIn(loadVerification, (code) => code.verifyAttestation),
  unpackFiles: jobIn(CODE.archive, ({ readArchive }) => (archive) => {
    return readArchive(archive).files.map(({ path, bytes }) => measureFile(path, bytes))
  }),
  parseChange: jobIn(CODE.changeRequest, (code) => code.readChangeBody),
  readState: jobIn(CODE.repositoryState, (code) => code.readRepositoryState),
  recallState: jobIn(CODE.repositoryState, (code) => code.recallRepositoryState),
  async decidePublish(request, state, latest, publisher, { baseUrl, around, parts }) {
    const { decidePublish } = await CODE.publishDecision()
    const given = request.files?.map(({ path, bytes }) => measureFile(path, bytes))
    const bundle = await bundlerOf(state, latest.files, given)
    const files = { latest: latest.files, given, bundle }
    const addresses = addressesBelow(baseUrl)
    return decidePublish(request, state, latest.text, publisher, { measure, addresses, around, parts, files })
  },
  findIncludes: jobIn(CODE.publishIncludes, (code) => code.findRequestIncludes),
  resolveIncludes: jobIn(CODE.publishIncludes, (code) => code.resolveRequestIncludes),
  async describePublished(state, version, { text, files }, before, { baseUrl, isAssembled }) {
    const [{ warnOf, compareWritten }, { nextLower, readListedVersion }] = await Promise.all([
      CODE.publishDecision(),
      CODE.repositoryState(),
    ])
    const file = readListedVersion(state, version, text)
    const plain = { ...file, ...measure(file.content), version }
    const bundle = await bundlerOf(state, files)
    const entry = files.length === 0 ? plain : { ...plain, bundle: bundle(plain, files) }
    const previous = nextLower(state.versions, version)
    const latest = before && { ...readListedVersion(state, before.version, before.text), version: before.version }
    const { difference, warnings: breaking } = compareWritten(latest, entry)
    return {
      record: await TEXT_JOBS.recordVersion(entry, previous, state, baseUrl),
      entry,
      warnings: warnOf(entry, state, files, breaking, isAssembled),
      breaking: difference?.breaking ?? false,
    }
  },
  decideChange: jobIn(CODE.changeDecision, (code) => code.decideChange),
  parseOwnerChange: jobIn(CODE.ownerRequest, ({ readOwnerChange, listRights }) => (body) => {
    const change = readOwnerChange(body)
    return { change, rights: listRights(change) }
  }),
  decideOwnerChange: jobIn(CODE.ownerDecision, (code) => code.decideOwnerChange),
  parseResult: jobIn(CODE.resultRequest, (code) => code.readResultBody),
  decideResult: jobIn(CODE.resultDecision, (code) => code.decideResult),
  parseResults: jobIn(CODE.resultFile, ({ parseResultFile }) => (files) => {
    return files.flatMap(([suite, text]): [string, ReturnType<typeof parseResultFile>['value'] & object][] => {
      const { value } = parseResultFile(text)
      return value ? [[suite, value]] : []
    })
  }),
  formatResults: jobIn(CODE.resultFile, ({ formatResultFile }) => (files) => {
    return files.map(([suite, file]): [string, string] => [suite, formatResultFile(file)])
  }),
  digestVersion: jobIn(CODE.repositoryState, ({ readListedVersion }) => (place, version, text) => {
    return measure(readListedVersion(place, version, text).content).content_sha256
  }),
  readVersion: jobIn(CODE.promptFile, ({ parseVersionFile }) => (version, text) => {
    const { value } = parseVersionFile(text)
    return value && { ...value, ...measure(value.content), version }
  }),
  formatPublished: jobIn(CODE.promptFile, (code) => code.formatPublished),
  describeRepository: jobIn(CODE.records, ({ describeRepository }) => (parts, baseUrl) => {
    return describeRepository(parts, addressesBelow(baseUrl))
  }),
  recordVersion: jobIn(CODE.records, ({ recordVersion }) => (entry, previous, place, baseUrl) => {
    return recordVersion(entry, previous, place, addressesBelow(baseUrl))
  }),
  readIndex: jobIn(CODE.repositoryState, (code) => code.readIndex),
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
  const all = { ...FILL_CODE, ...EXPORT_CODE, ...PAGE_CODE, ...CODE }
  await Promise.all(Object.values(all).map((load) => load()))
}
