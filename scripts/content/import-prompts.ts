// `npm run import -- <path…> --owner acme`: writes prompts from other tools to the content folder, each as a separate repository.
import { parseArgs } from 'node:util'
import { assignNames } from '../../packages/formats/assign-names.ts'
import { composeImport } from '../../packages/formats/compose-import.ts'
import type { ImportedFiles } from '../../packages/formats/content-files.ts'
import { type ImportFormat, READERS } from '../../packages/formats/formats.ts'
import { listImported } from '../../packages/formats/import/list-imported.ts'
import { listSources } from '../../packages/formats/import/list-sources.ts'
import { readSources } from '../../packages/formats/import/read-sources.ts'
import { readAgain } from '../../packages/formats/import/skill-folder.ts'
import { writeImported } from '../../packages/formats/import/write-imported.ts'
import { openWrittenFiles } from '../../packages/formats/import/written-files.ts'
import { orderImport, targetOf } from '../../packages/formats/import-order.ts'
import type { PortablePrompt, PromptReference } from '../../packages/formats/portable.ts'
import type { ReferenceTarget } from '../../packages/formats/references.ts'
import { clip } from '../../packages/formats/template.ts'
import { importHistory } from '../../packages/formats/version-history.ts'
import { readConfig } from '../../src/config.ts'
import type { ConversionProblem } from '../../src/domain/api/export-formats.ts'
import { findLicenseProblem } from '../../src/domain/content/rules.ts'
import type { FileEntry } from '../../src/domain/values/file-entry.ts'
import { isReserved, OWNER_PATTERN } from '../../src/domain/values/names.ts'
import { formatMoment } from '../../src/domain/values/values.ts'
import { digestText, measure } from '../../src/ports/measure.ts'
import { openProgress } from '../progress.ts'
import { runCommand } from '../run-command.ts'

const USAGE = `Usage: npm run import -- <file or folder…> --owner acme [--by login] [--from ${Object.keys(READERS).join('|')}] [--license MIT] [--without-variables] [--dry-run] [--json]`
/** Maximum number of findings, and of skipped files, shown; --json shows them all. */
const MAX_SHOWN = 40

interface Line {
  path: string
  name: string | null
  status: ImportedFiles['status']
  version: string | null
  lost: string[]
  reasons: string[]
}

await runCommand({ usage: USAGE }, () => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      owner: text,
      by: text,
      from: text,
      license: text,
      'without-variables': flag,
      'dry-run': flag,
      json: flag,
      help: flag,
    },
  })
  if (values.help) console.log(USAGE)
  else run(positionals, values)
})

