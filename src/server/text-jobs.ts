// The jobs of the port for work on somebody's text, and the driver that runs them in place. Each job imports its code on first use.
import { runInPlace, type TextJobTable, type TextWork } from '../ports/text-work.ts'
import { EXPORT_CODE, EXPORT_JOBS } from './text-jobs-export.ts'
import { FILL_CODE, FILL_JOBS } from './text-jobs-fill.ts'
import { PAGE_CODE, PAGE_JOBS } from './text-jobs-pages.ts'

/** The code of the jobs below, which a function loads on first use. */
const CODE = {
  recordLinks: () => import('../domain/api/record-links.ts'),
  records: () => import('../domain/catalogue/repository-records.ts'),
  promptFile: () => import('../domain/content/prompt-file.ts'),
  pastedFile: () => import('../domain/editor/pasted-file.ts'),
  changeDecision: () => import('../domain/managing/decision.ts'),
  changeRequest: () => import('../domain/managing/request.ts'),
  ownerDecision: () => import('../domain/managing/owner-decision.ts'),
  ownerRequest: () => import('../domain/managing/owner-request.ts'),
  judgeForm: () => import('../domain/editor/judge-form.ts'),
  publishDecision: () => import('../domain/publishing/decision.ts'),
  promptFilePublish: () => import('../domain/publishing/prompt-file.ts'),
  repositoryState: () => import('../domain/publishing/repository-state.ts'),
  publishRequest: () => import('../domain/publishing/request.ts'),
  measures: () => import('../ports/measure.ts'),
}

/** Every job. */
export const TEXT_JOBS: TextJobTable = {
  ...FILL_JOBS,
  ...EXPORT_JOBS,
  ...PAGE_JOBS,
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
  async decidePublish(request, state, latestText, publisher, { baseUrl, around }) {
    const [{ decidePublish }, { addressesBelow }, { measure }] = await Promise.all([
      CODE.publishDecision(),
      CODE.recordLinks(),
      CODE.measures(),
    ])
    const addresses = addressesBelow(baseUrl)
    return decidePublish(request, state, latestText, publisher, { measure, addresses, around })
  },
  async describePublished(state, version, text, baseUrl) {
    const [{ warnOf }, { nextLower, readListedVersion }, { measure }] = await Promise.all([
      CODE.publishDecision(),
      CODE.repositoryState(),
      CODE.measures(),
    ])
    const file = readListedVersion(state, version, text)
    const entry = { ...file, ...measure(file.content), version }
    const previous = nextLower(state.versions, version)
    return { record: await TEXT_JOBS.recordVersion(entry, previous, state, baseUrl), warnings: warnOf(entry, state) }
  },
  async decideChange(change, state, repositories) {
    const { decideChange } = await CODE.changeDecision()
    return decideChange(change, state, { repositories })
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

/** Runs every job in place: on Netlify, where each request has a process of its own, and in tests. */
export const TEXT_WORK_IN_PLACE: TextWork = runInPlace(TEXT_JOBS)

/** Loads the code of every job. */
export async function loadTextJobs(): Promise<void> {
  const all = { ...FILL_CODE, ...EXPORT_CODE, ...PAGE_CODE, ...CODE }
  await Promise.all(Object.values(all).map((load) => load()))
}
