// `npm run import -- <path…> --owner acme`: writes prompts from other tools to the content folder, each as a separate repository.

import { READERS } from '../../packages/prompt-formats/source/formats.ts'
import { describeImport, formatImport } from '../../packages/prompt-import/source/report.ts'
import { readConfig } from '../../src/config.ts'
import { withoutControls } from '../../src/domain/text/printable.ts'
import { openProgress } from '../progress.ts'
import { runCommand } from '../run-command.ts'
import { IMPORT_OPTIONS, importFiles } from './import-files.ts'

const USAGE = `Usage: npm run import -- <file or folder…> --owner acme [--by login] [--from ${Object.keys(READERS).join('|')}] [--license MIT] [--without-variables] [--dry-run] [--json]`

const command = { usage: USAGE, options: IMPORT_OPTIONS, allowPositionals: true } as const
await runCommand(command, ({ positionals, values }) => {
  const settings = { contentDir: readConfig(process.env).contentDir, progress: openProgress() }
  const { lines, skipped, owner } = importFiles(positionals, values, settings)
  const isDryRun = values['dry-run']
  if (values.json) {
    console.log(formatImport(lines))
    for (const path of skipped) console.error(`Skipped: ${withoutControls(path)}`)
  } else {
    console.log(describeImport(lines, skipped, owner, isDryRun ? 'Would write' : 'Written').join('\n'))
    if (!isDryRun && lines.some(({ status }) => ['new', 'changed', 'updated'].includes(status)))
      console.log('\nNext: npm run check:content, then commit.')
  }
  if (lines.some(({ status }) => status === 'refused')) process.exitCode = 1
  if (lines.length === 0) throw new Error('No prompts found. Specify a format with --from, or pass other paths')
})
