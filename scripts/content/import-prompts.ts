// `npm run import -- <path…> --owner acme`: writes prompts from other tools to the content folder, each as a separate repository.

import { READERS } from '../../packages/prompt-formats/source/formats.ts'
import { clip } from '../../packages/prompt-formats/source/template.ts'
import { readConfig } from '../../src/config.ts'
import { countOf } from '../../src/domain/text/count-of.ts'
import { withoutControls } from '../../src/domain/text/printable.ts'
import { openProgress } from '../progress.ts'
import { runCommand } from '../run-command.ts'
import { IMPORT_OPTIONS, importFiles, type Line } from './import-files.ts'

const USAGE = `Usage: npm run import -- <file or folder…> --owner acme [--by login] [--from ${Object.keys(READERS).join('|')}] [--license MIT] [--without-variables] [--dry-run] [--json]`
/** Maximum number of findings, and of skipped files, shown; --json shows them all. */
const MAX_SHOWN = 40

const command = { usage: USAGE, options: IMPORT_OPTIONS, allowPositionals: true } as const
await runCommand(command, ({ positionals, values }) => {
  const settings = { contentDir: readConfig(process.env).contentDir, progress: openProgress() }
  const { lines, skipped, owner } = importFiles(positionals, values, settings)
  if (values.json) {
    console.log(escapeControls(JSON.stringify(lines, undefined, 2)))
    for (const path of skipped) console.error(`Skipped: ${withoutControls(path)}`)
  } else report(lines, skipped, owner, values['dry-run'])
  if (lines.some(({ status }) => status === 'refused')) process.exitCode = 1
  if (lines.length === 0) throw new Error('No prompts found. Specify a format with --from, or pass other paths')
})

/** Escapes what JSON leaves as it is, and a terminal does not. */
function escapeControls(json: string): string {
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (found) => found.split('').map(toEscape).join(''))
}

function report(lines: readonly Line[], skipped: readonly string[], owner: string, isDryRun: boolean): void {
  const count = (status: Line['status']) => lines.filter((line) => line.status === status).length
  const rest = skipped.length > MAX_SHOWN ? ` and ${skipped.length - MAX_SHOWN} more` : ''
  const listed = skipped.slice(0, MAX_SHOWN).map(withoutControls).join(', ') + rest
  const shown = lines.filter(({ status, lost, reasons }) => status !== 'unchanged' || lost.length + reasons.length > 0)
  for (const { path, position, source_name, name, lost, reasons } of shown.slice(0, MAX_SHOWN)) {
    const own = source_name === null ? '' : ` “${clip(source_name)}”`
    const place = position === null ? '' : `, prompt ${position}${own}`
    console.log(`${withoutControls(path + place)}${name === null ? '' : ` → ${owner}/${name}`}`)
    for (const reason of reasons) console.log(`  refused  ${withoutControls(reason)}`)
    for (const one of lost) console.log(`  lost     ${withoutControls(one)}`)
  }
  if (shown.length > MAX_SHOWN) console.log(`… and ${shown.length - MAX_SHOWN} more; use --json to show them all`)
  console.log(
    [
      '',
      `${isDryRun ? 'Would write' : 'Written'}   ${count('new')} new, ${count('changed')} with a new version, ${count('updated')} with other details`,
      `Unchanged ${count('unchanged')}`,
      `Lost      data from ${countOf(new Set(lines.filter(({ lost }) => lost.length > 0).map(({ path }) => path)).size, 'file')}`,
      `Refused   ${count('refused')}`,
      `Skipped   ${countOf(skipped.length, 'file')} without a prompt${skipped.length === 0 ? '' : `: ${listed}`}`,
    ].join('\n'),
  )
  if (!isDryRun && count('new') + count('changed') + count('updated') > 0)
    console.log('\nNext: npm run check:content, then commit.')
}
