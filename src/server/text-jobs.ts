// The jobs of the port for work on somebody's text, and the driver that runs them in place. Each job imports its code on first use.
import { HubError } from '../domain/api/errors.ts'
import type { TextJobs, TextWork } from '../ports/text-work.ts'

/** Every job. */
export const TEXT_JOBS: {
  [Name in keyof TextJobs]: (...given: Parameters<TextJobs[Name]>) => Promise<ReturnType<TextJobs[Name]>>
} = {
  async exportVersion(format, repository, record) {
    const { toExported, WRITERS } = await import('../domain/formats/formats.ts')
    return WRITERS[format](toExported(repository, record))
  },
  async readPasted(source, file, format) {
    const { readPasted } = await import('../domain/formats/pasted-file.ts')
    return readPasted(source, file, format)
  },
  async renderMarkdown(text, place) {
    const { renderMarkdown } = await import('../site/markdown.ts')
    return renderMarkdown(text, place)
  },
  async renderTexts(texts, variables) {
    const [{ renderContent }, { countHidden }] = await Promise.all([
      import('../site/prompt/prompt-text.ts'),
      import('../domain/content/hidden-characters.ts'),
    ])
    return {
      html: texts.map((text) => renderContent(text, variables, { isLinked: true })),
      hidden: texts.reduce((sum, text) => sum + countHidden(text), 0),
    }
  },
  async renderComparison(from, to) {
    const [{ renderCallerImpact, renderDifferenceLines }, { compareForCallers }] = await Promise.all([
      import('../site/prompt/render-difference.ts'),
      import('../domain/catalogue/difference.ts'),
    ])
    return { impact: renderCallerImpact(compareForCallers(from, to)), lines: renderDifferenceLines(from, to) }
  },
  async fillPrompt({ content, messages, variables }, values) {
    const { fillContent, fillMessages, formatFillingProblems } = await import('../domain/content/filling.ts')
    const { value, problems } = fillContent({ content, variables }, values, 'lenient')
    if (value) {
      // Each message is filled in separately, so that a value can never create a new message.
      const filled = messages && fillMessages({ messages, variables }, values, 'lenient').value!.messages
      return { content: value.content, messages: filled, missing: value.missing }
    }
    const code = problems.some(({ kind }) => kind === 'too_large') ? 'content_too_large' : 'invalid_request'
    throw new HubError(code, `variables: ${formatFillingProblems(problems)}.`)
  },
  async findPlaceholders(content) {
    const { findPlaceholders } = await import('../domain/content/placeholders.ts')
    return findPlaceholders(content)
  },
  async fillMessages(chat, values) {
    const { fillMessages } = await import('../domain/content/filling.ts')
    return fillMessages(chat, values, 'strict')
  },
  async warnOfTexts(record) {
    const { warnOfTexts } = await import('../domain/review/findings.ts')
    return warnOfTexts(record)
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
export const TEXT_WORK_IN_PLACE: TextWork = {
  run: (name, ...given) => TEXT_JOBS[name](...given),
}
