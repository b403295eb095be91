// Finds the prompt files and folders of skills that a command names, and reads them as the body of a publish.
import { execFile } from 'node:child_process'
import type { Dirent } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { FULL_NAME } from '../lock.ts'
import { refuseFiles, SKILL } from '../skills.ts'
import { PromptHubError } from '../trouble.ts'
import { invalid } from './define.ts'
import { packTar } from './tar.ts'

/** Every hub rejects a request above this size, so a larger file is not read to its end. */
const MAX_REQUEST_BYTES = 1_048_576
const MAX_FILES = 500
const MAX_FILE_BYTES = 2_000_000
const MAX_FILES_BYTES = 8_000_000
const MAX_ATTESTATIONS = 5
const MAX_ATTESTATION_BYTES = 65_536
/** At most this many files for one pattern. */
const MAX_MATCHES = 2_000
/** A folder is a skill if it has one of these. */
const MAIN = [SKILL, 'prompt.md']
/** What systems, git and other programs leave in a folder; no skill has it. */
const JUNK =
  /^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|\.git(?:ignore|attributes|keep)?|node_modules|__pycache__)$/is

/** A file or folder that is published as a prompt. */
export interface Named {
  /** As the user named it. */
  place: string
  /** `owner/name`. */
  prompt: string
}

/** What is sent. */
export interface Body {
  bytes: Uint8Array<ArrayBuffer>
  type: 'text/markdown' | 'application/gzip'
}

/**
 * Finds the files of a pattern such as `prompts/*.md`, which a shell on Windows does not.
 *
 * @throws PromptHubError `invalid_request` if there is none
 */
export async function expand(pattern: string): Promise<string[]> {
  const there = await stat(pattern).catch(() => undefined)
  if (there) return [pattern]
  if (!/[*?]/.test(pattern)) throw invalid(`there is no file ${pattern || 'without a name'}`)
  let found = [/^[\\/]/.test(pattern) ? sep : '']
  for (const part of pattern.split(sep === '\\' ? /[\\/]+/ : /\/+/).filter((each) => each !== '')) {
    const next = found.map(async (folder) => {
      if (!/[*?]/.test(part)) return [join(folder, part)]
      const names = await readdir(folder || '.').catch(() => [])
      return names.filter((name) => matches(name, part)).map((name) => join(folder, name))
    })
    found = (await Promise.all(next)).flat().slice(0, MAX_MATCHES + 1)
  }
  const exist = await Promise.all(found.map(async (place) => ((await stat(place).catch(() => false)) ? [place] : [])))
  const files = exist.flat().sort()
  if (files.length === 0) throw invalid(`${pattern} matches no file`)
  if (files.length > MAX_MATCHES)
    throw invalid(`${pattern} matches more than ${MAX_MATCHES} files; name a folder in it`)
  return files
}

/** Whether a name matches a pattern with `*` and `?`, in linear time for each star. A leading dot is matched only by itself, as in a shell. */
function matches(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false
  let [at, from, star, resume] = [0, 0, -1, 0]
  while (at < name.length) {
    if (from < pattern.length && (pattern[from] === '?' || pattern[from] === name[at]) && pattern[from] !== '*') {
      at++
      from++
    } else if (pattern[from] === '*') {
      star = from++
      resume = at
    } else if (star >= 0) {
      from = star + 1
      at = ++resume
    } else return false
  }
  return /^\**$/.test(pattern.slice(from))
}

/** Names the prompt that a file or folder is published as: its name without what follows its last dot, or the folder's name. @param owner default: its folder */
export async function namePrompt(place: string, owner: string | undefined): Promise<Named> {
  if (/\p{Cc}/u.test(place)) throw invalid(`the name of ${place} contains a control character; rename the file`)
  const path = resolve(place)
  const isFolder = (await stat(path)).isDirectory()
  const name = isFolder ? basename(path) : basename(path, extname(path))
  if (!isFolder && MAIN.includes(basename(path)))
    throw invalid(`${place} is one file of a skill; push the folder ${relative('.', dirname(path)) || '.'}`)
  const prompt = `${owner ?? basename(dirname(path))}/${name}`
  if (!FULL_NAME.test(prompt))
    throw invalid(
      `${place} would be the prompt ${prompt}: expected lower-case letters, digits and single hyphens, and an owner as its folder or in --owner`,
    )
  return { place, prompt }
}

/** The subject of the last commit that touched a file or folder; undefined without git or such a commit. */
export async function lastSubject(place: string): Promise<string | undefined> {
  const path = resolve(place)
  const args = ['--literal-pathspecs', 'log', '-1', '--format=%s', '--', path]
  const options = { cwd: dirname(path), maxBuffer: 65_536, timeout: 10_000, windowsHide: true }
  const { stdout } = await promisify(execFile)('git', args, options).catch(() => ({ stdout: '' }))
  // git allows a tab there, and a changelog does not.
  return [...stdout.trim().replace(/\p{Cc}/gu, ' ')].slice(0, 500).join('') || undefined
}

/** Refuses to publish the SKILL.md of a skill alone: without its folder, the version would have no files. */
export function requireWholeSkill(place: string): void {
  if (basename(place) === SKILL)
    throw invalid(
      `${place} is one file of a skill; push the folder ${dirname(place)}, or the file as a plain prompt with --raw`,
    )
}

type Say = (sentence: string) => void

/** Reads a file, a folder of a skill, or `-` for standard input. @param say called with what is left out of a folder */
export async function readBody(place: string, say: Say): Promise<Body> {
  if (place === '-') return { bytes: await readInput(MAX_REQUEST_BYTES, 'standard input'), type: 'text/markdown' }
  if ((await stat(place)).isDirectory())
    return { bytes: packTar(await readFolder(place, say)), type: 'application/gzip' }
  return { bytes: await readBounded(place, MAX_REQUEST_BYTES, place), type: 'text/markdown' }
}

