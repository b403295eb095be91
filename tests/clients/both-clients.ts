// Runs the two command lines that support lock files, hubcli and that of the npm package, from source.
import { spawn, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { type Ran, runLoaded, runScript } from '../loaded.ts'

/** One client: its command line. */
export interface Client {
  name: string
  command: string[]
}

/** A client with command lines for trouble. */
interface TroubledClient extends Client {
  /** With this command line, the nth rename fails, and folders cannot be swapped in one step, as on an older system. */
  failingRename(nth: number): string[]
  /** With this command line, the client is killed before its nth change of a file or folder. */
  killedBefore(nth: number): string[]
  /** With this command line, somebody presses Ctrl-C before its nth change of a file or folder. */
  interruptedBefore(nth: number): string[]
  /** With this command line, the client copies its working folder before its nth change to the folder `nth` in a folder. */
  copiedBeforeEach(into: string): string[]
}

const COMMAND = resolve('clients/typescript/source/command.ts')

/** Does something before each change of the project, not of hubcli's work folder. Python reports each of these before it happens. Opening a file for writing also counts. */
const beforeEachChange = (
  then: string,
  changes = ['open', 'os.mkdir', 'os.rename', 'os.remove', 'os.rmdir', 'shutil.rmtree', 'ctypes.dlsym'],
) => `import ctypes, os, shutil, signal, sys
calls, is_busy = [0], []
def count(event, given):
    if is_busy or event not in ${JSON.stringify(changes)} or (event == 'open' and not (isinstance(given[2], int) and given[2] & 3)):
        return
    calls[0] += 1
    is_busy.append(True)
    ${then}
    is_busy.clear()
sys.addaudithook(count)
`
const FAIL = `${beforeEachChange(`if calls[0] == NTH: raise OSError(16, 'Device or resource busy', given[1])`, ['os.rename'])}ctypes.CDLL = lambda *_: None
`
const KILL = beforeEachChange('if calls[0] == NTH: os.kill(os.getpid(), signal.SIGKILL)')
/** The system may give a signal to any thread, and each request has one. */
const INTERRUPT = `import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
${KILL.replace('SIGKILL', 'SIGINT')}`
const copy = (into: string) => beforeEachChange(`shutil.copytree('.', '${into}/%d' % calls[0])`)
const beforeEachChangeOfNode = (
  then: string,
  changes = ['rename', 'mkdir', 'rm', 'rmdir', 'writeFile', 'open'],
) => `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
let calls = 0
for (const name of ${JSON.stringify(changes)}) {
  const real = fs.promises[name]
  fs.promises[name] = async (...given) => {
    calls++
    ${then}
    return real(...given)
  }
}
syncBuiltinESMExports()`
const FAIL_OF_NODE = beforeEachChangeOfNode(`if (calls === NTH) throw new Error('EBUSY: device or resource busy')`, [
  'rename',
])
const KILL_OF_NODE = beforeEachChangeOfNode(`if (calls === NTH) process.kill(process.pid, 'SIGKILL')`)
const INTERRUPT_OF_NODE = KILL_OF_NODE.replace('SIGKILL', 'SIGINT')
const copyOfNode = (into: string) => beforeEachChangeOfNode(`fs.cpSync('.', '${into}/' + calls, { recursive: true })`)

/** The command line of the npm package after a program. */
export const nodeWith = (program: string) => [
  ...[process.execPath, '--import', `data:text/javascript,${encodeURIComponent(program)}`],
  COMMAND,
]
/** hubcli after a program. */
export const pythonWith = (program: string) => [
  ...['python3', '-c', `${program}from hubcli_program import main\nmain(sys.argv[1:])`],
]

const nth = (program: string, number: number) => program.replace('NTH', String(number))

/** The command of the npm package. */
export const NPX: TroubledClient = {
  name: 'npx prompt-hub',
  command: [process.execPath, COMMAND],
  failingRename: (number) => nodeWith(nth(FAIL_OF_NODE, number)),
  killedBefore: (number) => nodeWith(nth(KILL_OF_NODE, number)),
  interruptedBefore: (number) => nodeWith(nth(INTERRUPT_OF_NODE, number)),
  copiedBeforeEach: (into) => nodeWith(copyOfNode(into)),
}

/** Both clients. The program of hubcli consists of the modules of the Python library, so what those decide is tested with it. */
export const CLIENTS: readonly TroubledClient[] = [
  {
    name: 'hubcli',
    command: ['python3', '-m', 'hubcli_program'],
    failingRename: (number) => pythonWith(nth(FAIL, number)),
    killedBefore: (number) => pythonWith(nth(KILL, number)),
    interruptedBefore: (number) => pythonWith(nth(INTERRUPT, number)),
    copiedBeforeEach: (into) => pythonWith(copy(into)),
  },
  NPX,
]

/** Runs a command in a folder, against a hub. */
export function runClient(command: string[], args: string[], cwd: string, hub: string): Promise<Ran> {
  return runWith(command, args, cwd, environment(hub))
}

/** Runs a command in a folder, with an environment. Messages of hubcli name the other command, so that tests expect the same ones. @param isAlone whether in a process of its own, for what a command keeps in its modules */
export async function runWith(
  command: string[],
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  { isAlone = false } = {},
): Promise<Ran> {
  const ran = await (runIn(command, isAlone)?.(args, cwd, env) ?? runSpawned(command, args, cwd, env))
  const isHubcli = command.some((word) => word.includes('hubcli_program'))
  return isHubcli ? { ...ran, stderr: ran.stderr.replaceAll(/\bhubcli\b/g, 'prompt-hub') } : ran
}

/** Returns what runs a command in a process that has loaded it, if there is one. */
function runIn(command: string[], isAlone: boolean) {
  if (isAlone) return undefined
  const words = command.join(' ')
  if (words === HUBCLI) return runProgram
  if (words !== NPX.command.join(' ')) return undefined
  return (args: string[], cwd: string, env: NodeJS.ProcessEnv) => runScript(COMMAND, args, { cwd, env })
}

function runSpawned([program, ...first]: string[], args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  const child = spawn(program!, [...first, ...args], { cwd, env })
  const ran: Ran = { code: -1, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (ran.stdout += chunk))
  child.stderr.on('data', (chunk) => (ran.stderr += chunk))
  return new Promise<Ran>((done, reject) => {
    child.on('error', reject)
    child.on('close', (code) => done({ ...ran, code: code ?? -1 }))
  })
}

const HUBCLI = 'python3 -m hubcli_program'
const PROGRAM: Parameters<typeof runLoaded>[0] = {
  command: ['python3', resolve('tests/clients/forking.py')],
  env: environment(''),
  idle: [],
}

/** Runs a command of hubcli's program, without its shell part, with exactly these environment variables. */
export const runProgram = (args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> =>
  runLoaded(PROGRAM, [args, cwd, env])

/** Returns the environment variables that every client needs. */
export function environment(hub: string): NodeJS.ProcessEnv {
  const python = {
    PYTHONPATH: ['clients/python', 'clients/hubcli', 'tests/clients'].map((path) => resolve(path)).join(':'),
  }
  return { ...process.env, ...python, HUB_URL: hub, NODE_NO_WARNINGS: '1' }
}

/** Whether the current user may mount a small disk for the test. */
export const CAN_MOUNT = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
