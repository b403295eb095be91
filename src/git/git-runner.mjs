// A small process that starts git for a large one. Starting a process copies the page tables of the one that starts it: a hub with 10,000 prompts would stand still for 20 to 80 ms, this process does for 2 to 7. It is JavaScript, because Node's support for TypeScript takes 15 MB.
import { spawn } from 'node:child_process'

/** @type {Map<number, import('node:child_process').ChildProcess>} */
const running = new Map()

/** @param {import('./git-command.ts').GitRequest} request */
function run({ id, args, cwd, env, input, maxBytes }) {
  const child = spawn('git', args, { cwd, env, windowsHide: true })
  running.set(id, child)
  /** @type {Buffer[]} */
  const out = []
  /** @type {Buffer[]} */
  const err = []
  let left = maxBytes
  /** @param {Pick<import('./git-command.ts').GitAnswer, 'code' | 'failure'>} end */
  const answer = (end) => {
    if (!running.delete(id)) return
    const stderr = Buffer.concat(err).toString()
    process.send?.({ id, stdout: Buffer.concat(out), stderr, isTooLong: left < 0, ...end })
  }
  child.stdout.on('data', (chunk) => {
    left -= chunk.length
    if (left >= 0) out.push(chunk)
    else child.kill()
  })
  child.stderr.on('data', (chunk) => err.push(chunk))
  child.on('error', (/** @type {NodeJS.ErrnoException} */ { message, code, syscall }) =>
    answer({ code: null, failure: { message, code, syscall } }),
  )
  child.on('close', (code) => answer({ code }))
  // If git exits before it has read all input, the pipe breaks; the exit status shows the reason.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
}

process.on('message', (/** @type {import('./git-command.ts').GitRequest | { stop: number }} */ message) => {
  if ('stop' in message) running.get(message.stop)?.kill()
  else run(message)
})
// The hub ends this process: a terminal sends its signals to all processes at once, and the hub still completes its writes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