/** Adds attestations to what is sent. */
export async function addAttestations(place: string, { bytes, type }: Body, paths: readonly string[]): Promise<Body> {
  if (paths.length === 0) return { bytes, type }
  if (paths.length > MAX_ATTESTATIONS)
    throw invalid(`--attestation: expected at most ${MAX_ATTESTATIONS}, got ${paths.length}`)
  const files = type === 'application/gzip' ? await readFolder(place, () => {}) : ([['prompt.md', bytes]] as const)
  const bundles = paths.map(async (path, index) => {
    const bundle = await readBounded(path, MAX_ATTESTATION_BYTES, path)
    return [`.attestations/${index + 1}.sigstore.json`, bundle] as const
  })
  return { bytes: packTar([...files, ...(await Promise.all(bundles))]), type: 'application/gzip' }
}

/** Reads the files of a skill. Names every file that a hub does not take, and the way out. @throws PromptHubError `invalid_request` with the last of them */
async function readFolder(folder: string, say: Say): Promise<[string, Uint8Array<ArrayBuffer>][]> {
  const problems: string[] = []
  const paths = (await listFiles(folder, '', say, problems)).sort()
  const main = paths.filter((path) => MAIN.includes(path))
  if (main.length !== 1)
    problems.push(
      `${folder}: expected ${main.length > 0 ? 'either ' : ''}${MAIN.join(' or ')} in it, got ${main.length > 0 ? 'both' : 'neither'}`,
    )
  const others = paths.filter((path) => !MAIN.includes(path))
  if (others.length > MAX_FILES)
    problems.push(`${folder} has ${others.length} files; expected at most ${MAX_FILES} beside ${main[0]}`)
  const isInner = (path: string) => basename(path).toLowerCase() === SKILL.toLowerCase()
  for (const path of others.filter(isInner))
    problems.push(
      `${folder}/${path}: expected no ${SKILL}: the hub writes it from the content, and agents read one in any folder as a skill of its own; ${ADVICE}`,
    )
  const refused = refuseFiles([SKILL, ...others.filter((path) => !isInner(path))])
  if (refused !== undefined)
    problems.push(`${folder} ${refused}; rename it: letters, digits, _, - and dots, not at the start`)
  refuseAll(problems, say)
  let total = 0
  const files: [string, Uint8Array<ArrayBuffer>][] = []
  for (const path of paths) {
    const isMain = MAIN.includes(path)
    const limit = isMain ? MAX_REQUEST_BYTES : MAX_FILE_BYTES
    const bytes = await readBounded(join(folder, path), limit, `${folder}/${path}`).catch((error: unknown) => {
      problems.push(describeUnread(error, `${folder}/${path}`))
    })
    if (!bytes) continue
    total += isMain ? 0 : bytes.length
    if (total > MAX_FILES_BYTES) {
      problems.push(`${folder}: the files have more than ${MAX_FILES_BYTES} bytes together`)
      break
    }
    files.push([path, bytes])
  }
  refuseAll(problems, say)
  return files
}

/** Names all problems. @throws PromptHubError `invalid_request` with the last one, if there are any */
export function refuseAll(problems: readonly string[], say: (sentence: string) => void): void {
  const last = problems.at(-1)
  if (last === undefined) return
  for (const problem of problems.slice(0, -1)) say(problem)
  throw invalid(last)
}

/** Says why a file or folder cannot be read. */
export const describeUnread = (error: unknown, place: string): string =>
  error instanceof PromptHubError ? error.message : `cannot read ${place}`

const ADVICE = 'delete it, or publish a copy of the folder without it'

async function listFiles(
  folder: string,
  below: string,
  say: (sentence: string) => void,
  problems: string[],
): Promise<string[]> {
  const found: string[] = []
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    problems.push(describeUnread(error, join(folder, below)))
    return []
  })
  for (const entry of entries) {
    const path = below + entry.name
    if (JUNK.test(entry.name)) say(`${folder}/${path} is left out`)
    else if (entry.isSymbolicLink())
      problems.push(`${folder}/${path} is a link; put a copy of its target in its place, or ${ADVICE}`)
    else if (entry.name.startsWith('.')) problems.push(`${folder}/${path} is a dot file, which no skill has; ${ADVICE}`)
    else if (entry.isDirectory()) found.push(...(await listFiles(folder, `${path}/`, say, problems)))
    else if (entry.isFile()) found.push(path)
    else problems.push(`${folder}/${path} is not a regular file; ${ADVICE}`)
    // The limit is checked later; this ends the walk through a folder that is no skill.
    if (found.length + problems.length > 10 * MAX_FILES)
      throw invalid(`${folder} has more than ${10 * MAX_FILES} files; expected at most ${MAX_FILES}`)
  }
  return found
}

/** Reads a regular file, within a limit. */
export async function readBounded(path: string, limit: number, shown: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await open(path)
  try {
    const bytes = new Uint8Array(limit + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length)
      length += bytesRead
      if (bytesRead === 0) return bytes.slice(0, length)
      if (length > limit) throw invalid(`${shown} has more than ${limit} bytes`)
    }
  } finally {
    await file.close()
  }
}

/** Reads standard input, within a limit. */
export async function readInput(limit: number, shown: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > limit) throw invalid(`${shown} has more than ${limit} bytes`)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Decodes a text. @throws PromptHubError `invalid_request` unless it is UTF-8 */
export function decodeText(bytes: Uint8Array, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalid(`${shown} is not text in UTF-8`)
  }
}
