// `npm run export -- --format langfuse --out DIR`: writes the latest version of every listed prompt in another tool's format.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../../src/config.ts'
import { type ExportFormat, isExportFormat } from '../../src/domain/api/export-formats.ts'
import { DEFAULT_REPOSITORY_FILE } from '../../src/domain/content/prompt-file.ts'
import { toExported, WRITERS } from '../../src/domain/formats/formats.ts'
import { formatProblem } from '../../src/domain/text/problems.ts'
import { resolveLatest } from '../../src/domain/values/versions.ts'
import { readContentDir } from '../../src/stores/content/content-dir.ts'

const USAGE = `Usage: npm run export -- --format ${Object.keys(WRITERS).join('|')} --out DIR`

try {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { format: text, out: text, help: { type: 'boolean', default: false } } })
  if (values.help) console.log(USAGE)
  else if (values.format === undefined || !isExportFormat(values.format) || values.out === undefined)
    throw new Error('Missing required options: --format and --out')
  else exportAll(values.format, values.out)
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
  process.exitCode = 1
}

function exportAll(format: ExportFormat, out: string): void {
  const { contentDir } = readConfig(process.env)
  const { tree, problems } = readContentDir(contentDir)
  if (problems.length > 0) throw new Error(problems.map(formatProblem).join('\n'))
  let written = 0
  let refused = 0
  for (const { owner, name, file = DEFAULT_REPOSITORY_FILE, versions } of tree.repositories.values()) {
    const latest = resolveLatest(
      versions.map(({ version }) => version),
      (version) => Object.hasOwn(file.yanked, version),
    )
    const entry = versions.find(({ version }) => version === latest)
    if (!entry || file.status === 'archived') continue
    const { title, description, tags, license } = file
    const result = WRITERS[format](toExported({ owner, name, title: title ?? '', description, tags, license }, entry))
    if (result.refused) {
      refused++
      const reasons = result.refused.map(
        ({ field, line, message }) => `${line === null ? '' : `line ${line}: `}${field}: ${message}`,
      )
      console.log(`${owner}/${name}\n${reasons.map((reason) => `  refused  ${reason}`).join('\n')}`)
      continue
    }
    if (result.lost.length > 0) console.log(`${owner}/${name}\n  lost     ${result.lost.join(', ')}`)
    // A skill's folder must have the skill's name.
    const folder = format === 'skill' ? join(out, owner, name) : join(out, owner)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, result.file.name), result.file.text)
    written++
  }
  console.log(`\nWritten ${written}\nRefused ${refused}`)
}
