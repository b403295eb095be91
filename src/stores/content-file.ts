// Owns parsing one file of the content folder by what may stand at its place.
import type { Place } from '../domain/content/content-path.ts'
import type { VersionEntry } from '../domain/content/content-tree.ts'
import { Usage } from '../domain/content/front-matter.ts'
import { type Parsed, parseBy } from '../domain/content/problems.ts'
import {
  type OwnerFile,
  parseOwnerFile,
  parseRepositoryFile,
  parseVersionFile,
  type RepositoryFile,
} from '../domain/content/prompt-file.ts'
import { type Equivalents, parseEquivalents } from '../domain/search/equivalents.ts'
import { measure } from '../ports/measure.ts'

/** A file as it was parsed. */
export type ParsedFile =
  | { kind: 'usage'; value: Usage }
  | { kind: 'equivalents'; value: Equivalents }
  | { kind: 'owner'; owner: string; value: OwnerFile }
  | { kind: 'repository'; owner: string; name: string; value: RepositoryFile }
  | { kind: 'version'; owner: string; name: string; value: VersionEntry }

/** Parses the text of a place, whatever stands there. */
export function parsePlace(place: Place, text: string): Parsed<ParsedFile> {
  if (place.kind === 'usage') return tagged(parseUsage(text), (value) => ({ kind: 'usage', value }))
  if (place.kind === 'equivalents') return tagged(parseEquivalents(text), (value) => ({ kind: 'equivalents', value }))
  const { owner } = place
  if (place.kind === 'owner') return tagged(parseOwnerFile(text), (value) => ({ kind: 'owner', owner, value }))
  const { name } = place
  if (place.kind === 'repository')
    return tagged(parseRepositoryFile(text), (value) => ({ kind: 'repository', owner, name, value }))
  return tagged(parseVersionFile(text), (value) => ({
    kind: 'version',
    owner,
    name,
    value: {
      ...value,
      version: place.version,
      ...measure(value.content),
    },
  }))
}

function tagged<Value>(parsed: Parsed<Value>, tag: (value: Value) => ParsedFile): Parsed<ParsedFile> {
  return parsed.problems ? parsed : { value: tag(parsed.value) }
}

function parseUsage(text: string): Parsed<Usage> {
  try {
    return parseBy(Usage, JSON.parse(text))
  } catch {
    return { problems: [{ key: '', message: 'expected JSON' }] }
  }
}
