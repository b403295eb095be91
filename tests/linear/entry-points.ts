// Where texts of strangers enter the hub: requests, the content folder, pages, exports and imports. A function that is
// reached only through one of these is measured with it.

import { detectFormat, READERS } from '../../packages/prompt-formats/source/formats.ts'
import { ConversionProblems } from '../../packages/prompt-formats/source/portable.ts'
import { writePromptfoo } from '../../packages/prompt-formats/source/promptfoo.ts'
import { readWholeFile } from '../../packages/prompt-formats/source/read-prompt-file.ts'
import { recogniseFormat } from '../../packages/prompt-formats/source/recognise.ts'
import { readSkillFolder } from '../../packages/prompt-formats/source/skill-folder.ts'
import { writePromptFile } from '../../packages/prompt-formats/source/write-prompt-file.ts'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import { joinWords } from '../../src/catalogue/originals.ts'
import { listDataFiles } from '../../src/catalogue/published/data-files.ts'
import { listColumns, listWords, readDocument } from '../../src/catalogue/search/document.ts'
import { readLogLine } from '../../src/catalogue/usage-log.ts'
import { findToken } from '../../src/domain/access/token.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../../src/domain/api/export-formats.ts'
import { areValid, lowerCasePath } from '../../src/domain/api/routes.ts'
import { compareForCallers } from '../../src/domain/catalogue/difference.ts'
import { digestManifest } from '../../src/domain/catalogue/repository-records.ts'
import { findIncludeLines } from '../../src/domain/compose/include-lines.ts'
import { splitTools } from '../../src/domain/content/allowed-tools.ts'
import { parsePath } from '../../src/domain/content/content-path.ts'
import { fillMessages } from '../../src/domain/content/filling.ts'
import { judgeVersion } from '../../src/domain/content/first-files.ts'
import { findHiddenCharacters } from '../../src/domain/content/hidden-characters.ts'
import { compareVariables, findVariableNames } from '../../src/domain/content/placeholders.ts'
import { parseOwnerFile, parseRepositoryFile, parseVersionFile } from '../../src/domain/content/prompt-file.ts'
import { parseResultFile } from '../../src/domain/content/result-file.ts'
import { checkRepository, checkText, checkVersion } from '../../src/domain/content/rules.ts'
import { findCertainSecret } from '../../src/domain/content/secrets.ts'
import { findSkillProblems, formatSkill } from '../../src/domain/content/skill.ts'
import { findWeakDescription } from '../../src/domain/content/skill-descriptions.ts'
import { checkFileText } from '../../src/domain/content/version-files.ts'
import { findMissingFiles, findStoredAsText } from '../../src/domain/content/warnings.ts'
import { summariseAdded } from '../../src/domain/inspect/describe.ts'
import { inspectVersion } from '../../src/domain/inspect/inspect-version.ts'
import { decideChange } from '../../src/domain/managing/decision.ts'
import { decideOwnerChange } from '../../src/domain/managing/owner-decision.ts'
import { readOwnerChange } from '../../src/domain/managing/owner-request.ts'
import { readChangeBody } from '../../src/domain/managing/request.ts'
import { readResultBody } from '../../src/domain/managing/result-request.ts'
import { findRequestIncludes, resolveRequestIncludes } from '../../src/domain/publishing/carry-over.ts'
import { decidePublish } from '../../src/domain/publishing/decision.ts'
import { readPromptFile, readPublishQuery } from '../../src/domain/publishing/prompt-file.ts'
import { readRepositoryState } from '../../src/domain/publishing/repository-state.ts'
import { type PublishInput, parsePublishRequest, readPublishBody } from '../../src/domain/publishing/request.ts'
import { countTypos } from '../../src/domain/search/edit-distance.ts'
import { splitChat } from '../../src/domain/values/chat.ts'
import { checkChat, findUnwritable } from '../../src/domain/values/chat-rules.ts'
import { isTag } from '../../src/domain/values/names.ts'
import { formOf } from '../../src/editor/form/composed-form.ts'
import { suggestCorrections } from '../../src/editor/form/suggestions.ts'
import { previewedOf, readVersionForm, requestsOf } from '../../src/editor/form/version-form.ts'
import { readPasted } from '../../src/editor/long-work.ts'
import { changeOf } from '../../src/editor/manage-form.ts'
import { ownerChangeOf } from '../../src/editor/owner-form.ts'
import { digestText, measure } from '../../src/files/measure.ts'
import { createHubApp } from '../../src/hub/hub-app.ts'
import { reviewIncludes } from '../../src/review/rules/includes.ts'
import { fixFile } from '../../src/review/rules/mechanical.ts'
import { reviewFile, reviewIndex, reviewNamedFiles, reviewVersion } from '../../src/review/rules/review.ts'
import { exportVersion } from '../../src/routes/export-version.ts'
import { fillPrompt } from '../../src/server/mcp/fill-prompt.ts'
import { formatMenuEntry } from '../../src/server/mcp/prompts.ts'
import { isWithinLimits, unknownName } from '../../src/server/mcp/protocol.ts'
import { redirectMoved } from '../../src/server/pages/handle-page.ts'
import { listSearchWords, markWords } from '../../src/server/pages/marks.ts'
import { parseSearchPageQuery } from '../../src/server/pages/search-page-query.ts'
import { readListQuery } from '../../src/server/read/list-query.ts'
import { readVersionQuery } from '../../src/server/read/query-values.ts'
import { pathOf, queryOf, readContentType, readHost } from '../../src/server/request.ts'
import { linkTarget } from '../../src/site/links.ts'
import { renderMarkdown } from '../../src/site/markdown.ts'
import { fitTitle, formatStructuredData } from '../../src/site/page-head.ts'
import { listDownloads } from '../../src/site/prompt/downloads.ts'
import { fillOne } from '../../src/site/prompt/fill-one.ts'
import { joinMessages, openInAddress } from '../../src/site/prompt/open-in.ts'
import { renderPreview } from '../../src/site/prompt/preview.ts'
import { renderContents, renderLines, renderText } from '../../src/site/prompt/prompt-text.ts'
import { listQualityChecks } from '../../src/site/prompt/quality-checks.ts'
import { renderComparison } from '../../src/site/prompt/render-difference.ts'
import { openPartNames, renderPartChanges } from '../../src/site/prompt/render-parts.ts'
import { suggestChange } from '../../src/site/prompt/source-links.ts'
import { listSkillInstalls, listUses } from '../../src/site/prompt/use-it.ts'
import { anIndex, anOwner, aTree } from '../fixtures/records.ts'
import { words } from '../words.ts'
import { ADDRESSES, filesOf, indexOf, promptOf, recordOf, repositoryOf, VARIABLES, versionOf } from './made.ts'

