// Parses paths below content/ (of an owner's index, a version, …), and formats them again.

import type { Parsed } from '../text/problems.ts'
import { isAttestationName } from '../values/attestation-name.ts'
import { findFilePathProblem } from '../values/file-entry.ts'
import { isName, isOwner, isSuite, isVersion } from '../values/names.ts'

/** The files of the catalogue as a whole. */
const WHOLE = {
  usage: 'usage.json',
  equivalents: 'equivalents.txt',
  models: 'models.yml',
  site: 'site.yml',
  'trusted-root': 'trusted-root.json',
} as const

const KIND_OF_WHOLE = new Map(Object.entries(WHOLE).map(([kind, path]) => [path as string, kind as keyof typeof WHOLE]))

/** What a path in the content folder refers to. */
export type Place =
  | { [Kind in keyof typeof WHOLE]: { kind: Kind } }[keyof typeof WHOLE]
  | { kind: 'logo'; name: 'logo.svg' | 'logo.png' }
  | { kind: 'owner'; owner: string }
  | { kind: 'repository'; owner: string; name: string }
  | { kind: 'version'; owner: string; name: string; version: string }
  /** A file of a skill's version; `path` is relative to the folder of the version. */
  | { kind: 'file'; owner: string; name: string; version: string; path: string }
  /** The result of a test suite for a version. */
  | { kind: 'result'; owner: string; name: string; version: string; suite: string }
  /** The test cases that an import found, for promptfoo. */
  | { kind: 'tests'; owner: string; name: string }
  /** An attestation of a version; `file` is its name, such as `1.sigstore.json`. */
  | { kind: 'attestation'; owner: string; name: string; version: string; file: string }

/**
 * Parses a path in the content folder.
 *
 * @param path with forward slashes, relative to the content folder, such as `acme/code-review/versions/1.0.0.md`
 * @returns what the path refers to, or one problem that explains why no file is allowed at this path
 */
export function parsePath(path: string): Parsed<Place> {
  const value = placeAt(path)
  return typeof value === 'string' ? { problems: [{ key: '', message: value }] } : { value }
}

/** @returns what the path refers to, or what was expected instead */
function placeAt(path: string): Place | string {
  const whole = KIND_OF_WHOLE.get(path)
  if (whole) return { kind: whole }
  if (path === 'logo.svg' || path === 'logo.png') return { kind: 'logo', name: path }
  const parts = path.split('/')
  const [owner = '', second = '', third = '', file = ''] = parts
  if (!isOwner(owner))
    return 'expected the first folder to be an owner: a-z, 0-9 and single hyphens, not a reserved word'
  if (parts.length === 2 && second === 'index.md') return { kind: 'owner', owner }
  if (parts.length > 2 && !isName(second))
    return 'expected the second folder to be a name: a-z, 0-9 and single hyphens, not settings'
  if (parts.length === 3 && third === 'index.md') return { kind: 'repository', owner, name: second }
  const version = file.endsWith('.md') ? file.slice(0, -3) : ''
  if (parts.length === 4 && third === 'versions' && isVersion(version))
    return { kind: 'version', owner, name: second, version }
  if (parts.length > 4 && third === 'versions' && isVersion(file)) {
    const below = parts.slice(4).join('/')
    return findFilePathProblem(below) ?? { kind: 'file', owner, name: second, version: file, path: below }
  }
  if (parts.length === 4 && third === 'tests' && file === 'promptfooconfig.yaml')
    return { kind: 'tests', owner, name: second }
  if (third === 'results') {
    const [suite, extension, rest] = (parts[4] ?? '').split('.')
    if (parts.length === 5 && isVersion(file) && extension === 'yml' && rest === undefined && isSuite(suite!))
      return { kind: 'result', owner, name: second, version: file, suite: suite! }
    return 'expected {owner}/{name}/results/{x.y.z}/{suite}.yml, where a suite is a-z, 0-9 and single hyphens, and no name that is reserved on Windows'
  }
  if (parts.length === 5 && third === 'attestations' && isVersion(file) && isAttestationName(parts[4]!))
    return { kind: 'attestation', owner, name: second, version: file, file: parts[4]! }
  return 'expected {owner}/index.md, {owner}/{name}/index.md, {owner}/{name}/versions/{x.y.z}.md, a file in {owner}/{name}/versions/{x.y.z}/, {owner}/{name}/results/{x.y.z}/{suite}.yml, {owner}/{name}/attestations/{x.y.z}/{n}.sigstore.json or {owner}/{name}/tests/promptfooconfig.yaml'
}

/** Formats a path, relative to the content folder; the inverse of `parsePath`. */
export function formatPath(place: Place): string {
  if (place.kind === 'logo') return place.name
  if (!('owner' in place)) return WHOLE[place.kind]
  if (place.kind === 'owner') return `${place.owner}/index.md`
  if (place.kind === 'repository') return `${place.owner}/${place.name}/index.md`
  if (place.kind === 'tests') return `${place.owner}/${place.name}/tests/promptfooconfig.yaml`
  if (place.kind === 'result') return `${place.owner}/${place.name}/results/${place.version}/${place.suite}.yml`
  if (place.kind === 'attestation') return `${place.owner}/${place.name}/attestations/${place.version}/${place.file}`
  const version = `${place.owner}/${place.name}/versions/${place.version}`
  return place.kind === 'file' ? `${version}/${place.path}` : `${version}.md`
}
