// Parses one file of the content folder according to its path, and finds its problems.
import { isUtf8 } from 'node:buffer'
import { parseModelsFile } from '../catalogue/models-file.ts'
import { checkResult } from '../catalogue/result-rules.ts'
import { type Equivalents, parseEquivalents } from '../catalogue/search/equivalents.ts'
import { parseSiteFile, type SiteFile } from '../catalogue/site-file.ts'
import type { ModelStatus } from '../domain/api/schema.ts'
import { checkIncludes } from '../domain/compose/check-includes.ts'
import { type Place, parsePath } from '../domain/content/content-path.ts'
import type { ResultEntry, VersionEntry } from '../domain/content/content-tree.ts'
import { Usage } from '../domain/content/front-matter.ts'
import {
  type OwnerFile,
  parseOwnerFile,
  parseRepositoryFile,
  parseVersionFile,
  type RepositoryFile,
} from '../domain/content/prompt-file.ts'
import { parseResultFile } from '../domain/content/result-file.ts'
import { checkVersion } from '../domain/content/rules.ts'
import { findCertainSecret } from '../domain/content/secrets.ts'
import { parseTrustedRootFile, type TrustedRootFile } from '../domain/content/trusted-root-file.ts'
import { checkFileText } from '../domain/content/version-files.ts'
import { LIMITS } from '../domain/limits.ts'
import {
  formatProblems,
  type Parsed,
  parseWithSchema,
  type RuleProblem,
  type ValueProblem,
} from '../domain/text/problems.ts'
import type { VersionFileBytes } from '../domain/values/file-entry.ts'
import { digestText, measure, measureFile } from '../files/measure.ts'
import { describeRefusal, type Opened, type Refusal } from '../files/plain-files.ts'

/** A parsed file. */
export type ParsedFile =
  | { kind: 'usage'; value: Usage }
  | { kind: 'equivalents'; value: Equivalents }
  /** The models as a list, because parsed files are stored as JSON. */
  | { kind: 'models'; value: readonly ModelStatus[] }
  | { kind: 'site'; value: SiteFile }
  /** The image in base64. */
  | { kind: 'logo'; value: string }
  | { kind: 'owner'; owner: string; value: OwnerFile }
  | { kind: 'repository'; owner: string; name: string; value: RepositoryFile }
  | { kind: 'version'; owner: string; name: string; value: VersionEntry }
  | { kind: 'file'; owner: string; name: string; value: VersionFileBytes }
  | { kind: 'result'; owner: string; name: string; value: ResultEntry }
  /** Test cases for promptfoo, which the hub does not read. */
  | { kind: 'tests'; owner: string; name: string; value: true }
  | { kind: 'attestation'; owner: string; name: string; value: AttestationFile }
  | { kind: 'trusted-root'; value: TrustedRootFile }

/** The file of an attestation. */
export interface AttestationFile {
  file: string
  sha256: string
  text: string
}

interface ParsedContentFile {
  parsed: { value: ParsedFile; problems?: never } | { value?: never; problems: readonly RuleProblem[] }
  /** Rule violations in a version that could be parsed. */
  broken: readonly RuleProblem[]
}

/** Maximum length of a valid file of the hub's own: content and front matter, with enough space for long parameters. */
export const MAX_FILE_BYTES = LIMITS.requestBytes
/** Maximum length of a valid file of any kind, also of a skill. */
export const MAX_ANY_FILE_BYTES = Math.max(MAX_FILE_BYTES, LIMITS.fileBytes)

/**
 * Parses a file according to its path, and applies the rules that need no other file.
 *
 * @param path relative to the content folder
 * @param read reads the file if it has at most this length; called only if a file is allowed at this path
 */
export function parseContentFile(path: string, read: (maxBytes: number) => Opened<Buffer>): ParsedContentFile {
  const { value: place, problems } = parsePath(path)
  if (problems) return refuse('path', formatProblems(problems))
  const maxBytes = MAX_BYTES[place.kind] ?? MAX_FILE_BYTES
  const { value: bytes, refusal } = read(maxBytes)
  if (refusal) return refuse(ruleOf(refusal, place), describeRefusal(refusal, maxBytes))
  if (place.kind === 'logo') return checkLogo(place.name, bytes)
  if (place.kind === 'file') return checkFile(place, bytes)
  if (place.kind === 'attestation') return checkAttestation(place, bytes)
  if (!isUtf8(bytes)) return refuse('utf-8', 'expected UTF-8, got invalid bytes')
  if (place.kind === 'tests') return checkTests(place, bytes.toString())
  const parsed = parsePlace(place, bytes.toString())
  return {
    parsed: parsed.problems ? { problems: parsed.problems.map((problem) => nameParsing(place, problem)) } : parsed,
    broken: parsed.value ? checkParsed(parsed.value) : [],
  }
}

