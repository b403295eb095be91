// Runs a script for each line of JSON in one process, which has loaded the modules that scripts import; loaded.ts starts it.
import { registerHooks } from 'node:module'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const answer = process.stdout.write.bind(process.stdout)
let runs = 0

// The modules of an action collect what it reports, so each run has its own.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return found.url.includes('/.github/actions/') ? { ...found, url: `${found.url.split('?')[0]}?${runs}` } : found
  },
})

/** Runs a script as in a process of its own. @returns what it printed */
async function run(script: string, args: string[], cwd: string, env: Record<string, string>) {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv.splice(1, process.argv.length, script, ...args)
  process.exitCode = 0
  const printed: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (chunk: string | Uint8Array) => printed[name].push(Buffer.from(chunk as Uint8Array)) > 0
  // Under another name, a script runs again; most modules that it imports do not.
  await import(`${pathToFileURL(script)}?${++runs}`).catch((error: unknown) => {
    console.error(error)
    process.exitCode = 1
  })
  for (const emitter of [process.stdout, process.stderr]) emitter.removeAllListeners('error')
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  const [stdout, stderr] = [printed.stdout, printed.stderr].map((chunks) => Buffer.concat(chunks).toString())
  return { code: Number(process.exitCode), stdout, stderr }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [script, args, cwd, env] = JSON.parse(line)
  answer(`${JSON.stringify(await run(script, args, cwd, env))}\n`)
}
