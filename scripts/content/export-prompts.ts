// `npm run export -- --format langfuse --out DIR`: writes the latest version of every listed prompt in another tool's format. In the formats `skill` and `markdown`, a skill is written as a folder with all its files.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { toExported, WRITERS } from '../../packages/prompt-formats/source/formats.ts'
import { type LatestVersion, listLatestVersions } from '../../src/catalogue/latest-versions.ts'
import { readConfig } from '../../src/config.ts'
import { openBundles } from '../../src/content/version-files.ts'
import { replaceFile } from '../../src/content/write-files.ts'
import { type ExportFormat, isExportFormat } from '../../src/domain/api/export-formats.ts'
import { printable } from '../../src/domain/text/printable.ts'
import { openFolder, type PlainFolder } from '../../src/files/plain-files.ts'
import { runCommand } from '../run-command.ts'
import { readContent } from './read-content.ts'

const USAGE = `Usage: npm run export -- --format ${Object.keys(WRITERS).join('|')} --out DIR`
/** Maximum number of files named in a message. */
const MAX_NAMED = 5

const options = { format: { type: 'string' }, out: { type: 'string' } } as const
await runCommand({ usage: USAGE, options }, ({ values }) => {
  const { format, out } = values
  if (format === undefined || out === undefined) throw new Error('Missing required options: --format and --out')
  if (!isExportFormat(format)) throw new Error(`--format: expected one of ${Object.keys(WRITERS).join(', ')}`)
  if (existsSync(out) && !statSync(out).isDirectory()) throw new Error(`--out: expected a folder, got the file ${out}`)
  exportAll(format, out)
})

function exportAll(format: ExportFormat, out: string): void {
  const { contentDir } = readConfig(process.env)
  const tree = readContent(contentDir)
  const readFile = openBundles(openFolder(contentDir))
  const target = openFolder(existsSync(out) ? realpathSync(out) : out)
  let written = 0
  let refused = 0
  let skipped = 0
  for (const { owner, name, file, entry } of listLatestVersions(tree)) {
    if (format === 'skill' && !entry.skill) {
      skipped++
      continue
    }
    const { title, description, tags, license, labels } = file
    const { files = [] } = entry.bundle ?? {}
    const details = { owner, name, title: title ?? '', description, tags, license, labels }
    const result = WRITERS[format](toExported(details, { ...entry, files }))
    const main = format === 'skill' ? 'SKILL.md' : format === 'markdown' && entry.skill ? 'prompt.md' : undefined
    const reasons = result.refused
      ? result.refused.map(({ field, line, message }) => `${line === null ? '' : `line ${line}: `}${field}: ${message}`)
      : main === undefined
        ? []
        : findOthers(target, main, { owner, name, entry })
    if (result.refused || reasons.length > 0) {
      refused++
      console.log(`${owner}/${name}\n${reasons.map((reason) => `  refused  ${reason}`).join('\n')}`)
      continue
    }
    // Unlike a single file, the folder of a skill loses no files.
    const lost = result.lost.filter((field) => main === undefined || field !== 'files')
    for (const [label, { version }] of Object.entries(labels))
      if (version !== entry.version) lost.push(`label ${label}, which points at ${version}`)
    if (lost.length > 0) console.log(`${owner}/${name}\n  lost     ${lost.join(', ')}`)
    // A skill's folder must have the skill's name.
    const folder = main === undefined ? owner : `${owner}/${name}`
    // The main file comes last, so that a folder with it has all its files.
    if (main !== undefined)
      for (const one of files)
        replaceFile(target.prepare(`${folder}/${one.path}`), readFile({ owner, name, version: entry.version }, one))
    replaceFile(target.prepare(`${folder}/${main ?? result.file.name}`), result.file.text)
    written++
  }
  console.log(
    `\nWritten ${written}\nRefused ${refused}${skipped > 0 ? `\nSkipped ${skipped} that are not skills` : ''}`,
  )
  if (refused > 0) process.exitCode = 1
}

/** Names the files in the folder of a skill that would become part of it, such as those of an earlier export. */
function findOthers(target: PlainFolder, main: string, { owner, name, entry }: Omit<LatestVersion, 'file'>): string[] {
  const own = (entry.bundle?.files ?? []).map(({ path }) => path)
  if (own.some((path) => path.toLowerCase() === main))
    return [`files: a file of the skill has the name of its prompt file, ${main}. Choose --format skill`]
  const known = new Set([main, ...own])
  const list = (below: string): string[] =>
    target.list(`${owner}/${name}${below === '' ? '' : `/${below}`}`).flatMap((found) => {
      const path = below === '' ? found.name : `${below}/${found.name}`
      return found.isDirectory() ? list(path) : known.has(path) ? [] : [path]
    })
  if (!existsSync(target.prepare(`${owner}/${name}`))) return []
  const others = list('')
  if (others.length === 0) return []
  const named = others.slice(0, MAX_NAMED).map(printable).join(', ')
  return [
    `files: its folder has ${others.length} other ${others.length === 1 ? 'file' : 'files'}: ${named}. Remove that folder, or export to an empty one`,
  ]
}
