// Reads git's objects through one process for as long as it is asked: starting git takes longer than most of its answers.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { GitFailure } from './git-failure.ts'

/** What git says of an object, and its bytes if they were asked for. */
interface FoundObject {
  id: string
  type: string
  size: number
  bytes: Buffer<ArrayBuffer>
}

/** When the process ends that nobody asks any more. */
const IDLE_MS = 10_000

/** Git's line about an object. @see https://git-scm.com/docs/git-cat-file#_batch_output */
const OBJECT = /^([0-9a-f]+) (\w+) (\d+)$/

interface Question {
  resolve(found: FoundObject | undefined): void
  reject(error: unknown): void
}

/** Starts git. */
type Start = (args: readonly string[]) => ChildProcessWithoutNullStreams

/** Opens a reader. Names are object IDs or the hub's own words such as `HEAD`, never somebody's paths: a line is a question. @param start starts git with the arguments */
export function openObjectReader(start: Start) {
  const [find, read] = [openChannel(start, '--batch-check'), openChannel(start, '--batch')]
  return {
    /** Finds objects by name, without their bytes. @returns them in the same order; undefined for a name without an object @throws GitFailure; Error if git cannot be started */
    find: (names: readonly string[]) => (names.length === 0 ? Promise.resolve([]) : find(names)),
    /** Reads objects by name. @returns them in the same order; undefined for a name without an object @throws GitFailure; Error if git cannot be started */
    read: (names: readonly string[]) => (names.length === 0 ? Promise.resolve([]) : read(names)),
  }
}

/** Opens a process of one kind: git 2.36 has one that answers both, and many systems have an older git. */
function openChannel(start: Start, mode: '--batch' | '--batch-check') {
  let child: ChildProcessWithoutNullStreams | undefined
  let waiting: Question[] = []
  let idle: NodeJS.Timeout | undefined

  const launch = () => {
    const mine = start(['cat-file', mode])
    const hear = readAnswers(mode === '--batch', (answer) => {
      waiting.shift()?.resolve(answer)
      if (waiting.length === 0) rest()
    })
    let stderr = ''
    const end = (error: unknown) => {
      if (child !== mine) return
      child = undefined
      const asked = waiting
      waiting = []
      for (const { reject } of asked) reject(error)
    }
    mine.stdout.on('data', hear)
    mine.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    // Its exit status says why.
    mine.stdin.on('error', () => {})
    mine.on('error', end)
    mine.on('close', (code) => end(new GitFailure(`git cat-file ended with ${code}: ${stderr.trim()}`)))
    return mine
  }
  /** The process keeps the hub running only while it is asked something. */
  const rest = () => {
    for (const one of handlesOf(child)) one.unref()
    idle = setTimeout(() => {
      child?.stdin.end()
      child = undefined
    }, IDLE_MS).unref()
  }
  return (names: readonly string[]) => {
    clearTimeout(idle)
    child ??= launch()
    for (const one of handlesOf(child)) one.ref()
    const answers = names.map(() => {
      const { promise, resolve, reject } = Promise.withResolvers<FoundObject | undefined>()
      waiting.push({ resolve, reject })
      return promise
    })
    child.stdin.write(names.map((name) => `${name}\n`).join(''))
    return Promise.all(answers)
  }
}

/** What keeps a thread running while a process does. */
function handlesOf(child: ChildProcessWithoutNullStreams | undefined): { ref(): unknown; unref(): unknown }[] {
  const streams = [child, child?.stdin, child?.stdout, child?.stderr]
  return streams.filter((one) => one !== undefined && 'unref' in one) as ReturnType<typeof handlesOf>
}

/** Divides git's output into answers. @param withBytes whether objects come with their bytes @returns takes the next part of the output */
function readAnswers(withBytes: boolean, onAnswer: (found: FoundObject | undefined) => void) {
  let chunks: Buffer<ArrayBuffer>[] = []
  let length = 0
  /** How many bytes the next step needs. */
  let needed = 1
  let object: Omit<FoundObject, 'bytes'> | undefined
  return (chunk: Buffer<ArrayBuffer>): void => {
    chunks.push(chunk)
    length += chunk.length
    if (length < needed) return
    let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    while (bytes.length > 0) {
      if (!object) {
        const end = bytes.indexOf(10)
        if (end === -1) break
        const [, id, type = '', size] = OBJECT.exec(bytes.toString('utf8', 0, end)) ?? []
        bytes = bytes.subarray(end + 1)
        const found = id === undefined ? undefined : { id, type, size: Number(size) }
        if (!found || !withBytes) {
          onAnswer(found && { ...found, bytes: NOTHING })
          continue
        }
        object = found
      }
      // A line break follows the bytes.
      if (bytes.length <= object.size) break
      const answer = { ...object, bytes: bytes.subarray(0, object.size) }
      bytes = bytes.subarray(object.size + 1)
      object = undefined
      onAnswer(answer)
    }
    needed = object ? object.size + 1 : 1
    chunks = [bytes]
    length = bytes.length
  }
}

const NOTHING = Buffer.alloc(0)
