// Tests `npm run import:usage` with logs as servers leave them: compressed, cut off, and with a block of zero bytes.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { plainEnvironment } from '../hubs/processes.ts'
import { runScript } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const LINE =
  '192.0.2.1 - - [20/Nov/2026:10:00:00 +0000] "GET /api/v1/repos/acme/review/raw HTTP/1.1" 200 9 "-" "curl/8.5.0"'

let dir: string
beforeEach(() => {
  dir = temporaryFolder('hub-usage-')
  mkdirSync(join(dir, 'content/acme/review/versions'), { recursive: true })
})

const env = () => ({ ...plainEnvironment(), CONTENT_DIR: join(dir, 'content') })
const SCRIPT = resolve('scripts/content/import-usage.ts')
const run = async (args: readonly string[], day = '2026-11-20') => {
  const { code, stderr } = await runScript(SCRIPT, ['--day', day, ...args], { cwd: dir, env: env() })
  return { status: code, stderr }
}
const target = () => join(dir, 'content/usage.json')

test('counts logs, also compressed ones, with a zero-filled block of 96 MB, as a rotation by copying leaves it', () => {
  const log = join(dir, 'access.log')
  writeFileSync(log, '')
  truncateSync(log, 96 * 1024 * 1024)
  writeFileSync(log, `\n${LINE}\r\n${LINE.replace('192.0.2.1', '192.0.2.2')}`, { flag: 'a' })
  writeFileSync(`${log}.1.gz`, gzipSync(`${LINE.replace('20/Nov', '10/Nov')}\n`))
  const args = ['--max-old-space-size=48', SCRIPT, '--day', '2026-11-20', log, `${log}.1.gz`]
  const ran = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8', env: env() })
  expect(ran).toMatchObject({ status: 0, stderr: '' })
  expect(JSON.parse(readFileSync(target(), 'utf8'))).toEqual({ 'acme/review': { downloads_7d: 2, downloads_90d: 3 } })
})

//  what                       day           file, and its bytes                                   the message
test.each<[string, string, string, Uint8Array | undefined, string]>([
  ['a day of no calendar', '2026-02-30', 'a.log', Buffer.from(LINE), '--day: expected a day such as 2026-11-20'],
  ['a month of no calendar', '2026-99-01', 'a.log', Buffer.from(LINE), '--day: expected a day such as 2026-11-20'],
  ['a missing log', '2026-11-20', 'a.log', undefined, 'a.log cannot be read: ENOENT'],
  ['a missing compressed log', '2026-11-20', 'a.log.gz', undefined, 'a.log.gz cannot be read: ENOENT'],
  ['a log that was cut off', '2026-11-20', 'a.gz', gzipSync(LINE).subarray(0, 40), 'a.gz cannot be read: unexpected'],
  ['a file that is no log', '2026-11-20', 'a.json', Buffer.from('{"level":"info"}\n'), 'a.json: expected a log'],
  ['a log of another format', '2026-11-20', 'a.gz', Buffer.from(LINE), 'a.gz cannot be read: incorrect header'],
])('refuses %s, and writes nothing', async (_, day, name, bytes, message) => {
  if (bytes) writeFileSync(join(dir, name), bytes)
  const { status, stderr } = await run([name], day)
  expect(status).toBe(1)
  expect(stderr.split('\n')[0]).toContain(message)
  expect(stderr).not.toContain('    at ')
  expect(existsSync(target())).toBe(false)
})

test('keeps the counts of earlier logs if a later file is no log; a log without downloads and an empty one are logs', async () => {
  writeFileSync(join(dir, 'a.log'), LINE)
  writeFileSync(join(dir, 'empty.log'), '')
  writeFileSync(join(dir, 'other.log'), LINE.replace('GET', 'POST'))
  writeFileSync(join(dir, 'a.json'), '{"level":"info"}')
  expect(await run(['a.log', 'empty.log', 'other.log'])).toEqual({ status: 0, stderr: '' })
  const before = readFileSync(target(), 'utf8')
  const { status, stderr } = await run(['a.json'])
  expect([status, stderr.split('\n')[0]]).toEqual([1, 'a.json: expected a log in the common or combined log format'])
  expect(readFileSync(target(), 'utf8')).toBe(before)
  expect((await run(['none.log'])).stderr.match(/ENOENT/g)).toHaveLength(1)
})
