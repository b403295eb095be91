// The jobs of the port for work on somebody's text, and the driver that runs them in place. Each job imports its code on first use.
import { runInPlace, type TextJobTable, type TextWork } from '../ports/text-work.ts'
import { EXPORT_JOBS } from './text-jobs-export.ts'
import { FILL_JOBS } from './text-jobs-fill.ts'
import { PAGE_JOBS } from './text-jobs-pages.ts'

/** Every job. */
export const TEXT_JOBS: TextJobTable = {
  ...FILL_JOBS,
  ...EXPORT_JOBS,
  ...PAGE_JOBS,
  async readPasted(source, file, format) {
    const { readPasted } = await import('../domain/formats/pasted-file.ts')
    return readPasted(source, file, format)
  },
  async parsePublish(body) {
    const [{ readPublishBody }, { measure }] = await Promise.all([
      import('../domain/publishing/request.ts'),
      import('../ports/measure.ts'),
    ])
    return readPublishBody(body, measure)
  },
  async parseChange(target, body) {
    const { readChangeBody } = await import('../domain/managing/request.ts')
    return readChangeBody(target, body)
  },
  async readState(found) {
    const { readRepositoryState } = await import('../domain/publishing/repository-state.ts')
    return readRepositoryState(found)
  },
  async decidePublish(request, state, latestText, publisher, { baseUrl, around }) {
    const [{ decidePublish }, { addressesBelow }, { measure }] = await Promise.all([
      import('../domain/publishing/decision.ts'),
      import('../domain/api/record-links.ts'),
      import('../ports/measure.ts'),
    ])
    const addresses = addressesBelow(baseUrl)
    return decidePublish(request, state, latestText, publisher, { measure, addresses, around })
  },
  async describePublished(state, version, text, baseUrl) {
    const [{ warnOf }, { nextLower, readListedVersion }, { measure }] = await Promise.all([
      import('../domain/publishing/decision.ts'),
      import('../domain/publishing/repository-state.ts'),
      import('../ports/measure.ts'),
    ])
    const file = readListedVersion(state, version, text)
    const entry = { ...file, ...measure(file.content), version }
    const previous = nextLower(state.versions, version)
    return { record: await TEXT_JOBS.recordVersion(entry, previous, state, baseUrl), warnings: warnOf(entry, state) }
  },
  async decideChange(change, state, repositories) {
    const { decideChange } = await import('../domain/managing/decision.ts')
    return decideChange(change, state, { repositories })
  },
  async readVersion(version, text) {
    const [{ parseVersionFile }, { measure }] = await Promise.all([
      import('../domain/content/prompt-file.ts'),
      import('../ports/measure.ts'),
    ])
    const { value } = parseVersionFile(text)
    return value && { ...value, ...measure(value.content), version }
  },
  async formatPublished(record) {
    const { formatPublished } = await import('../domain/content/prompt-file.ts')
    return formatPublished(record)
  },
  async describeRepository(parts, baseUrl) {
    const [{ describeRepository }, { addressesBelow }] = await Promise.all([
      import('../domain/catalogue/repository-records.ts'),
      import('../domain/api/record-links.ts'),
    ])
    return describeRepository(parts, addressesBelow(baseUrl))
  },
  async recordVersion(entry, previous, place, baseUrl) {
    const [{ recordVersion }, { addressesBelow }] = await Promise.all([
      import('../domain/catalogue/repository-records.ts'),
      import('../domain/api/record-links.ts'),
    ])
    return recordVersion(entry, previous, place, addressesBelow(baseUrl))
  },
  async readIndex(place, text) {
    const { readIndex } = await import('../domain/publishing/repository-state.ts')
    return readIndex(place, text)
  },
}

/** Runs every job in place: on Netlify, where each request has a process of its own, and in tests. */
export const TEXT_WORK_IN_PLACE: TextWork = runInPlace(TEXT_JOBS)

/** Loads the code of every job. */
export async function loadTextJobs(): Promise<void> {
  await Promise.all([
    import('../domain/api/record-links.ts'),
    import('../domain/catalogue/difference.ts'),
    import('../domain/catalogue/repository-records.ts'),
    import('../domain/content/filling.ts'),
    import('../domain/content/hidden-characters.ts'),
    import('../domain/content/placeholders.ts'),
    import('../domain/content/prompt-file.ts'),
    import('../domain/formats/formats.ts'),
    import('../domain/formats/pasted-file.ts'),
    import('../domain/managing/decision.ts'),
    import('../domain/managing/request.ts'),
    import('../domain/publishing/decision.ts'),
    import('../domain/publishing/repository-state.ts'),
    import('../domain/publishing/request.ts'),
    import('../domain/review/findings.ts'),
    import('../ports/measure.ts'),
    import('../site/markdown.ts'),
    import('../site/prompt/prompt-text.ts'),
    import('../site/prompt/render-difference.ts'),
  ])
}
