// Lets the shells of guides run hubcli, `npx prompt-hub` and commands of package.json in processes that have loaded their
// code: to start a process for each takes ten times the processor time.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { HUBCLI } from '../cli/assembled.ts'
import { NPX, runProgram } from '../clients/both-clients.ts'
import { listen } from '../listen.ts'
import { runScript } from '../loaded.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
/** The commands of package.json that leave nothing in their process, each with its file and first arguments. */
const SCRIPTS = new Map(
  ['check:content', 'doctor', 'export', 'import', 'new', 'people', 'token'].map((name) => [
    name,
    scripts[name]!.replace(/^node (?:--\S+ )*/, '').split(' '),
  ]),
)

function run(name: string, args: string[], cwd: string, env: Record<string, string>) {
  if (name === 'hubcli') return runProgram(args, cwd, env)
  const [script = NPX.command.at(-1)!, ...first] = SCRIPTS.get(name) ?? []
  return runScript(script, [...first, ...(args[0] === '--' ? args.slice(1) : args)], { cwd, env })
}

/** Shell functions: `hubcli`, of which the shell part runs where it does more than pass a command on; `npm_run`, which takes what follows `npm run`; and `prompt_hub`. */
const functionsFor = (url: string) => `
loaded() (
  given=$(mktemp -d)
  code=$({ printf '%s\\0' "$given" "$PWD" "$#" "$@"; env -0; } | curl -sS --data-binary @- ${url}/)
  cat "$given/stdout"; cat "$given/stderr" >&2; rm -r "$given"
  exit "$code"
)
hubcli() { case "$1" in cat | pull | push | help | -*) sh '${HUBCLI}' "$@" ;; *) loaded hubcli "$@" ;; esac; }
npm_run() {
  [ "$1" != --silent ] || shift
  # Node runs other commands as npm does, in a fifth of the processor time.
  case "$1" in ${[...SCRIPTS.keys()].join(' | ')}) loaded "$@" ;; *) node --run "$@" ;; esac
}
prompt_hub() { loaded prompt-hub "$@"; }
`

/** Starts what runs them, and returns the functions of a shell. */
export async function startCommands(): Promise<{ functions: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const [given = '', cwd = '', count, ...words] = Buffer.concat(await Array.fromAsync(request))
      .toString()
      .split('\0')
    const [name = '', ...args] = words.splice(0, Number(count))
    const variables = words.filter(Boolean).map((text): [string, string] => {
      const at = text.indexOf('=')
      return [text.slice(0, at), text.slice(at + 1)]
    })
    const { code, stdout, stderr } = await run(name, args, cwd, Object.fromEntries(variables))
    writeFileSync(join(given, 'stdout'), stdout)
    writeFileSync(join(given, 'stderr'), stderr)
    response.end(String(code))
  })
  return { functions: functionsFor(await listen(server)), close: () => server.close() }
}
