// Runs short programs, such as git, and waits for them. A shell of two megabytes starts them: a test process has hundreds
// of megabytes, and copying its page tables takes 20 ms each time.
import { execFileSync, spawn } from 'node:child_process'
import { openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { lastingFolder } from './temporary-folder.ts'

/** What a program gets; by default, the environment and the folder of the tests, and no input. */
export interface SyncOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  input?: string | Uint8Array
}

/** Runs each program whose number is on a line, and answers with its exit status. It ends when this process does. */
const LOOP = `exec 3<in 4>out
while read -r number <&3; do
  ( . "./$number" ) < "$number.in" > "$number.out" 2> "$number.err" 3<&- 4>&-
  echo $? >&4
done`

let shell: { dir: string; ask: number; answers: number } | undefined
let runs = 0

function startShell() {
  const dir = lastingFolder('hub-shell-')
  execFileSync('mkfifo', ['in', 'out'], { cwd: dir })
  // Opened for reading, too, because the shell is not there yet.
  const ask = openSync(join(dir, 'in'), 'r+')
  spawn('sh', ['-c', LOOP], { cwd: dir, stdio: 'ignore' }).unref()
  return { dir, ask, answers: openSync(join(dir, 'out'), 'r') }
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** @returns standard output @throws Error with standard error, if the exit status is not 0 */
export function runSync(program: string, args: readonly string[], options: SyncOptions & { encoding: 'utf8' }): string
export function runSync(program: string, args: readonly string[], options?: SyncOptions): Buffer
export function runSync(
  program: string,
  args: readonly string[],
  { cwd = process.cwd(), env = process.env, input = '', encoding }: SyncOptions & { encoding?: 'utf8' } = {},
): string | Buffer {
  shell ??= startShell()
  const number = ++runs
  const file = join(shell.dir, String(number))
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  const command = ['env', '-i', ...given, program, ...args].map(quote).join(' ')
  writeFileSync(file, `cd ${quote(cwd)} && exec ${command}\n`)
  writeFileSync(`${file}.in`, input)
  writeSync(shell.ask, `${number}\n`)
  let answer = ''
  for (const bytes = Buffer.alloc(16); !answer.endsWith('\n'); ) {
    const count = readSync(shell.answers, bytes)
    if (count === 0) throw new Error('the shell that starts programs ended')
    answer += bytes.toString('latin1', 0, count)
  }
  const [stdout, stderr] = [readFileSync(`${file}.out`), readFileSync(`${file}.err`, 'utf8')]
  for (const end of ['', '.in', '.out', '.err']) rmSync(file + end)
  if (Number(answer) !== 0) throw new Error(`Command failed: ${program} ${args.join(' ')}\n${stderr}`)
  return encoding === undefined ? stdout : stdout.toString(encoding)
}
