// Writes prompts from other tools to the content folder, each as a separate repository. `import-prompts.ts` is its command.
import type { parseArgs } from 'node:util'
import { composeImport } from '../../packages/prompt-formats/source/compose-import.ts'
import { orderImport, targetOf } from '../../packages/prompt-formats/source/import-order.ts'
import type { PortablePrompt, PromptReference } from '../../packages/prompt-formats/source/portable.ts'
import type { ReferenceTarget } from '../../packages/prompt-formats/source/references.ts'
import { clip } from '../../packages/prompt-formats/source/template.ts'
import { importHistory } from '../../packages/prompt-formats/source/version-history.ts'
import { type Line, readImport, sayFindings } from '../../packages/prompt-import/source/read-import.ts'
import { readAgain } from '../../packages/prompt-import/source/skill-folder.ts'
import { writeContent } from '../../src/content/write-content.ts'
import { splitFullName } from '../../src/domain/values/names.ts'
import { formatMoment } from '../../src/domain/values/values.ts'
import { measure } from '../../src/files/measure.ts'
import type { Progress } from '../progress.ts'
import { listImported } from './import/list-imported.ts'
import { openWrittenFiles } from './import/written-files.ts'

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
  const { license = null } = options
  const choices = {
    owner: options.owner,
    from: options.from,
    license: options.license,
    keepsText: options['without-variables'],
  }
  const { owner, found, lines, skipped } = readImport(
    paths,
    choices,
    (owner) => listImported(contentDir, owner),
    (read, all) => progress.show('Reading', read, all),
  )
  const names = found.map(({ hubName }) => hubName)
  const by = options.by?.toLowerCase() ?? owner
  const order = { owner, by, license, publishedAt: formatMoment(new Date()) }
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
    const { path, prompt, position, source, fileFindings: findings, found: place } = found[index]!
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
    const lost = [...sayFindings(findings, 'lost', position), ...sayFindings(result.lost, 'lost'), ...kept]
    const of = { path, position, source_name: position === null ? null : prompt.name || null, name }
    const reasons = sayFindings(findings, 'refused')
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
