// Makes an argument of each type from a text: records, files and forms whose texts are all that text.

import { toExported } from '../../packages/formats/formats.ts'
import { ConversionProblems } from '../../packages/formats/portable.ts'
import { addressesBelow } from '../../src/domain/api/record-links.ts'
import type { Repository, VersionRecord } from '../../src/domain/api/schema.ts'
import { compareForCallers } from '../../src/domain/catalogue/difference.ts'
import { describeRepository, recordVersion, summariseVersion } from '../../src/domain/catalogue/repository-records.ts'
import type { VersionEntry } from '../../src/domain/content/content-tree.ts'
import { undeclaredVariable } from '../../src/domain/content/prompt-file.ts'
import { type ChatPart, type Format, splitChat } from '../../src/domain/values/chat.ts'
import { digestText, measure, measureFile } from '../../src/ports/measure.ts'
import { anIndex, anOwner, aRepository, aTree, aVersion } from '../domain/fixtures.ts'

const ADDRESSES = addressesBelow('https://hub.test')
const NOTHING = { prompts: 0, bytes: 0 }
const VARIABLES = [undeclaredVariable('a'), undeclaredVariable('b')]

function versionOf(text: string, format: Format): VersionEntry {
  const content = format === 'chat' ? `{{role "user"}}\n${text}\n{{history}}\n${text}` : text
  return aVersion('1.0.0', { content, format, changelog: text, variables: VARIABLES, parameters: { a: text } })
}

const callableOf = (text: string, format: Format) => ({ ...versionOf(text, format), files: filesOf(text) })
const indexOf = (text: string) => anIndex({ title: text, description: text, readme: text })

function recordOf(text: string, format: Format): VersionRecord {
  const skill = format === 'text' ? { skill: { description: text, license: null } } : {}
  return recordVersion({ ...versionOf(text, format), ...skill }, null, { owner: 'acme', name: 'a' }, ADDRESSES)
}

const summariesOf = (text: string, format: Format) => [
  summariseVersion(versionOf(text, format), indexOf(text), ADDRESSES.version('acme', 'a', '1.0.0'), new Map()),
]

function repositoryOf(text: string, format: Format): Repository {
  const latest = versionOf(text, format)
  const file = indexOf(text)
  const versions = summariesOf(text, format)
  return describeRepository({ owner: 'acme', name: 'a', file, versions, latest, results: [], stats: null }, ADDRESSES)
}

const filesOf = (text: string) => [
  ...Array.from({ length: 50 }, (_, at) => measureFile(`a/${at}-${text.slice(0, 200)}`, Buffer.from('a'))),
  measureFile('a.md', Buffer.from(text)),
]
const versionFilesOf = (text: string) =>
  new Map((text.match(/.{1,64}/gs) ?? []).map((part, at) => [`a/${at}-${part}`, part]))
const partsOf = (text: string): ChatPart[] => [{ role: 'user', content: text }, { type: 'history' }]
const findingsOf = (text: string) =>
  Array.from({ length: Math.min(text.length, 5_000) }, (_, at) => ({
    ...{
      code: 'secret',
      rule: 'a',
      kind: 'unknown' as const,
      name: text.slice(0, 50),
      key: 'a',
      file: 'content/a/index.md',
    },
    ...{ message: text.slice(0, 100), offset: at },
  }))
const formOf = (text: string) =>
  new URLSearchParams({ content: text, readme: text, tags: text, title: text, q: text, change: 'readme' })
const variableOf = (text: string) => ({ ...undeclaredVariable('a'), description: text, default: text, options: [text] })
const stateOf = (text: string) => ({
  ...{ owner: 'acme', name: 'a', versions: ['1.0.0'], latest: '1.0.0', indexText: undefined, file: indexOf(text) },
})

