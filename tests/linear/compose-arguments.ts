// Arguments of the functions that compose versions, made of a text: as a source, as a part, and as what stands around parts.
import { emptyForm } from '../../packages/editor/form/version-form.ts'
import { parsePublishRequest } from '../../src/domain/publishing/request.ts'
import { countBytes } from '../../src/domain/text/text-length.ts'
import { measure } from '../../src/ports/measure.ts'
import { anIndex } from '../domain/fixtures.ts'
import { made } from './makers.ts'

const PLACE = { repository: 'acme/part', range: '*' }
const { content_sha256 } = measure('part')
const LINE = '{{include "acme/part"}}'
const { variables } = made.recordOf('a', 'text')
const lineAt = (offset: number) => ({ ...PLACE, offset, length: LINE.length })
const partOf = (text: string) => ({
  ...{ ...PLACE, version: '1.0.0', content: text, format: 'text' as const, variables },
  ...{ content_sha256, hasFiles: false },
})

/** A version with a part between two texts. */
function composedOf(text: string) {
  const start = countBytes(text) + 1
  const include = {
    ...PLACE,
    version: '1.0.0',
    content_sha256,
    start,
    length: countBytes(text),
    variables: [],
    through: [],
  }
  return { ...made.versionOf(text, 'text'), content: `${text}\n${text}\n${text}`, includes: [include] }
}

const findingsOf = (text: string) =>
  Array.from({ length: 10 }, (_, at) => ({ key: 'content', message: text, offset: at }))
const stateOf = (text: string) => ({
  ...{ owner: 'acme', name: 'part', versions: ['1.0.0'], latest: '1.0.0', indexText: undefined },
  file: anIndex({ yanked: { '1.0.0': text }, moved_to: null }),
})
const requestOf = (text: string) => ({
  ...parsePublishRequest({ content: 'a', compose: true }, measure),
  content: `${text}\n${LINE}`,
})
const linesOf = (text: string) => ({ source: text, lines: [lineAt(0)] })
const written = (text: string) => ({
  ...{ ...PLACE, version: '1.0.0', concerns: [], hasFiles: false },
  text: `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\n---\n${text}`,
})

/** A composed version, and the same one with another version of its part. */
const comparedOf = (text: string) => {
  const older = composedOf(text)
  return [older, { ...older, includes: older.includes.map((include) => ({ ...include, version: '1.1.0' })) }]
}

const at = 'src/domain/compose'
const publishing = 'src/domain/publishing'

/** The arguments by function. */
export const COMPOSE_ARGUMENTS: Readonly<Record<string, (text: string) => unknown[]>> = {
  [`${at}/assemble.ts assemble`]: (text) => [
    { name: 'acme/a', content: `${text}\n${LINE}\n${text}`, format: 'text', variables },
    [lineAt(text.length + 1)],
    [partOf(text)],
  ],
  [`${at}/check-includes.ts checkIncludes`]: (text) => ['acme/a', composedOf(text), measure],
  [`${at}/compose-version.ts findSource`]: (text) => [{ content: text, compose: true }, undefined],
  [`${at}/compose-version.ts ownVariables`]: (text) => [composedOf(text)],
  [`${at}/compose-version.ts listUsed`]: (text) => [text, [partOf(text)]],
  [`${at}/edges.ts findEdgeProblem`]: (text) => [
    'chat',
    { content: text, format: 'chat' },
    { after: text, next: undefined },
  ],
  [`${at}/include-lines.ts divideContent`]: (text) => [composedOf(text)],
  [`${at}/include-lines.ts cutSource`]: (text) => [composedOf(text)],
  [`${at}/include-lines.ts formatIncludeLine`]: (text) => [{ ...PLACE, range: text }],
  [`${at}/join-variables.ts joinVariables`]: (text) => [
    variables.map((variable) => ({ ...variable, description: text })),
    [{ address: text, variables }],
  ],
  [`${at}/join-variables.ts isUndeclared`]: (text) => [{ ...variables[0]!, description: text }],
  [`${at}/resolve.ts resolveIncludes`]: (text) => ['acme/a', [{ ...lineAt(0), range: '1.0.0' }], [stateOf(text)]],
  [`${at}/source-lines.ts placeInSource`]: (text) => [[{ code: 'secret', message: text, line: 1 }], composedOf(text)],
  [`${at}/source-lines.ts nameSourceLines`]: (text) => [findingsOf(text), composedOf(text)],
  [`${at}/take-along.ts takeAlong`]: (text) => [composedOf(text), variables, false],
  [`${at}/warnings.ts findIncludeLike`]: (text) => [composedOf(text), true],
  [`${at}/warnings.ts warnOfParts`]: (text) => [[{ ...PLACE, version: '1.0.0', concerns: [text] }]],
  [`${publishing}/includes.ts findRequestIncludes`]: (text) => [requestOf(text), stateOf('a'), undefined],
  [`${at}/resolve.ts selectVersion`]: (text) => [stateOf(text), { ...PLACE, range: '1.0.0' }],
  [`${publishing}/includes.ts resolveRequestIncludes`]: (text) => [
    { owner: 'acme', name: 'a' },
    linesOf(text),
    [stateOf(text)],
  ],
  [`${publishing}/carry-over.ts carryOver`]: (text) => [requestOf(text), composedOf(text), null],
  [`${publishing}/carry-over.ts composeCarried`]: (text) => [
    { owner: 'acme', name: 'a' },
    requestOf(text),
    composedOf('a'),
    null,
    [written(text)],
    measure,
  ],
  [`${publishing}/carry-over.ts withIncludes`]: (text) => [composedOf(text), [composedOf(text)], false],
  'packages/editor/form/composed-form.ts knownPartsOf': (text) => [
    [{ ...made.recordOf('a', 'text'), ...composedOf(text) }],
  ],
  'packages/editor/form/version-form.ts previewedOf': (text) => [
    { ...emptyForm('acme'), content: `${text}\n${LINE}`, compose: true },
    { texts: { [LINE]: text }, variables },
  ],
  'src/site/prompt/render-parts.ts renderPartChanges': comparedOf,
  'src/site/prompt/render-parts.ts openPartNames': comparedOf,
  'packages/review/rules/includes.ts reviewIncludes': (text) => [
    { owner: 'acme', name: 'a' },
    composedOf(text),
    { isNew: true },
    () => ({ version: { ...made.versionOf(text, 'text'), content_sha256 }, file: undefined, hasFiles: false }),
  ],
}
