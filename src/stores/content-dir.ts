// Owns reading the content folder: every file below it, once, into a tree; what may not be there is reported, never followed or run.
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../domain/api/limits.ts'
import type { ContentTree, RepositoryEntry, VersionEntry } from '../domain/content/content-tree.ts'
import { Usage } from '../domain/content/front-matter.ts'
import { printable } from '../domain/content/printable.ts'
import { type Parsed, type Problem, parseBy } from '../domain/content/problems.ts'
import {
  type OwnerFile,
  type Place,
  parseOwnerFile,
  parsePath,
  parseRepositoryFile,
  parseVersionFile,
  type RepositoryFile,
} from '../domain/content/prompt-file.ts'
import { checkTree } from '../domain/content/rules.ts'

/** What was found in the content folder. */
export interface ContentReading {
  tree: ContentTree
  /** Everything that is wrong, in the order of paths; a tree with problems must not be published. */
  problems: Problem[]
  /** How many files were read from disk this time; the others came from the cache. */
  filesRead: number
}

/** No file that satisfies the limits is longer: content, front matter and room for long parameters. */
const LONGEST_FILE_BYTES = LIMITS.requestBytes

type ParsedFile =
  | { kind: 'usage'; value: Usage }
  | { kind: 'owner'; owner: string; value: OwnerFile }
  | { kind: 'repository'; owner: string; name: string; value: RepositoryFile }
  | { kind: 'version'; owner: string; name: string; value: VersionEntry }

interface CachedFile {
  /** Changes whenever the file does. */
  stamp: string
  parsed: Parsed<ParsedFile>
}

/**
 * Opens a content folder for reading.
 *
 * @param dir the folder; it may be missing, which is a problem like any other
 * @returns a function that reads it. Called again, it reads only the files that changed in between.
 */
export function openContentDir(dir: string): () => ContentReading {
  let cache = new Map<string, CachedFile>()
  return () => {
    const fresh = new Map<string, CachedFile>()
    const problems: Problem[] = []
    let filesRead = 0
    for (const path of listFiles(dir, problems)) {
      const stats = lstatSync(join(dir, path), { bigint: true })
      const stamp = `${stats.ino}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.size}`
      const known = cache.get(path)
      if (known?.stamp === stamp) {
        fresh.set(path, known)
        continue
      }
      filesRead++
      fresh.set(path, { stamp, parsed: parseFile(path, () => readFile(join(dir, path), stats.size)) })
    }
    cache = fresh
    for (const [path, { parsed }] of fresh) {
      for (const problem of parsed.problems ?? []) problems.push({ file: nameFile(path), ...problem })
    }
    const tree = growTree(fresh)
    problems.push(...checkTree(tree))
    problems.sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)))
    return { tree, problems, filesRead }
  }
}

/** Reading is synchronous: a build waits for it anyway, and it is several times as fast for many small files. */
function* listFiles(dir: string, problems: Problem[], below = ''): Generator<string> {
  let entries: Dirent[]
  try {
    entries = readdirSync(join(dir, below), { withFileTypes: true })
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    // A folder that vanished while it was being read is simply gone; only the root must exist.
    if (!isMissing || below === '')
      problems.push({
        file: nameFile(below),
        key: '',
        message: isMissing ? 'expected a folder, got nothing' : 'expected a folder that can be read',
      })
    return
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) yield* listFiles(dir, problems, path)
    else if (entry.isFile()) yield path
    else
      problems.push({
        file: nameFile(path),
        key: '',
        message: `expected a regular file, got ${entry.isSymbolicLink() ? 'a symbolic link' : 'something else'}`,
      })
  }
}

function readFile(path: string, size: bigint): Parsed<string> {
  const wrong = (message: string) => ({ problems: [{ key: '', message }] })
  if (size > BigInt(LONGEST_FILE_BYTES)) return wrong(`expected at most ${LONGEST_FILE_BYTES} bytes, got ${size}`)
  const bytes = readFileSync(path)
  return isUtf8(bytes) ? { value: bytes.toString('utf8') } : wrong('expected UTF-8, got bytes that are none')
}

function parseFile(path: string, read: () => Parsed<string>): Parsed<ParsedFile> {
  const place = parsePath(path)
  if ('wrong' in place) return { problems: [{ key: '', message: place.wrong }] }
  const text = read()
  return text.problems ? text : parsePlace(place, text.value)
}

function parsePlace(place: Place, text: string): Parsed<ParsedFile> {
  if (place.kind === 'usage') return tagged(parseUsage(text), (value) => ({ kind: 'usage', value }))
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
      content_sha256: hash('sha256', value.content),
      size_bytes: Buffer.byteLength(value.content),
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

function growTree(files: ReadonlyMap<string, CachedFile>): ContentTree {
  const owners = new Map<string, OwnerFile>()
  const repositories = new Map<string, RepositoryEntry>()
  let usage: ContentTree['usage'] = new Map()
  const repositoryOf = (owner: string, name: string): RepositoryEntry => {
    const fullName = `${owner}/${name}`
    const known = repositories.get(fullName)
    if (known) return known
    const repository: RepositoryEntry = { owner, name, file: undefined, versions: [] }
    repositories.set(fullName, repository)
    return repository
  }
  for (const { parsed } of files.values()) {
    if (parsed.problems) continue
    const file = parsed.value
    if (file.kind === 'usage') usage = new Map(Object.entries(file.value))
    else if (file.kind === 'owner') owners.set(file.owner, file.value)
    else if (file.kind === 'repository') repositoryOf(file.owner, file.name).file = file.value
    else repositoryOf(file.owner, file.name).versions.push(file.value)
  }
  return { owners, repositories, usage }
}

/** Files are named as they stand in git, whatever folder was read. */
function nameFile(path: string): string {
  return path === '' ? 'content' : `content/${printable(path)}`
}
