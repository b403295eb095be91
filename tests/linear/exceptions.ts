// The functions that need arguments of their own, and those that see no text of unlimited length.
import { ConversionProblems } from '../../packages/formats/portable.ts'
import { measure } from '../../src/ports/measure.ts'
import { anOwner } from '../domain/fixtures.ts'
import { COMPOSE_ARGUMENTS } from './compose-arguments.ts'
import { made } from './makers.ts'

/** Types of arguments of handlers, stores and drivers, which pass a text on to the functions that are called. */
export const NOT_A_TEXT =
  /^(?:Request|Response|.*Deps|Connect<.*|(?:Publish|Server)?Hub(?: \| undefined)?|HubPages|AskedHub|TokenChecks|ReaderChecks|Config(?:\['signIn'\])?|FunctionContext|Sources|UserSources|Visit|Visited|Session|SiteFiles|.*Store|Stores|Bearer|PageData|PageLocals|(?:Sources & )?Pick<(?:Search|PageData|Hub|Serving|Providers|Sources|StateStore|Bearer|AccountView).*|.*\) => .*|HTMLElement|z\.ZodType|Clock|Bytes|Uint8Array|HubError|Parts|MadeResponse)$/

const at = (module: string, names: string) => new RegExp(`^(?:src|packages)/${module}\\.ts (?:${names})$`)

