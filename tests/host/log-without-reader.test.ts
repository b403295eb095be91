// Checks a hub whose log no longer has a reader: a single uncaught error does not cause an endless loop of failed
// writes.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/**
 * A hub that forwards the log of a child process, such as the builder. It reports the number of uncaught errors on file
 * descriptor 3.
 */
const HUB = `
  import { spawn } from 'node:child_process'
  import { writeSync } from 'node:fs'
  const { logUncaughtErrors } = await import(process.cwd() + '/src/hosts/node/http/uncaught-errors.ts')
  let caught = 0
  const report = (text) => { writeSync(3, text); process.exit() }
  process.on('uncaughtException', () => { if (++caught === 1000) report('a loop') })
  logUncaughtErrors()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => console.error("a line"), 50); setTimeout(() => process.exit(), 900)'])
  child.stderr.pipe(process.stderr)
  setTimeout(() => { throw new Error('of one request') }, 300)
  setTimeout(() => report(String(caught)), 1_300)
`

test('an uncaught error is handled once when the log has no reader', () => {
  const command = `{ "$NODE" --input-type=module -e "$HUB" 2>&1 1>/dev/null 3>&3 | true; } 3>&1`
  const said = execFileSync('sh', ['-c', command], { env: { ...process.env, NODE: process.execPath, HUB } })
  expect(said.toString()).toBe('1')
})
