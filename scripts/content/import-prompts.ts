// `npm run import -- <path…> --owner acme`: writes prompts from other tools to the content folder, each as a separate repository.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readConfig } from '../../src/config.ts'
import { isReserved, OWNER_PATTERN } from '../../src/domain/content/names.ts'
import { findLicenseProblem } from '../../src/domain/content/rules.ts'
import { formatMoment } from '../../src/domain/content/values.ts'
import { assignNames, type ExistingRepository, type ImportedFiles } from '../../src/domain/formats/content-files.ts'
import { type ImportFormat, READERS } from '../../src/domain/formats/formats.ts'
import { importHistory } from '../../src/domain/formats/version-history.ts'
import { measure } from '../../src/ports/measure.ts'
import { listVersions, readIndex, readVersion } from '../../src/stores/content/version-files.ts'
import { openFolder } from '../../src/stores/files/plain-files.ts'
import { listSources, readSources } from '../../src/stores/import/read-sources.ts'
import { openProgress } from '../progress.ts'

const USAGE = `Usage: npm run import -- <file or folder…> --owner acme [--by login] [--from ${Object.keys(READERS).join('|')}] [--license MIT] [--dry-run] [--json]`
/** Maximum number of findings shown; --json shows them all. */
const MAX_SHOWN = 40

interface Line {
  path: string
  name: string | null
  status: ImportedFiles['status']
  version: string | null
  lost: string[]
  reasons: string[]
}

try {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { owner: text, by: text, from: text, license: text, 'dry-run': flag, json: flag, help: flag },
  })
  if (values.help) console.log(USAGE)
  else run(positionals, values)
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
  process.exitCode = 1
}

function run(
  paths: readonly string[],
  values: { owner?: string; by?: string; from?: string; license?: string; 'dry-run': boolean; json: boolean },
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
  const files = listSources(paths)
  const read = []
  for (const result of readSources(files, from, { root: process.cwd() })) {
    read.push(result)
    progress.show('Reading', read.length, files.length)
  }
  const found = read.flatMap(({ path, prompts, findings }) => prompts.map((prompt) => ({ path, prompt, findings })))
  const names = assignNames(found.map(({ prompt }) => prompt))
  const by = values.by?.toLowerCase() ?? owner
  const order = { owner, by, license, publishedAt: formatMoment(new Date()), measure }
  const refuse = (path: string, name: string | null, lost: string[], reasons: string[]): Line => ({
    path,
    name,
    status: 'refused',
    version: null,
    lost,
    reasons,
  })
  const lines = read
    .filter(({ prompts }) => prompts.length === 0)
    .map(({ path, findings }) => refuse(path, null, [], say(findings, 'refused')))
  for (const [index, { path, prompt, findings }] of found.entries()) {
    const name = names[index]!
    const made = importHistory(prompt, name, findExisting(contentDir, owner, name), order)
    // The losses in a file with several prompts are reported once.
    const lost = found[index - 1]?.path === path ? [] : say(findings, 'lost')
    if (made.status === 'refused') {
      const reasons = made.problems.map(({ key, message }) => `${key}: ${message}`)
      lines.push(refuse(path, name, lost, reasons))
    } else {
      if (!values['dry-run']) for (const file of made.files) write(contentDir, file.path, file.text)
      lines.push({ path, name, status: made.status, version: made.version, lost, reasons: [] })
    }
    progress.show('Writing', index + 1, found.length)
  }
  progress.end()
  if (values.json) console.log(JSON.stringify(lines, undefined, 2))
  else report(lines, owner, values['dry-run'])
  if (lines.length === 0) throw new Error('No prompts found. Specify a format with --from, or pass other paths')
}

function isFormat(text: string): text is ImportFormat {
  return Object.hasOwn(READERS, text)
}

function findExisting(contentDir: string, owner: string, name: string): ExistingRepository | undefined {
  const versions = listVersions(contentDir, { owner, name })
  return (
    versions && {
      versions,
      index: readIndex(contentDir, { owner, name }),
      read: (version) => readVersion(contentDir, { owner, name, version }),
    }
  )
}

/** Writes a file under a temporary name and then renames it, so that a hub that follows the folder never reads a partial file. A version is never replaced. */
function write(contentDir: string, path: string, text: string): void {
  const file = openFolder(contentDir).prepare(path)
  if (existsSync(file) && !path.endsWith('/index.md')) throw new Error(`${file} already exists`)
  rmSync(`${file}.tmp`, { force: true })
  writeFileSync(`${file}.tmp`, text, { flag: 'wx' })
  renameSync(`${file}.tmp`, file)
}

function say(
  findings: readonly { kind: string; field: string; line: number | null; message: string }[],
  kind: string,
): string[] {
  return findings
    .filter((finding) => finding.kind === kind)
    .map(({ field, line, message }) => `${line === null ? '' : `line ${line}: `}${field}: ${message}`)
}

function report(lines: readonly Line[], owner: string, isDryRun: boolean): void {
  const count = (status: Line['status']) => lines.filter((line) => line.status === status).length
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
    ].join('\n'),
  )
  if (!isDryRun && count('new') + count('changed') + count('updated') > 0)
    console.log('\nNext: npm run check:content, then commit.')
}