/** Functions that get no stranger's text, or only texts whose length a schema has limited, with the reason. */
export const EXEMPT: readonly [reason: string, ids: RegExp][] = [
  ['counts fields and labels, whose number is limited', at('domain/api/export-formats', 'labelsAt|listLost')],
  ['joins what was read', at('formats/source-file', 'placeResult|joinResults')],
  [
    'names, logins and claims, whose length is limited',
    /^(?:src\/domain\/(?:access|values\/permissions)|packages\/review\/rules\/pull-owners)/,
  ],
  [
    'a member, whose length is limited, and the names of fields',
    at('(?:editor/owner-form|domain/managing/owner-request)', 'isSamePerson|listRights'),
  ],
  [
    'tables of our own, and names that were validated',
    at('domain/api/\\w+', 'pick|listEnvelope|onlyPage|labelledEnvelope|dependentsEnvelope|searchEnvelope|single|list'),
  ],
  [
    'the OpenAPI document, from tables of our own and the operator’s address',
    at('catalogue/published/openapi(?:-parts|-writes)?', '\\w+'),
  ],
  [
    'computes values from records, or copies them',
    /^(?:src\/domain\/(?:catalogue\/(?:activity|label-history|owner-records|usage)|values\/versions)|packages\/skills\/apm|packages\/catalogue\/(?:catalogue|dependents|entry|memberships|originals|outline|ranking|recall|unlisted|usage|published\/data-files))\.ts (?!isRange)/,
  ],
  [
    'an ID that is looked up in a table, and a date of limited length',
    at('domain/content/models', 'modelOf|findModelStatus|findModelNotice'),
  ],
  [
    'the operator’s own list, which `parseYaml` parses and a schema limits',
    at('catalogue/(?:models-file|model-list)', 'parseModelsFile|formatModelsFile|readModelList|mergeModels'),
  ],
  [
    'looks at flags, or takes over fields of a file that was parsed',
    at('domain/compose/compose-version', 'isComposed|readPart'),
  ],
  [
    'the operator’s own roots, and facts and digests that a schema has limited',
    at(
      'domain/(?:content/(?:trusted-root-file|prompt-file)|publishing/attested|values/attestation)',
      'formatTrustedRootFile|storeAttestations|acceptAll|judgeSignatures?|findSubjectProblem|findReplayProblem|refuseOtherSubject|refuseUnsigned|publisherOf',
    ),
  ],
  ['inserts facts of limited length into commands', at('site/prompt/proof-commands', 'listProofCommands')],
  [
    'chooses between files that were parsed',
    at('catalogue/(?:last-good|latest-versions)', 'fixRepository|listLatestVersions'),
  ],
  ['entries of a list, each of limited length', at('domain/content/skill', 'formatSkillIndex')],
  [
    'runs only in `npm run import`, with the functions that are called',
    at(
      'formats/(?:content-files|version-history|compose-import|import-order)',
      'importPrompt|importHistory|composeImport|orderImport|targetOf',
    ),
  ],
  ['the report of a review, which is cut to a length first', at('review/rules/pull-report', 'formatPullReport')],
  [
    'the operator’s list, and words of a query of 200 characters',
    at('catalogue/search/\\w+', 'indexEquivalents|readQuery|weighGroup|formatGroup'),
  ],
  [
    'parses with a schema, whose fields are called through the parsers of files and requests',
    at('domain/(?:text/problems|managing/request)', 'parseWithSchema|parseFields|explodeIssue'),
  ],
  [
    'parses YAML with `parseYaml` or `loadForeignYaml`, which are called',
    at(
      '(?:domain/text/yaml|catalogue/site-file|formats/source-file)',
      'parseAny|loadUsual|parseSiteFile|readYamlSource',
    ),
  ],
  [
    'formats the page of a prompt from values of limited length',
    at('site/prompt/(?:prompt-view|parts)', 'describePrompt|tagsOfParts|setPageHeaders'),
  ],
  ['inserts texts into a page', /^packages\/account\//],
  [
    'looks up a field among the problems of a form, whose number is limited',
    at('(?:account/field-notes|editor/owner-fields)', 'wordsAt|attributesAt|openFields|isRejected|originOf|removalOf'),
  ],
  ['schemas of our own', at('domain/publishing/request', 'boundsOf')],
  [
    'results and labels, whose texts a schema limits',
    at(
      '(?:catalogue/result-rules|domain/(?:catalogue/results|content/(?:result-file|protected-labels)|managing/(?:evidence|result-decision))|review/rules/review-results)',
      '(?!parseResultFile)\\w+',
    ),
  ],
  ['messages of our own', at('server/refusals', '\\w+')],
  [
    'arguments that a schema limits to 10,000 characters',
    at('server/mcp/\\w+(?:-\\w+)?', 'readArguments|serveMessage'),
  ],
  [
    'a query of limited length',
    at('server/(?:pages/search-page-query|read/query-values)', 'formatSearchPageQuery|resolveVersion'),
  ],
  ['opens a request or a store', /^src\/server\/publish\//],
  ['opens a request; its texts go to the text jobs', at('editor/(?:editing|send-version|owner-settings)', '\\w+')],
  ['commits, times and queues', /^src\/ports\//],
]

/** Functions whose texts take long for their length: the YAML parser, and what checks every rule, take several microseconds for each character. */
export const SLOW =
  /^src\/domain\/text\/yaml|^packages\/formats\/foreign-yaml|^src\/domain\/content\/(?:prompt-file|result-file)|^src\/domain\/(?:publishing\/(?:repository-state|request|prompt-file|skill-folder)|managing)|^packages\/review\/rules\/(?:mechanical|review)|^packages\/formats\/(?:dotprompt|plain|prompty|skill|source-file)\.ts read/

/** Functions that need arguments other than those in the table of makers. */
export const OWN_ARGUMENTS: Readonly<Record<string, (text: string) => unknown[]>> = {
  'src/server/mcp/fill-prompt.ts fillPrompt': (text) => [made.recordOf(text, 'chat'), { a: text.slice(0, 20), b: 'c' }],
  'src/site/prompt/text-difference.ts compareManyTexts': (text) => [[[text, `${text}a`]]],
  ...COMPOSE_ARGUMENTS,
  'src/domain/text/yaml.ts parseYaml': (text) => [text, 1],
  'src/domain/text/yaml.ts openKeyLines': (text) => [`a: 1\n${JSON.stringify(text)}: 1`, 1],
  'src/domain/text/yaml-edit.ts editYaml': (text) => [
    `title: # ${text.replaceAll(/[\r\n]/g, ' ')}\n  a\nb: 1\n`,
    [{ path: ['title'], value: text }],
  ],
  'src/domain/content/prompt-file.ts editKeys': (text) => [
    `---\ntitle:${text.replaceAll(/[\r\n]/g, ' ')}# a\n  "b"\n---\n${text}`,
    [{ path: ['title'], value: 'c' }],
  ],
  'src/domain/managing/owner-decision.ts decideOwnerChange': (text) => [
    { bio: text, name: text.slice(0, 200) },
    'acme',
    `---\nname: a\n---\n${text}`,
  ],
  'packages/editor/owner-form.ts ownerChangeOf': (text) => [
    new URLSearchParams({ change: 'labels', protected_labels: text }),
    { person: { login: 'a', user_id: '1' }, owner: 'acme', file: anOwner({ bio: text }) },
  ],
  'packages/formats/promptfoo.ts writePromptfoo': (text) => [
    {
      ...{ title: text, body: { format: 'text', text }, variables: ['a'], model: text, testData: [{ a: text }] },
      evaluators: [{ name: text, string: { contains: text } }, { llm: { prompt: text } }],
    },
    new ConversionProblems(),
  ],
  'src/domain/publishing/prompt-file.ts readPromptFile': (text) => [`---\n${text}\n---\n${text}`, {}, measure],
  'packages/formats/skill-folder.ts readSkillFolder': (text) => [`---\ndescription: a\n---\n${text}`, [], {}, measure],
  'packages/formats/write-prompt-file.ts writePromptFile': (text) => [
    { title: text, description: '', tags: [], license: null },
    { content: text, format: 'text', variables: [], parameters: { a: text } },
  ],
  'src/domain/publishing/repository-state.ts recallRepositoryState': (text) => [
    { owner: 'acme', name: 'a' },
    { repository: made.repositoryOf(text, 'text'), versions: [] },
  ],
  'packages/formats/github.ts readGitHub': (text) => [
    `messages: [{role: user, content: ${JSON.stringify(text)}}]\n`,
    'a',
  ],
  'packages/formats/langfuse.ts readLangfuse': (text) => [
    JSON.stringify({ type: 'text', prompt: text, config: { [text]: text } }),
    'a',
  ],
  'packages/formats/portkey.ts readPortkey': (text) => [JSON.stringify({ slug: 'a', string: text }), 'a'],
  'packages/formats/langchain.ts readLangChain': (text) => [
    JSON.stringify({ template: text, input_variables: [], [text]: 1 }),
    'a',
  ],
  'packages/formats/openai.ts readOpenAI': (text) => [
    JSON.stringify({ object: 'response', instructions: text, variables: { [text]: text }, [text]: 1 }),
    'a',
  ],
  'packages/formats/mlflow.ts readMlflow': (text) => [
    JSON.stringify({ name: text, template: text, tags: { [text]: 1 } }),
    'a',
  ],
  'packages/formats/promptlayer.ts readPromptLayer': (text) => [
    JSON.stringify({
      prompt_template: { messages: [{ role: 'user', template_format: 'f-string', content: [{ type: 'text', text }] }] },
      metadata: { [text]: text },
    }),
    'a',
  ],
  'packages/formats/messages.ts readList': (text) => [
    [...text.slice(0, 5_000), { role: 'user', content: text, [text]: text }],
    { findings: new ConversionProblems(), key: 'messages' },
  ],
  'packages/formats/portable.ts contentOf': (text) => [{ body: { format: 'text', text } }],
  'packages/formats/template.ts readDollarBraces': (text) => [text, '', new ConversionProblems()],
  'packages/formats/parameters.ts addSettings': (text) => [{}, { tools: [{ name: text }] }, new ConversionProblems()],
  'packages/formats/parameters.ts addLarge': (text) => [{}, { tools: [text] }, new ConversionProblems()],
  'packages/formats/template.ts readBraces': (text) => [text, 'jinja2', new ConversionProblems()],
  'packages/editor/form/pasted-file.ts readPastedForm': (text) => [{ content: text }, 'markdown'],
  'src/domain/text/text-length.ts lineOf': (text) => [text, text.length],
  'src/domain/text/text-length.ts lineCounter': (text) => [text, 1],
  'src/server/pages/marks.ts markWords': (text) => [text, ['a', 'abc', 'word']],
  'src/server/mcp/menu.ts menuText': (text) => [text, 300],
  'packages/formats/names.ts toLine': (text) => [text, 500],
}