function run(
  paths: readonly string[],
  values: {
    owner?: string
    by?: string
    from?: string
    license?: string
    'without-variables': boolean
    'dry-run': boolean
    json: boolean
  },
): void {
  const { owner, from, license = null } = values
  if (paths.length === 0) throw new Error('Missing files or folders to import')
  if (owner === undefined || !OWNER_PATTERN.test(owner) || isReserved(owner))
    throw new Error('Missing required option: --owner, such as --owner acme')
  const licenseProblem = findLicenseProblem(license)
  if (licenseProblem) throw new Error(`--license: ${licenseProblem}`)
  if (from !== undefined && !isFormat(from))
    throw new Error(`--from: expected one of ${Object.keys(READERS).join(', ')}`)
  const { contentDir } = readConfig(process.env)
  const progress = openProgress()
  const { sources, skipped } = listSources(paths)
  const read = []
  for (const result of readSources(sources, from, { root: process.cwd(), keepsText: values['without-variables'] })) {
    if (result.isSkipped) skipped.push(result.path)
    else read.push(result)
    progress.show('Reading', read.length + skipped.length, sources.length)
  }
  const found = read.flatMap(({ path, prompts, findings }) => prompts.map((one) => ({ ...one, path, findings })))
  const names = assignNames(found, listImported(contentDir, owner), digestText)
  const by = values.by?.toLowerCase() ?? owner
  const order = { owner, by, license, publishedAt: formatMoment(new Date()), measure }
  const lines = read
    .filter(({ prompts }) => prompts.length === 0)
    .map(({ path, findings }): Line => {
      const [lost, reasons] = [say(findings, 'lost'), say(findings, 'refused')]
      return { path, name: null, status: 'refused', version: null, lost, reasons }
    })
  const files = openWrittenFiles(contentDir)
  const { order: indexes, find } = orderImport(found.map(({ prompt }) => prompt))
  /** The prompts that were written, as they were composed. */
  const written = new Map<number, PortablePrompt>()
  const findTarget = (reference: PromptReference, from: number): ReferenceTarget => {
    const target = find(reference, from)
    if (target === undefined) return { reason: 'no other prompt of this import has this name' }
    const fullName = `${owner}/${names[target]}`
    const part = written.get(target)
    const existing = part && files.read(owner, names[target]!)
    return existing ? targetOf(reference, fullName, part, existing) : { reason: `${fullName} was refused` }
  }
  const made = new Map<number, Line>()
  for (const index of indexes) {
    const { path, prompt, source, findings, found: place } = found[index]!
    const name = names[index]!
    const composed = composeImport(prompt, {
      self: `${owner}/${name}`,
      findTarget: (reference) => findTarget(reference, index),
      readRepository: (fullName) => files.read(owner, fullName.slice(owner.length + 1)),
      measure,
    })
    const result = importHistory(composed.prompt, source, name, files.read(owner, name), order)
    // What is said about a file with several prompts is reported once.
    const ofFile = found[index - 1]?.path === path ? [] : findings
    const kept = composed.kept.map(({ tag, reason }) => `reference: ${clip(tag)} stays text, because ${reason}`)
    const lost = [...say([...ofFile, ...result.lost], 'lost'), ...kept]
    const reasons = say(ofFile, 'refused')
    const problems = result.status === 'refused' ? result.problems : composed.problems
    reasons.push(...problems.map(({ key, message }) => `${key}: ${message}`))
    if (result.status === 'refused' || problems.length > 0) {
      made.set(index, { path, name, status: 'refused', version: null, lost, reasons })
    } else {
      const readFile = (file: FileEntry) => readAgain(place.folder, place.path, file)
      for (const file of result.files) {
        if (!values['dry-run']) writeImported(contentDir, file, readFile)
        files.add(file.path, file.text)
      }
      written.set(index, composed.prompt)
      made.set(index, { path, name, status: result.status, version: result.version, lost, reasons })
    }
    progress.show('Writing', made.size, found.length)
  }
  progress.end()
  for (const index of found.keys()) lines.push(made.get(index)!)
  if (values.json) {
    console.log(JSON.stringify(lines, undefined, 2))
    for (const path of skipped) console.error(`Skipped: ${path}`)
  } else report(lines, skipped, owner, values['dry-run'])
  if (lines.length === 0) throw new Error('No prompts found. Specify a format with --from, or pass other paths')
}

function isFormat(text: string): text is ImportFormat {
  return Object.hasOwn(READERS, text)
}

function say(findings: readonly ConversionProblem[], kind: ConversionProblem['kind']): string[] {
  return findings
    .filter((finding) => finding.kind === kind)
    .map(({ field, line, message }) => `${line === null ? '' : `line ${line}: `}${field}: ${message}`)
}

function report(lines: readonly Line[], skipped: readonly string[], owner: string, isDryRun: boolean): void {
  const count = (status: Line['status']) => lines.filter((line) => line.status === status).length
  const rest = skipped.length > MAX_SHOWN ? ` and ${skipped.length - MAX_SHOWN} more` : ''
  const listed = skipped.slice(0, MAX_SHOWN).join(', ') + rest
  const shown = lines.filter(({ lost, reasons }) => lost.length + reasons.length > 0)
  for (const { path, name, lost, reasons } of shown.slice(0, MAX_SHOWN)) {
    console.log(`${path}${name === null ? '' : ` → ${owner}/${name}`}`)
    for (const reason of reasons) console.log(`  refused  ${reason}`)
    for (const one of lost) console.log(`  lost     ${one}`)
  }
  if (shown.length > MAX_SHOWN) console.log(`… and ${shown.length - MAX_SHOWN} more; use --json to show them all`)
  console.log(
    [
      '',
      `${isDryRun ? 'Would write' : 'Written'}   ${count('new')} new, ${count('changed')} with a new version, ${count('updated')} with other details`,
      `Unchanged ${count('unchanged')}`,
      `Lost      data from ${new Set(lines.filter(({ lost }) => lost.length > 0).map(({ path }) => path)).size} files`,
      `Refused   ${count('refused')}`,
      `Skipped   ${skipped.length} that are not prompts${skipped.length === 0 ? '' : `: ${listed}`}`,
    ].join('\n'),
  )
  if (!isDryRun && count('new') + count('changed') + count('updated') > 0)
    console.log('\nNext: npm run check:content, then commit.')
}
