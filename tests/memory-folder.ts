// Runs before the tests that start programs: their temporary files are in memory where there is room, because thousands
// of small repositories and databases take a tenth less processor time there, and wait for no disk.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'prompt-hub-tests-'
/** What the whole run needs at most, with room to spare. */
const MIN_FREE_BYTES = 4 * 1024 ** 3

/** Makes the folder, and names it in TMPDIR. @returns a function that removes it again */
export function setup(): (() => void) | undefined {
  // Somebody else has chosen a folder, or another project of the test runner has made this one.
  if (process.platform !== 'linux' || process.env.TMPDIR) return
  const folder = join(MEMORY, `${PREFIX}${process.pid}`)
  const remove = (path: string) => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  try {
    for (const left of readdirSync(MEMORY).filter((name) => name.startsWith(PREFIX) && !isAlive(name)))
      remove(join(MEMORY, left))
    const { bavail, bsize } = statfsSync(MEMORY)
    if (Math.min(bavail * bsize, process.availableMemory()) < MIN_FREE_BYTES) return
    mkdirSync(folder)
    // As /tmp: some tests run a program as another user.
    chmodSync(folder, 0o1777)
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(program)
  } catch {
    // There is no such folder, or no program may run from it, as in most containers.
    remove(folder)
    return
  }
  process.env.TMPDIR = folder
  return () => {
    delete process.env.TMPDIR
    remove(folder)
  }
}

function isAlive(name: string): boolean {
  try {
    process.kill(Number(name.slice(PREFIX.length)), 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
