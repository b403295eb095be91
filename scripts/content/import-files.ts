// Writes prompts from other tools to the content folder, each as a separate repository. `import-prompts.ts` is its command.
import type { parseArgs } from 'node:util'
import { assignNames } from '../../packages/prompt-formats/source/assign-names.ts'
import { composeImport } from '../../packages/prompt-formats/source/compose-import.ts'
import type { ImportedFiles } from '../../packages/prompt-formats/source/content-files.ts'
import { type ImportFormat, READERS } from '../../packages/prompt-formats/source/formats.ts'
import { orderImport, targetOf } from '../../packages/prompt-formats/source/import-order.ts'
import type { PortablePrompt, PromptReference } from '../../packages/prompt-formats/source/portable.ts'
import type { ReferenceTarget } from '../../packages/prompt-formats/source/references.ts'
import { clip } from '../../packages/prompt-formats/source/template.ts'
import { importHistory } from '../../packages/prompt-formats/source/version-history.ts'
import { writeContent } from '../../src/content/write-content.ts'
import type { ConversionProblem, PromptPlace } from '../../src/domain/api/export-formats.ts'
import { findLicenseProblem } from '../../src/domain/content/rules.ts'
import { isOwner, splitFullName } from '../../src/domain/values/names.ts'
import { formatMoment } from '../../src/domain/values/values.ts'
import { digestText, measure } from '../../src/files/measure.ts'
import type { Progress } from '../progress.ts'
import { listImported } from './import/list-imported.ts'
import { listSources } from './import/list-sources.ts'
import { readSources } from './import/read-sources.ts'
import { readAgain } from './import/skill-folder.ts'
import { openWrittenFiles } from './import/written-files.ts'

/** What became of a prompt, or of a file without one. */
export interface Line {
  path: string
  /** Its place in a file with several prompts, from 1; otherwise null. */
  position: number | null
  /** The name that the file gives it; null if it gives none. */
  source_name: string | null
  /** Its name on the hub; null if it was not read. */
  name: string | null
  /** `lost` for a file with several prompts, of which something belongs to none of them. */
  status: ImportedFiles['status'] | 'lost'
  version: string | null
  lost: string[]
  reasons: string[]
}

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const

/** The options of `npm run import`. */
export const IMPORT_OPTIONS = {
  owner: text,
  by: text,
  from: text,
  license: text,
  'without-variables': flag,
  'dry-run': flag,
  json: flag,
}
type ImportOptions = ReturnType<typeof parseArgs<{ options: typeof IMPORT_OPTIONS }>>['values']

/**
 * Imports files and folders. @returns a line for each prompt and refused file, and the files that are no prompts
 *
 * @throws Error if an option is missing or wrong
 */