/** An argument of each type, made of a text. */
export const MAKERS: Readonly<Record<string, (text: string, format: Format) => unknown>> = {
  '?': () => undefined,
  string: (text) => text,
  'string | null': (text) => text,
  'string | undefined': (text) => text,
  'string | number': (text) => text,
  unknown: (text) => ({ [text]: [text, { a: text }] }),
  number: () => 1,
  boolean: () => true,
  object: (text) => ({ a: text }),
  'readonly string[]': (text) => text.match(/.{1,64}/gs)?.slice(0, 1_000) ?? [],
  'readonly object[]': (text) => [{ a: text }],
  'readonly unknown[]': (text) => text.match(/.{1,64}/gs)?.slice(0, 1_000) ?? [],
  'Record<string, unknown>': (text) => ({ a: text, [text]: { a: text } }),
  Given: (text) => ({ owner: text, name: text, variables: { a: text } }),
  URLSearchParams: formOf,
  URL: (text) => new URL(`https://hub.test/${encodeURIComponent(text.toWellFormed())}`),
  Headers: (text) =>
    new Headers({ 'Content-Type': `text/plain; charset=${' '.repeat(text.length)}${text.replace(/[^ -~]/g, ' ')}x"y` }),
  Date: () => new Date(0),
  Addresses: () => ADDRESSES,
  Models: () => new Map(),
  '{ url: string; raw_url: string }': () => ADDRESSES.version('acme', 'a', '1.0.0'),
  '{ owner: string; name: string }': () => ({ owner: 'acme', name: 'a' }),
  ConversionProblems: () => new ConversionProblems(),
  Measure: () => measure,
  DecisionTools: (text) => ({
    ...{ measure, addresses: ADDRESSES, around: { isOriginKnown: true, usage: NOTHING, quota: NOTHING } },
    files: { latest: [], given: filesOf(text), bundle: () => ({ sha256: '', files: [] }) },
  }),
  'readonly File[]': filesOf,
  'readonly FileEntry[]': filesOf,
  'readonly GivenFile[]': filesOf,
  'readonly ShownFile[]': filesOf,
  'readonly SkillFile[]': filesOf,
  'readonly VersionFileBytes[]': filesOf,
  'readonly { path: string }[]': filesOf,
  "readonly Pick<FileEntry, 'size_bytes'>[]": filesOf,
  "readonly Pick<FileEntry, 'path' | 'size_bytes'>[]": filesOf,
  "readonly Pick<VersionFileBytes, 'path' | 'bytes'>[]": filesOf,
  FilesOwner: () => ({ isThere: true, isSkill: true }),
  FileProblem: (text) => ({ rule: 'path', path: text, message: text }),
  GivenSkill: (text) => ({ description: text, license: null, compatibility: text, metadata: { a: text } }),
  "Pick<VersionFile, 'content' | 'skill'>": recordOf,
  'Readonly<Record<string, string>>': (text) => ({ changelog: text, [text]: text }),
  Variable: variableOf,
  "Pick<Variable, 'required' | 'default'>": variableOf,
  'readonly Variable[]': (text) => [undeclaredVariable('a'), variableOf(text)],
  ChatPart: (text) => partsOf(text)[0],
  'readonly ChatPart[]': (text) => Array.from({ length: 200 }, () => partsOf(text.slice(0, 200))[0]),
  "{ messages: readonly ChatPart[]; variables: Fillable['variables'] }": (text) => ({
    ...{ messages: partsOf(text), variables: VARIABLES },
  }),
  Fillable: (content) => ({ content, variables: VARIABLES }),
  FillingValues: (text) => ({ a: text.slice(0, 20), b: text.slice(0, 20), [text]: text }),
  FillingMode: () => 'strict',
  'readonly FillingProblem[]': findingsOf,
  'readonly Finding[]': findingsOf,
  'readonly RuleProblem[]': (text) => findingsOf(text).slice(0, 10),
  'readonly ValueProblem[]': findingsOf,
  'readonly Problem[]': findingsOf,
  ValueProblem: (text) => ({ key: text, message: text }),
  'ReadonlyMap<string, string>': (text) => new Map([['a', text.slice(0, 20)]]),
  'ReadonlySet<string>': () => new Set(['a']),
  '{ content: string; format?: Format }': versionOf,
  VersionEntry: versionOf,
  'VersionEntry | undefined': versionOf,
  VersionTexts: versionOf,
  '(VersionFile & { version: string }) | undefined': (text, format) => versionOf(`${text}a`, format),
  "VersionEntry['skill']": (text) => ({ description: text, license: text, compatibility: text, metadata: { a: text } }),
  Described: (text, format) => ({ ...recordOf(text, format), files: filesOf(text) }),
  VersionFiles: versionFilesOf,
  'Ruled | undefined': (text) => ({ publishing: text.match(/.{1,64}/gs)?.slice(0, 3) ?? null }),
  'OwnerFile | undefined': (text) => anOwner({ bio: text }),
  "OwnerFile | 'broken' | undefined": (text) => anOwner({ bio: text, members: ['a'] }),
  PublishingRule: () => 'semver',
  'PastVersion | undefined': (text) => ({
    first: versionFilesOf(`${text}a`),
    commit: 'a'.repeat(40),
    wasRemoved: false,
  }),
  WrittenVersion: versionOf,
  "Pick<VersionFile, 'content' | 'format' | 'variables' | 'parameters' | 'skill' | 'includes'>": versionOf,
  'typeof a': versionOf,
  'z.input<typeof VersionFrontMatter> & { content: string }': versionOf,
  "Pick<VersionEntry, 'skill' | 'format' | 'content' | 'variables'>": recordOf,
  "Pick<VersionFile, 'content' | 'format' | 'variables'>": versionOf,
  SourceFile: (text) => ({ front: { title: text }, hasFront: true, body: text, bodyLine: 1, lineOf: () => null }),
  "Pick<VersionFile, 'content'>": versionOf,
  "Pick<VersionFile, 'content' | 'format'>": versionOf,
  "Pick<VersionFile, 'content' | 'variables'>": versionOf,
  "Pick<WrittenVersion, 'content' | 'variables'> & { format?: VersionEntry['format'] }": versionOf,
  VersionFields: recordOf,
  Callable: callableOf,
  PublishedVersion: recordOf,
  "Pick<VersionFile, 'published_at' | 'published_by' | 'changelog'>": (changelog) => ({
    ...{ published_at: '2026-11-20T10:00:00Z', published_by: 'acme', changelog },
  }),
  "Pick<MenuEntry, 'title' | 'description' | 'forked_from'>": repositoryOf,
  'readonly Callable[]': (text, format) => [callableOf(text, format), callableOf(`${text}a`, format)],
  Difference: (text, format) => compareForCallers(callableOf(text, format), callableOf(`${text}a`, format)),
  'Difference | undefined': (text, format) =>
    compareForCallers(callableOf(text, format), callableOf(`${text}a`, format)),
  'Iterable<Difference>': (text, format) => [
    compareForCallers(callableOf(text, format), callableOf(`${text}a`, format)),
    compareForCallers(callableOf(`${text}a`, format), callableOf(text, format)),
  ],
  "'major' | 'minor' | 'patch' | undefined": () => 'patch',
  "'minor' | 'patch'": () => 'patch',
  VersionRecord: recordOf,
  SkillVersion: (text) => recordOf(text, 'text'),
  ComparedText: (text) => ({ version: '1.0.0', content: text, raw_url: '' }),
  Repository: repositoryOf,
  'readonly VersionSummary[]': summariesOf,
  VersionSummary: (text, format) => summariesOf(text, format)[0],
  'readonly YankedVersion[]': summariesOf,
  'readonly OwnerCount[]': (text) => [{ handle: text, repos_count: 1 }],
  '{ repository: Repository; newest: readonly VersionSummary[]; results: readonly Result[] }': (text, format) => ({
    ...{ repository: repositoryOf(text, format), newest: summariesOf(text, format) },
    results: Array.from({ length: 20 }, () => ({ suite: text, passed: 1, failed: 0, skipped: 0, score: null })),
  }),
  "Pick<Repository, 'title' | 'description' | 'tags' | 'license' | 'parameters' | 'variables'> & { files?: readonly unknown[] }":
    repositoryOf,
  IndexFields: repositoryOf,
  "Pick<Repository, 'full_name' | 'labels'>": repositoryOf,
  RepositoryParts: (text, format) => ({
    ...{
      owner: 'acme',
      name: 'a',
      file: indexOf(text),
      versions: [],
      latest: versionOf(text, format),
      results: [],
      stats: null,
    },
  }),
  RepositoryFile: indexOf,
  'Partial<RepositoryFrontMatter>': (text) => ({ title: text, description: text }),
  RepositoryEntry: (text, format) =>
    aRepository('acme/a', { file: indexOf(text), versions: [versionOf(text, format)] }),
  RepositoryPlace: () => ({ owner: 'acme', name: 'a' }),
  NamingRepository: (text) => ({ owner: 'acme', name: 'a', file: anIndex({ moved_to: text, replaced_by: text }) }),
  RepositoryOutline: (text, format) => aRepository('acme/a', { versions: [versionOf(text, format)] }),
  Neighbours: () => ({ repositories: new Map() }),
  NamedRepositories: () => new Map(),
  ContentTree: (text, format) => aTree([aRepository('acme/a', { versions: [versionOf(text, format)] })]),
  RepositoryState: stateOf,
  "Pick<RepositoryState, 'name' | 'file'>": stateOf,
  ExportedVersion: (text, format) => toExported(repositoryOf('a', 'text'), recordOf(text, format)),
  PortablePrompt: (text, format) => toExported(repositoryOf(text, format), recordOf(text, format)),
  PortableBody: (text) => ({ format: 'text', text }),
  'readonly PortableMessage[]': partsOf,
  'PortableMessage[]': partsOf,
  'readonly UnnamedPrompt[]': (text) =>
    ['', 'a'].map((more) => ({
      ...{ name: text + more, title: text, folder: text, text, source: { path: text + more, sha256: '' } },
    })),
  'readonly KnownPrompt[]': (text) => [{ name: 'a', source: { path: text, sha256: '' } }],
  Digest: () => digestText,
  ImportFormat: () => 'markdown',
  "Pick<ExportedVersion, 'variables'>": () => ({ variables: VARIABLES }),
  'Partial<Record<keyof Variable, unknown>>': variableOf,
  'ReadonlyMap<string, Variable>': () => new Map(),
  "ReadonlyMap<'system' | 'user' | 'assistant', string>": (text) => new Map([['user', text]]),
  ArgumentFront: (text) => ({ hint: text.slice(0, 500), declared: ['a', 'b'] }),
  "readonly Pick<Variable, 'name' | 'description' | 'required'>[]": () => VARIABLES,
  'keyof typeof BRACES': () => 'langfuse',
  ExportFormat: () => 'dotprompt',
  BraceLanguage: () => 'handlebars',
  FileChange: () => ({ isNew: true, isTouched: true }),
  ReviewContext: () => ({ now: new Date(0), mayBePublisher: () => false }),
  'ReviewFinding[]': () => [],
  Reporter: () => () => undefined,
  Sender: (text) => ({ owner: 'acme', provenance: {}, at: ['at', text], by: ['by', text] }),
  '{ time: RuleName; author: RuleName }': () => ({ time: 'tested-by-now', author: 'reported-by-author' }),
  Metadata: repositoryOf,
  JsonBounds: () => ({ depth: 32 }),
  BodyBounds: () => ({ known: new Set(['a']), unknown: 100, keys: 1e9, values: 1e9, depth: 1e9 }),
  Change: (text) => ({ kind: 'patch', fields: { readme: text, title: text, description: text }, isDryRun: false }),
  Target: () => ({ kind: 'patch' }),
  PublishInput: (content) => ({
    content,
    skill: { description: 'a' },
    changelog: content,
    bump: 'patch',
    dry_run: true,
    variables: VARIABLES,
  }),
  Publisher: () => ({ published_by: 'octocat', clock: { nowMs: 0, isShared: false } }),
  '{ owner: string name: string versions: Iterable<string> index: string | undefined used?: readonly string[] }': (
    text,
  ) => ({
    ...{ owner: 'acme', name: 'a', versions: ['1.0.0'], index: text, used: text.match(/.{1,64}/gs)?.slice(0, 1_000) },
  }),
  Document: (text) => ({
    owner: [],
    name: [],
    title: [],
    tags: [],
    description: [],
    readme: [],
    content: text.split(''),
  }),
  'readonly KeyChange[]': (text) => [{ path: ['title'], value: text }],
  SourceHost: () => ({ repository: 'a/b', web: 'https://git.test', branch: 'main', content: 'content' }),
  SentForm: (text, format) => ({
    ...{ owner: 'acme', name: text, title: text, description: text, tags: text, license: text, format, content: text },
    ...{ readme: text, parameters: JSON.stringify({ a: text }), changelog: text, skill: text, expected: '' },
    ...{ 'variable.a.type': 'enum', 'variable.a.options': text, 'variable.a.default': text },
  }),
  FillingRule: variableOf,
  PreviewedPrompt: versionOf,
  VersionForm: (text) => ({
    ...{ owner: 'acme', name: text, title: text, description: text, tags: text, license: text, format: 'text' },
    ...{ content: text, changelog: text, bump: 'patch', parameters: '', variables: [], expected: '', skill: text },
    ...{ forkedFrom: '', readme: text },
  }),
  Place: () => ({ kind: 'site' }),
}

/** The text of a version and the records that are made of it, for functions that the table of types does not fit. */
export const made = { versionOf, recordOf, repositoryOf, splitChat }