function checkParsed(parsed: ParsedFile): RuleProblem[] {
  if (parsed.kind === 'result') return checkResult(parsed.value)
  if (parsed.kind !== 'version') return []
  const { owner, name, value } = parsed
  return [...checkVersion(value), ...checkIncludes(`${owner}/${name}`, value, measure)]
}

function refuse(rule: string, message: string): ParsedContentFile {
  return { parsed: { problems: [{ rule, key: '', message }] }, broken: [] }
}

/** Checks a file of a skill, which may have any bytes. */
function checkFile({ owner, name, path }: Place & { kind: 'file' }, bytes: Buffer): ParsedContentFile {
  const value = measureFile(path, new Uint8Array(bytes))
  const text = value.media_type === 'text/plain' ? bytes.toString() : ''
  return {
    parsed: { value: { kind: 'file', owner, name, value } },
    broken: checkFileText(path, text).map(({ path: _, ...problem }) => ({ key: '', ...problem })),
  }
}

/** Checks test cases only for secrets: what they may contain is up to promptfoo. */
function checkTests({ owner, name }: Place & { kind: 'tests' }, text: string): ParsedContentFile {
  const message = findCertainSecret(text)?.message
  return {
    parsed: { value: { kind: 'tests', owner, name, value: true } },
    broken: message === undefined ? [] : [{ rule: 'holds-no-secret', key: '', message }],
  }
}

/** Reads an attestation. Only a review verifies it: a build compares its digest with the version file. */
function checkAttestation({ owner, name, file }: Place & { kind: 'attestation' }, bytes: Buffer): ParsedContentFile {
  if (!isUtf8(bytes)) return refuse('attestation-verified', 'expected JSON in UTF-8')
  const value = { file, sha256: digestText(bytes.toString()), text: bytes.toString() }
  return { parsed: { value: { kind: 'attestation', owner, name, value } }, broken: [] }
}

/** Returns the rule that a file which was not opened breaks. */
function ruleOf(refusal: Refusal, { kind }: Place): string {
  if (refusal === 'long') return kind === 'logo' ? 'site' : 'file-fits'
  return refusal === 'link' || refusal === 'irregular' ? 'regular-file' : 'readable'
}

/** A logo appears on every page, so it must be small. */
const MAX_LOGO_BYTES = 64 * 1024
const MAX_BYTES: Readonly<Partial<Record<Place['kind'], number>>> = {
  logo: MAX_LOGO_BYTES,
  file: LIMITS.fileBytes,
  attestation: LIMITS.attestationBytes,
}
const LOGO_FORMS: Readonly<Record<string, RegExp>> = {
  'logo.svg': /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/,
  'logo.png': /^\x89PNG\r\n\x1a\n/,
}

function checkLogo(name: string, bytes: Buffer): ParsedContentFile {
  if (!LOGO_FORMS[name]!.test(bytes.toString('latin1')))
    return refuse('site', `expected ${name.endsWith('.svg') ? 'an SVG' : 'a PNG'} image`)
  return { parsed: { value: { kind: 'logo', value: bytes.toString('base64') } }, broken: [] }
}

/** Determines which rule a parsing problem breaks: the rule for the front matter's structure, for its values, or for another kind of file. */
function nameParsing(place: Place, problem: ValueProblem): RuleProblem {
  if (!('owner' in place)) return { rule: place.kind, ...problem }
  if (place.kind === 'result') return { rule: 'result', ...problem }
  return { rule: problem.key === '' ? 'front-matter' : 'front-matter-value', ...problem }
}

function parsePlace(
  place: Exclude<Place, { kind: 'logo' | 'file' | 'tests' | 'attestation' }>,
  text: string,
): Parsed<ParsedFile> {
  if (place.kind === 'usage') return tagged(parseUsage(text), (value) => ({ kind: 'usage', value }))
  if (place.kind === 'equivalents') return tagged(parseEquivalents(text), (value) => ({ kind: 'equivalents', value }))
  if (place.kind === 'models')
    return tagged(parseModelsFile(text), (value) => ({ kind: 'models', value: [...value.values()] }))
  if (place.kind === 'trusted-root')
    return tagged(parseTrustedRootFile(text), (value) => ({ kind: 'trusted-root', value }))
  if (place.kind === 'site') return tagged(parseSiteFile(text), (value) => ({ kind: 'site', value }))
  const { owner } = place
  if (place.kind === 'owner') return tagged(parseOwnerFile(text), (value) => ({ kind: 'owner', owner, value }))
  const { name } = place
  if (place.kind === 'repository')
    return tagged(parseRepositoryFile(text), (value) => ({ kind: 'repository', owner, name, value }))
  if (place.kind === 'result') {
    const { version, suite } = place
    return tagged(parseResultFile(text), (value) => ({
      kind: 'result',
      owner,
      name,
      value: { ...value, version, suite },
    }))
  }
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
    return parseWithSchema(Usage, JSON.parse(text))
  } catch {
    return { problems: [{ key: '', message: 'expected JSON' }] }
  }
}