export function importFiles(
  paths: readonly string[],
  options: ImportOptions,
  { contentDir, progress }: { contentDir: string; progress: Progress },
): { lines: Line[]; skipped: string[]; owner: string } {
  const { owner, from, license = null } = options
  if (paths.length === 0) throw new Error('Missing files or folders to import')
  if (owner === undefined) throw new Error('Missing required option: --owner, such as --owner acme')
  if (!isOwner(owner)) throw new Error(`--owner: expected a handle such as acme, got "${owner}"`)
  const licenseProblem = findLicenseProblem(license)
  if (licenseProblem) throw new Error(`--license: ${licenseProblem}`)
  if (from !== undefined && !isFormat(from))
    throw new Error(`--from: expected one of ${Object.keys(READERS).join(', ')}`)
  const { sources, skipped } = listSources(paths)
  const read = []
  for (const result of readSources(sources, from, { root: process.cwd(), keepsText: options['without-variables'] })) {
    if (result.isSkipped) skipped.push(result.path)
    else read.push(result)
    progress.show('Reading', read.length + skipped.length, sources.length)
  }
  const found = read.flatMap(({ path, prompts, findings }) =>
    prompts.map((one) => ({ ...one, path, findings: one.position === null ? findings : one.findings })),
  )
  const names = assignNames(found, listImported(contentDir, owner), digestText)
  const by = options.by?.toLowerCase() ?? owner
  const order = { owner, by, license, publishedAt: formatMoment(new Date()), measure }
  const lines = read.flatMap(({ path, prompts, findings, refused }): Line[] => {
    const describe = (said: readonly ConversionProblem[], status: Line['status'], place?: PromptPlace): Line => ({
      path,
      position: place?.position ?? null,
      source_name: place?.name || null,
      name: null,
      status,
      version: null,
      lost: say(said, 'lost'),
      reasons: say(said, 'refused'),
    })
    const isRefused = findings.some(({ kind }) => kind === 'refused') || prompts.length + refused.length === 0
    const ofFile = prompts.some(({ position }) => position === null) || (findings.length === 0 && !isRefused)
    return [
      ...(ofFile ? [] : [describe(findings, isRefused ? 'refused' : 'lost')]),
      ...refused.map((one) => describe(one.findings, 'refused', one.place)),
    ]
  })
  const files = openWrittenFiles(contentDir)
  const {
    order: indexes,
    find,
    isLater,
  } = orderImport(
    found.map(({ prompt }) => prompt),
    names.map((name) => `${owner}/${name}`),
  )
  /** The prompts that were written, as they were composed. */
  const written = new Map<number, PortablePrompt>()
  const findTarget = (reference: PromptReference, from: number): ReferenceTarget => {
    const target = find(reference, from)
    if (isLater(reference.to, from)) return { reason: 'the other prompt inserts this one, directly or through others' }
    if (target === undefined) return { reason: 'no other prompt of this import has this name' }
    const fullName = `${owner}/${names[target]}`
    const part = written.get(target)
    const existing = part && files.read(owner, names[target]!)
    return existing ? targetOf(reference, fullName, part, existing) : { reason: `${fullName} was refused` }
  }
  const made = new Map<number, Line>()
  for (const index of indexes) {
    const { path, prompt, position, source, findings, found: place } = found[index]!
    const name = names[index]!
    const composed = composeImport(prompt, {
      self: `${owner}/${name}`,
      findTarget: (reference) => findTarget(reference, index),
      isLater: (fullName) => isLater(fullName, index),
      readRepository: (fullName) => {
        const place = splitFullName(fullName)
        return place && files.read(place.owner, place.name)
      },
      measure,
    })
    const result = importHistory(composed.prompt, source, name, files.read(owner, name), order)
    const kept = composed.kept.map(({ tag, reason }) => `reference: ${clip(tag)} stays text, because ${reason}`)
    const lost = [...say(findings, 'lost', position), ...say(result.lost, 'lost'), ...kept]
    const of = { path, position, source_name: position === null ? null : prompt.name || null, name }
    const reasons = say(findings, 'refused')
    const problems = result.status === 'refused' ? result.problems : composed.problems
    reasons.push(...problems.map(({ key, message }) => `${key}: ${message}`))
    if (result.status === 'refused' || problems.length > 0) {
      made.set(index, { ...of, status: 'refused', version: null, lost, reasons })
    } else {
      for (const file of result.files) {
        const beside = (file.files ?? []).map((one) => ({
          ...one,
          read: () => readAgain(place.folder, place.path, one),
        }))
        if (!options['dry-run']) writeContent(contentDir, { ...file, files: beside })
        files.add(file.path, file.text, file.files)
      }
      written.set(index, composed.prompt)
      made.set(index, { ...of, status: result.status, version: result.version, lost, reasons })
    }
    progress.show('Writing', made.size, found.length)
  }
  progress.end()
  for (const index of found.keys()) lines.push(made.get(index)!)
  return { lines, skipped, owner }
}

function isFormat(text: string): text is ImportFormat {
  return Object.hasOwn(READERS, text)
}

/** @param position of the prompt that is being described: what was said about another version of it names that version's own */
function say(
  findings: readonly ConversionProblem[],
  kind: ConversionProblem['kind'],
  position?: number | null,
): string[] {
  return findings
    .filter((finding) => finding.kind === kind)
    .map(({ field, line, message, prompt }) => {
      const other = position != null && prompt && prompt.position !== position ? `prompt ${prompt.position}: ` : ''
      return `${other}${line === null ? '' : `line ${line}: `}${field}: ${message}`
    })
}