/** Makes calls from a text. What is made for them is not measured. */
export type CallsOf = (text: string) => (() => unknown)[]

const FORMATS = ['text', 'chat'] as const
const PLACE = { owner: 'acme', name: 'a' }
const FRONT = 'published_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\n'
/** The files in which a text can stand: as it is, in a value, as a key, and below the front matter. */
const filesWith = (text: string) => [
  text,
  `---\n${FRONT}changelog: ${JSON.stringify(text)}\n---\nText\n`,
  `---\ninput: {schema: {${JSON.stringify(text)}: string, ${JSON.stringify(`a(enum,${text}`)}: [a]}}\n---\nText\n`,
  `---\n${FRONT}---\n${text}`,
]
const inEachFile = (read: (file: string) => unknown, text: string) => filesWith(text).map((file) => () => read(file))

/** A version with a part between two texts. */
const LINE = '{{include "acme/part"}}'
const PART = { repository: 'acme/part', range: '*', version: '1.0.0', concerns: [], hasFiles: false }
function composed<Version>(version: Version, text: string) {
  const length = Buffer.byteLength(text)
  const { content_sha256 } = measure('part')
  const include = { repository: 'acme/part', range: '*', version: '1.0.0', content_sha256, variables: [], through: [] }
  return { ...version, content: `${text}\n${text}\n${text}`, includes: [{ ...include, start: length + 1, length }] }
}

const inputOf = (text: string): PublishInput => ({
  ...parsePublishRequest({ content: 'a', bump: 'patch' }),
  // A text of blank lines alone would be refused at once.
  content: `a${text}a`,
  changelog: text,
  skill: { description: text },
  variables: VARIABLES,
})
const stateOf = (text: string) => ({
  ...PLACE,
  versions: ['1.0.0'],
  used: [],
  latest: '1.0.0',
  indexText: undefined,
  file: indexOf(text),
})

/** Decides a publish after a version with another text. */
function decide(text: string, input: PublishInput, parts: Parameters<typeof decidePublish>[4]['parts'] = []) {
  const given = input.skill ? filesOf(text) : undefined
  return () =>
    decidePublish(
      input,
      stateOf(text),
      `---\n${FRONT}---\n${text}a`,
      { published_by: 'octocat', clock: { nowMs: 0, isShared: false }, provenance: undefined },
      {
        measure,
        addresses: ADDRESSES,
        parts,
        around: { isOriginKnown: true },
        files: { latest: [], given, bundle: () => ({ sha256: '', files: [] }) },
      },
    )
}
const formOfFields = (text: string) =>
  new URLSearchParams({ content: text, readme: text, tags: text, title: text, q: text, change: 'readme' })
const sentForm = (text: string) => ({
  owner: 'acme',
  name: text,
  title: text,
  description: text,
  tags: text,
  license: text,
  content: text,
  readme: text,
  parameters: JSON.stringify({ a: text }),
  changelog: text,
  skill: text,
  expected: '',
  'variable.a.type': 'enum',
  'variable.a.options': text,
  'variable.a.default': text,
})
const { langfuse, langchain, openai, mlflow, promptlayer, portkey, github, ...TEXT_READERS } = READERS
const JSON_READERS = { langfuse, langchain, openai, mlflow, promptlayer, portkey, github }
/** Prompts of tools that write JSON or YAML. */
const jsonFilesWith = (text: string) => [
  text,
  JSON.stringify({
    object: 'response',
    slug: 'a',
    type: 'text',
    name: text,
    prompt: text,
    template: text,
    string: text,
    instructions: text,
    config: { [text]: text },
    tags: { [text]: 1 },
    variables: { [text]: text },
    [text]: 1,
  }),
  JSON.stringify({
    messages: [{ role: 'user', content: text }],
    prompt_template: { messages: [{ role: 'user', template_format: 'f-string', content: [{ type: 'text', text }] }] },
    metadata: { [text]: text },
  }),
]

const app = createHubApp()

/** The entry points at which a long text takes little time for its length. */
export const FAST: Readonly<Record<string, CallsOf>> = {
  'the address of a request': (text) => [
    ...[pathOf, queryOf, lowerCasePath].map((read) => () => read(`/${text}`)),
    () => app.router.match('GET', `/${text}`),
    ...words`owner name version label suite path attestation`.map((name) => () => areValid({ [name]: text })),
    () => redirectMoved(new URL(`https://hub.test/${encodeURIComponent(text.toWellFormed())}`)),
    () => readVersionQuery(formOfFields(text)),
    () => readListQuery(formOfFields(text)),
    () => parseSearchPageQuery(formOfFields(text)),
    () => readPublishQuery({ changelog: text, [text]: text }),
    () => listSearchWords(text),
    () => unknownName(text, text, text),
    () => findToken(text),
    () => isTag(text),
  ],
  'the headers of a request': (text) => {
    const type = `text/plain; charset=${' '.repeat(text.length)}${text.replace(/[^ -~]/g, ' ')}x"y`
    const headers = new Headers({ 'Content-Type': type })
    return [() => readContentType(headers), () => readHost(text)]
  },
  'the JSON of an MCP call': (text) => [
    () => isWithinLimits(text),
    () => isWithinLimits(JSON.stringify({ [text]: [text, { a: text }] })),
  ],
  'a line of a log': (text) => [() => readLogLine(text), () => readLogLine(`GET /api/v1/repos/${text} 200`)],
  'a path of the content folder': (text) => [() => parsePath(text), () => parsePath(`acme/a/versions/1.0.0/${text}`)],
  'the files of a published version': (text) => {
    const files = (more: string) =>
      new Map((`${text}${more}`.match(/.{1,64}/gs) ?? []).map((part, at) => [`a/${at}-${part}`, part]))
    const past = { first: files('a'), commit: 'a'.repeat(40), wasRemoved: false }
    return [() => judgeVersion('1.0.0', files(''), past, false)]
  },
  // A slow rule would not be noticed among all that a publish does.
  'the rules about the content of a version': (text) => {
    const [version, chat] = [versionOf(text, 'text'), versionOf(text, 'chat')]
    const skill = { ...version, skill: { description: text, license: null } }
    return [
      ...[version, chat].flatMap((one) => [
        () => findStoredAsText(one, true),
        () => compareVariables(one),
        () => findVariableNames(one),
        () => compareForCallers({ ...one, files: [] }, { ...versionOf(`${text}a`, one.format), files: [] }),
      ]),
      () => findMissingFiles(skill.content, filesOf(text)),
      () => findSkillProblems(skill),
      () => findIncludeLines(text),
      () => findHiddenCharacters(text),
      () => findUnwritable(text),
      () => findCertainSecret(text),
      () => checkFileText('a.md', text),
      () => checkText('readme', text),
      () => joinWords(text),
      () => splitChat(text),
      () => checkChat(text),
    ]
  },
  'what a version can do': (text) => {
    const record = { ...recordOf(text, 'text'), skill: { description: text, license: null } }
    const files = filesOf(text)
    const torn = files.map(({ path, bytes }) => ({ path, bytes: Uint8Array.from([0xff, ...bytes]) }))
    const found = inspectVersion(record, files, digestText)
    return [
      () => inspectVersion(record, files, digestText),
      () => inspectVersion(record, torn, digestText),
      () => summariseAdded([], found),
    ]
  },
  'a page of Markdown': (text) => [() => renderMarkdown(text, { title: 'a' }), () => linkTarget(text)],
  'a page with the text of a version': (text) => [
    () => renderContents([text], VARIABLES),
    () => renderContents(text.match(/.{1,525}/gsu) ?? [], VARIABLES),
    () => renderText(text),
    () => renderLines(text, 200),
  ],
  'a preview': (text) => FORMATS.map((format) => () => renderPreview({ content: text, format, variables: VARIABLES })),
  'the head and parts of a page of a prompt': (text) => {
    const [repository, record] = [repositoryOf(text, 'text'), recordOf(text, 'text')]
    const host = { repository: 'a/b', web: 'https://git.test', branch: 'main', content: 'content' }
    return [
      () => fitTitle(text, text),
      () => formatStructuredData({ a: text }),
      () => listDownloads(repository, record),
      () => listQualityChecks({ repository, newest: [], results: [] }, record, 0),
      () => suggestChange(host, record),
      () => listUses(repository, text),
      () => listSkillInstalls(record, text),
      () => openInAddress(text, text),
      () => joinMessages(splitChat(text)),
      () => formatMenuEntry(repository),
      () => markWords(text, ['a', 'abc', 'word']),
    ]
  },
  'filling a prompt': (text) => [
    () => fillMessages({ messages: [{ role: 'user', content: text }], variables: VARIABLES }, { a: text }, 'strict'),
    () => fillPrompt({ content: text, messages: null, variables: VARIABLES }, { a: text.slice(0, 20), b: text }),
    () => fillOne({ ...VARIABLES[0]!, options: [text], default: text }, text),
  ],
  'the index of the search': (text) => {
    const repository = repositoryOf(text, 'text')
    return [
      () => {
        const document = readDocument(repository)
        return [listColumns(document, { tags: [text] }), listWords(document)]
      },
      () => countTypos(text.slice(0, 64), text, 2),
    ]
  },
  'a skill': (text) => [
    () =>
      formatSkill({
        ...recordOf(text, 'text'),
        skill: { description: text, license: text, compatibility: text, metadata: { a: text } },
      }),
    () => splitTools(text),
    () => findWeakDescription({ name: 'a', description: text }, [{ name: 'b', description: text }]),
  ],
  'the digest of a manifest': (text) => [
    () => digestManifest({ ...recordOf(text, 'text'), files: filesOf(text) }, measure),
  ],
  'a file of another tool is recognised': (text) =>
    filesWith(text).flatMap((file) => [
      () => recogniseFormat(file),
      () => detectFormat(`${text.slice(0, 64)}.md`, file),
      () => detectFormat(`${text.slice(0, 64)}.json`, file),
    ]),
}

/** The entry points that parse YAML or check every rule, which takes several microseconds for each character. */
export const SLOW: Readonly<Record<string, CallsOf>> = {
  'the body of a publish': (text) => [
    () => readPublishBody(text),
    () => readPublishBody(JSON.stringify({ content: text, variables: [{ name: 'a', description: text }] })),
    () => readPublishBody(JSON.stringify({ content: 'a', parameters: { a: text, [text]: text }, changelog: text })),
  ],
  'a prompt file': (text) => inEachFile((file) => readPromptFile(file, {}), text),
  'the body of a change': (text) => [
    () => readChangeBody({ kind: 'patch' }, text),
    () => readChangeBody({ kind: 'patch' }, JSON.stringify({ readme: text, title: text, tags: [text] })),
    () => readOwnerChange(text),
    () => readOwnerChange(JSON.stringify({ bio: text, name: text })),
    () => readResultBody(text),
    () => readResultBody(JSON.stringify({ passed: 1, failed: 0, url: text, model: text })),
  ],
  'a publish is decided': (text) => [
    decide(text, inputOf(text)),
    decide(text, { ...inputOf(`{{role "user"}}\n${text}`), format: 'chat', skill: undefined }),
  ],
  'a publish with include lines is composed': (text) => {
    const input = { ...inputOf(`${text}\n${LINE}`), compose: true, skill: undefined }
    const yanked = anIndex({ yanked: { '1.0.0': text } })
    const known = [{ ...stateOf('a'), name: 'part', file: yanked }]
    return [
      () => findRequestIncludes(input, stateOf('a'), undefined),
      () => {
        const lines = findRequestIncludes(input, stateOf('a'), undefined)
        return resolveRequestIncludes(PLACE, lines, known)
      },
      decide(text, input, [{ ...PART, file: `---\n${FRONT}---\n${text}` }]),
    ]
  },
  'a change is decided': (text) => [
    () =>
      decideChange(
        { kind: 'patch', fields: { readme: text, title: text }, isDryRun: false },
        stateOf(text),
        new Map(),
        '',
      ),
    () => decideOwnerChange({ bio: text, name: text.slice(0, 200) }, 'acme', `---\nname: a\n---\n${text}`),
    () => readRepositoryState({ ...PLACE, versions: ['1.0.0'], index: `---\ntitle: A\n---\n${text}`, used: [] }),
  ],
  'a version file': (text) => inEachFile(parseVersionFile, text),
  'an index.md': (text) => inEachFile(parseRepositoryFile, text),
  'an owner’s file': (text) => inEachFile(parseOwnerFile, text),
  'a file of a result': (text) => [
    () => parseResultFile(text),
    () => parseResultFile(`model: ${JSON.stringify(text)}\n${JSON.stringify(text)}: 1\n`),
  ],
  'the data files of a prompt': (text) =>
    FORMATS.map((format) => () => {
      const prompt = promptOf(text, format)
      for (const version of prompt.versions) checkVersion(version)
      checkRepository(prompt, { repositories: new Map() })
      const catalogue = buildCatalogue(aTree([prompt]), { baseUrl: 'https://hub.test', day: '2026-11-20' })
      return [...listDataFiles(catalogue, (one) => one.slice(0, 8))]
    }),
  'the review of a pull request': (text) => {
    const context = { now: new Date(0), mayBePublisher: () => false }
    const change = { isNew: true, isRestored: false, isTouched: true }
    const version = versionOf(text, 'text')
    return [
      () => reviewVersion(PLACE, version, versionOf(`${text}a`, 'text'), change, context),
      () => reviewVersion(PLACE, versionOf(text, 'chat'), undefined, change, context),
      () => reviewIndex(PLACE, indexOf(text), version),
      () => reviewFile({ kind: 'owner', owner: 'acme' }, text),
      () => reviewNamedFiles(PLACE, version, filesOf(text)),
      () =>
        reviewIncludes(PLACE, composed(version, text), { isNew: true }, () => ({
          version: { ...version, content_sha256: '' },
          file: undefined,
          hasFiles: false,
        })),
      ...filesWith(text).map((file) => () => fixFile('acme/a/versions/1.0.0.md', file)),
    ]
  },
  'a comparison': (text) => {
    const [older, newer] = [recordOf(text, 'text'), recordOf(`${text}a`, 'text')]
    const before = composed({}, text)
    const after = { ...before, includes: before.includes.map((one) => ({ ...one, version: '1.1.0' })) }
    return [
      () => renderComparison(older, newer),
      () => renderPartChanges(before, after),
      () => openPartNames(before, after),
    ]
  },
  'the form of the editor': (text) => {
    const repository = repositoryOf(text, 'text')
    const form = formOf(repository, recordOf(text, 'text'))
    return [
      () => requestsOf(readVersionForm(sentForm(text), '')),
      () => readVersionForm({ content: text, format: 'chat' }, ''),
      () => suggestCorrections(readVersionForm(sentForm(text), 'acme')),
      () => formOf(repository, recordOf(text, 'chat')),
      () => previewedOf({ ...form, compose: true }, { content: text, variables: VARIABLES }),
      () => changeOf(formOfFields(text), { owner: text, name: text }),
      () =>
        ownerChangeOf(new URLSearchParams({ change: 'labels', protected_labels: text }), {
          person: { login: 'a', user_id: '1' },
          owner: 'acme',
          file: anOwner({ bio: text }),
        }),
    ]
  },
  // The readers of all formats are those of an import.
  'a file that is pasted into the editor': (text) => [
    () => readPasted(`---\n${text}\n---\na`, 'prompt-file'),
    () => readPasted(`---\ntitle: A\n---\n${text}`, 'dotprompt'),
  ],
  'an import': (text) => [
    ...jsonFilesWith(text).flatMap((file) => Object.values(JSON_READERS).map((read) => () => read(file, 'a'))),
    ...filesWith(text).flatMap((file) => [
      ...Object.values(TEXT_READERS).map((read) => () => read(file, 'a')),
      () => readWholeFile(file, 'a'),
      () => readSkillFolder(file, [], {}),
    ]),
  ],
  'an export': (text) => {
    const repository = repositoryOf(text, 'text')
    const evaluators = [{ name: text, string: { contains: text } }, { llm: { prompt: text } }]
    const body = { format: 'text' as const, text }
    const tests = { title: text, body, variables: ['a'], model: text, testData: [{ a: text }], evaluators }
    return [
      ...FORMATS.flatMap((format) =>
        (Object.keys(EXPORT_FORMATS) as ExportFormat[]).map(
          (name) => () => exportVersion(name, repository, recordOf(text, format)),
        ),
      ),
      () => writePromptFile(repository, recordOf(text, 'text')),
      () => writePromptfoo(tests, new ConversionProblems()),
    ]
  },
}
