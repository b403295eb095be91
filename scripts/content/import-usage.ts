// `npm run import:usage -- [--day YYYY-MM-DD] LOG…`: counts downloads in web server logs and writes them to content/usage.json.
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import * as z from 'zod'
import { countDownloads, isLogLine, type LoggedDownload, readLogLine } from '../../src/catalogue/usage-log.ts'
import { readConfig } from '../../src/config.ts'
import { replaceFile } from '../../src/content/write-files.ts'
import { runCommand } from '../run-command.ts'

const USAGE =
  'Usage: npm run import:usage -- [--day YYYY-MM-DD] LOG…   (common or combined log format; .gz files are supported)'
/** A line that counts is shorter. A log may contain blocks of zero bytes, after a crash or a rotation by copying. */
const MAX_LINE_CHARACTERS = 16_384

const options = { day: { type: 'string' } } as const
await runCommand({ usage: USAGE, options, allowPositionals: true }, async ({ values, positionals }) => {
  const { contentDir, buildDay } = readConfig(process.env)
  const day = values.day ?? buildDay
  if (!z.iso.date().safeParse(day).success) throw new Error(`--day: expected a day such as 2026-11-20, got ${day}`)
  if (positionals.length === 0) throw new Error('expected the paths of logs')
  const downloads: LoggedDownload[] = []
  let lines = 0
  for (const file of positionals) {
    const before = lines
    let isLog = false
    for await (const line of readLines(file)) {
      lines++
      isLog ||= isLogLine(line)
      const download = readLogLine(line)
      if (download) downloads.push(download)
    }
    // Counts of nothing would replace those of earlier logs. A log that was just rotated is empty.
    if (!isLog && lines > before) throw new Error(`${file}: expected a log in the common or combined log format`)
  }
  const usage = countDownloads(downloads, {
    day,
    isKnown: (fullName) => existsSync(join(contentDir, fullName, 'versions')),
  })
  const target = join(contentDir, 'usage.json')
  replaceFile(target, `${JSON.stringify(usage, undefined, 2)}\n`)
  console.log(`${lines} lines, ${downloads.length} downloads; ${Object.keys(usage).length} prompts in ${target}.`)
})

/** Reads the lines of a log; only the start of a line that is too long. @throws Error if the file cannot be read, or is cut off */
async function* readLines(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file)
  // An error of the file becomes one of the unpacked stream, which is read below.
  const input = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => {}) : bytes
  input.setEncoding('utf8')
  let rest = ''
  try {
    for await (const chunk of input) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS)
      yield* lines
    }
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
  if (rest !== '') yield rest
}
