// Creates small content trees and difficult strings for the domain tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { ContentTree } from '../../src/catalogue/content-tree.ts'
import { type Equivalents, parseEquivalents } from '../../src/catalogue/search/equivalents.ts'
import type { ModelStatus } from '../../src/domain/api/schema.ts'
import { parsePath } from '../../src/domain/content/content-path.ts'
import type { RepositoryEntry, VersionEntry } from '../../src/domain/content/content-tree.ts'
import {
  DEFAULT_REPOSITORY_FILE,
  type OwnerFile,
  parseOwnerFile,
  parseRepositoryFile,
  parseVersionFile,
  type RepositoryFile,
} from '../../src/domain/content/prompt-file.ts'

/**
 * Returns a version of a repository. Its digest can be any 64 hex digits, because the domain receives digests and never
 * computes them.
 */
export function aVersion(version: string, given: Partial<VersionEntry> = {}): VersionEntry {
  return {
    version,
    published_at: '2026-11-01T10:00:00Z',
    published_by: 'octocat',
    changelog: '',
    format: 'text',
    variables: [],
    parameters: {},
    content: `Text of ${version}\n`,
    content_sha256: 'a'.repeat(64),
    size_bytes: 14,
    ...given,
  }
}

/** Returns the `index.md` of a repository. */
export function anIndex(given: Partial<RepositoryFile> = {}): RepositoryFile {
  return {
    ...DEFAULT_REPOSITORY_FILE,
    ...given,
  }
}

/** Returns the `index.md` of an owner. */
export function anOwner(given: Partial<OwnerFile> = {}): OwnerFile {
  return {
    name: null,
    website: null,
    avatar_url: null,
    members: [],
    trusted_publishers: [],
    protected_labels: [],
    publishing: null,
    bio: '',
    ...given,
  }
}

/** Returns a repository's files: version 1.0.0 and no `index.md` by default. */
export function aRepository(fullName: string, given: Partial<RepositoryEntry> = {}): RepositoryEntry {
  const [owner = '', name = ''] = fullName.split('/')
  return { owner, name, file: undefined, versions: [aVersion('1.0.0')], ...given }
}

export function aTree(
  repositories: readonly RepositoryEntry[],
  given: {
    owners?: Record<string, OwnerFile>
    usage?: Record<string, [week: number, quarter: number]>
    models?: ModelStatus[]
  } = {},
): ContentTree {
  return {
    owners: new Map(Object.entries(given.owners ?? {})),
    equivalents: [],
    models: new Map((given.models ?? []).map((status) => [status.model, status])),
    repositories: new Map(repositories.map((repository) => [`${repository.owner}/${repository.name}`, repository])),
    usage: new Map(
      Object.entries(given.usage ?? {}).map(([name, [downloads_7d, downloads_90d]]) => [
        name,
        { downloads_7d, downloads_90d },
      ]),
    ),
  }
}

/** Reads this repository's starter catalogue. @returns its tree, and every file that cannot be parsed */
export function readStarterCatalogue(): { tree: ContentTree; broken: string[] } {
  const folder = new URL('../../content/', import.meta.url)
  const broken: string[] = []
  const owners = new Map<string, OwnerFile>()
  const repositories = new Map<string, RepositoryEntry>()
  let equivalents: Equivalents = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = relative(fileURLToPath(folder), join(entry.parentPath, entry.name)).replaceAll('\\', '/')
    const { value: place, problems } = parsePath(path)
    if (problems) {
      broken.push(`${path}: ${problems[0]?.message}`)
      continue
    }
    if (place.kind === 'usage' || place.kind === 'models' || place.kind === 'trusted-root') continue
    const text = readFileSync(new URL(path, folder), 'utf8')
    if (place.kind === 'equivalents') {
      const { value, problems } = parseEquivalents(text)
      if (value) equivalents = value
      else broken.push(`${path}: ${JSON.stringify(problems)}`)
      continue
    }
    if (place.kind === 'owner') {
      const { value, problems } = parseOwnerFile(text)
      if (value) owners.set(place.owner, value)
      else broken.push(`${path}: ${JSON.stringify(problems)}`)
      continue
    }
    if (place.kind === 'site' || place.kind === 'logo' || place.kind === 'tests') continue
    const fullName = `${place.owner}/${place.name}`
    const repository = repositories.get(fullName) ?? aRepository(fullName, { versions: [] })
    repositories.set(fullName, repository)
    if (place.kind === 'repository') {
      const { value, problems } = parseRepositoryFile(text)
      if (value) repository.file = value
      else broken.push(`${path}: ${JSON.stringify(problems)}`)
    } else {
      const { value, problems } = parseVersionFile(text)
      const size_bytes = Buffer.byteLength(value?.content ?? '')
      if (value)
        repository.versions.push({ ...value, version: place.version, content_sha256: 'a'.repeat(64), size_bytes })
      else broken.push(`${path}: ${JSON.stringify(problems)}`)
    }
  }
  // What was taken down has no records.
  for (const [name, repository] of repositories) if (repository.versions.length === 0) repositories.delete(name)
  return { tree: { owners, repositories, usage: new Map(), equivalents, models: new Map() }, broken }
}

/** Fragments that some layer between the author and the reader might trim, split, normalise, decode or execute. */
const AWKWARD = [
  ...[
    '---\n',
    '---\r\n',
    '\n---',
    '---js\n',
    '---javascript\nprocess.exit(7)\n',
    '...\n',
    '%YAML 1.1\n',
    '--- ',
    '----',
  ],
  ...[
    '\r\n',
    '\r',
    '\n',
    '\n\n',
    '\uFEFF',
    '\t',
    ' ',
    '  \n',
    '\u0085',
    '\u2028',
    '\u2029',
    '\u00a0',
    '\u3000',
    '\u200b',
    '\u202e',
  ],
  ...[
    '\u001b[31m',
    '\u0001',
    '\u007f',
    '\u009b',
    'e\u0301',
    '\u212b',
    '\ufb01',
    '👩‍👩‍👧',
    '\u{10ffff}',
    '\ufffe',
    '\ufffd',
  ],
  ...[
    '{{name}}',
    '{{ name }}',
    '{{{name}}}',
    '{{constructor}}',
    '{{__proto__}}',
    '{{',
    '}}',
    '$&',
    "$'",
    '$1',
    '<%= x %>',
  ],
  ...[
    '"1.0"',
    '1.0',
    '1.10',
    'yes',
    'no',
    'on',
    'null',
    '~',
    'true',
    '.nan',
    '.inf',
    '-0',
    '0x10',
    '0o7',
    '1e3',
    '1_000',
    '12:30:45',
  ],
  ...[
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '# no comment',
    ' #',
    ': ',
    ':',
    '- ',
    '? ',
    '&a',
    '*a',
    '!!js/function',
    '!',
    '|',
    '>-',
  ],
  ...['@', '`', '%', '<<', '=', "'", '"', '\\', '\\n', '[', ']', '{', '}', ',', 'a: b', '__proto__', 'constructor', ''],
] as const

/** Any well-formed string, often with awkward fragments. */
export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 8 })
  .map((pieces) => pieces.join(''))

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Any JSON value, with awkward strings and keys. `__proto__` is not used as a key, and -0 becomes 0 in JSON. */
export const anyJson = fc.letrec<{ value: Json; object: Record<string, Json> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyText,
    fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 1e21, 1e-7, 5e-324, 9007199254740992, 1.7976931348623157e308),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(anyText, tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries.filter(([key]) => key !== '__proto__'))),
}))
