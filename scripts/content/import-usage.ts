// `npm run import:usage -- [--day YYYY-MM-DD] LOG…`: counts downloads in web server logs and writes them to content/usage.json.
import { createReadStream, existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createGunzip } from 'node:zlib'
import { countDownloads, type LoggedDownload, readLogLine } from '../../packages/catalogue/usage-log.ts'
import { readConfig } from '../../src/config.ts'

const { values, positionals } = parseArgs({ options: { day: { type: 'string' } }, allowPositionals: true })
const { contentDir, buildDay } = readConfig(process.env)
const day = values.day ?? buildDay
if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || positionals.length === 0) {
  console.error(
    'Usage: npm run import:usage -- [--day YYYY-MM-DD] LOG…   (common or combined log format; .gz files are supported)',
  )
  process.exit(1)
}
const downloads: LoggedDownload[] = []
let lines = 0
for (const file of positionals) {
  const bytes = createReadStream(file)
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    lines++
    const download = readLogLine(line)
    if (download) downloads.push(download)
  }
}
const usage = countDownloads(downloads, {
  day,
  isKnown: (fullName) => existsSync(join(contentDir, fullName, 'versions')),
})
const target = join(contentDir, 'usage.json')
// The file is written under a temporary name, which hubs ignore, and then renamed, so that a hub that follows the content never reads a partial file.
writeFileSync(`${target}.tmp`, `${JSON.stringify(usage, undefined, 2)}\n`)
renameSync(`${target}.tmp`, target)
console.log(`${lines} lines, ${downloads.length} downloads; ${Object.keys(usage).length} prompts in ${target}.`)
