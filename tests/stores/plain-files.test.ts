// Tests how files of content and imports are opened: ordinary files only, no link in any part of the path, also while a
// folder is being replaced by a link.
import { spawn } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openFolder } from '../../src/files/plain-files.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let dir = ''
let root = ''
let socket: Server | undefined
beforeEach(() => {
  dir = temporaryFolder('prompt-hub-plain-')
  root = join(dir, 'root')
  mkdirSync(join(root, 'a/b'), { recursive: true })
  mkdirSync(join(dir, 'outside/b'), { recursive: true })
  writeFileSync(join(root, 'a/b/file'), 'inside')
  writeFileSync(join(dir, 'outside/b/file'), 'secret')
})
afterEach(() => {
  socket?.close()
  socket = undefined
})

// Linux says which path an open file has; other systems resolve the path again.
describe.each(existsSync('/proc/self/fd') ? [true, false] : [false])('with the kernel’s path: %s', (asksKernel) => {
  const read = (path: string) => openFolder(root, asksKernel).read(path, 100)
  const put = { fifo: (path: string) => runSync('mkfifo', [join(root, path)]) }

  //  what                              path           how it is made                                                         result
  test.each([
    ['an ordinary file', 'a/b/file', () => {}, 'inside'],
    ['an empty file', 'empty', () => writeFileSync(join(root, 'empty'), ''), ''],
    ['a hard link', 'hard', () => linkSync(join(dir, 'outside/b/file'), join(root, 'hard')), 'secret'],
    ['a file of the maximum length', 'x', () => writeFileSync(join(root, 'x'), 'x'.repeat(100)), 'x'.repeat(100)],
    ['a longer file', 'x', () => writeFileSync(join(root, 'x'), 'x'.repeat(101)), 'long'],
    [
      'a terabyte of nothing',
      'x',
      () => [writeFileSync(join(root, 'x'), ''), truncateSync(join(root, 'x'), 1e12)],
      'long',
    ],
    ['a link to a file outside', 'x', () => symlinkSync(join(dir, 'outside/b/file'), join(root, 'x')), 'link'],
    ['a link to a file inside', 'x', () => symlinkSync('a/b/file', join(root, 'x')), 'link'],
    ['a link to nothing', 'x', () => symlinkSync('nowhere', join(root, 'x')), 'link'],
    ['a file below a link to a folder', 'x/b/file', () => symlinkSync(join(dir, 'outside'), join(root, 'x')), 'link'],
    ['a file below a link inside', 'x/file', () => symlinkSync('a/b', join(root, 'x')), 'link'],
    ['a link in the second folder', 'a/x/file', () => symlinkSync('b', join(root, 'a/x')), 'link'],
    ['a path that leads out', '../outside/b/file', () => {}, 'missing'],
    ['a FIFO', 'x', () => put.fifo('x'), 'irregular'],
    ['a link to a FIFO', 'x', () => [put.fifo('fifo'), symlinkSync('fifo', join(root, 'x'))], 'link'],
    ['a folder', 'a/b', () => {}, 'irregular'],
    ['nothing', 'x', () => {}, 'missing'],
    ['a file below a file', 'a/b/file/x', () => {}, 'missing'],
  ] as const)('%s', (_, path, make, expected) => {
    make()
    const { value, refusal } = read(path)
    expect(refusal ?? value.toString()).toBe(expected)
  })

  test('a socket and a device are irregular', async () => {
    socket = createServer()
    await new Promise<void>((resolve) => socket!.listen(join(root, 'x'), resolve))
    expect(read('x')).toEqual({ refusal: 'irregular' })
    expect(openFolder('/dev', asksKernel).read('null', 100)).toEqual({ refusal: 'irregular' })
  })

  test('a root that is a link is refused; a link above the root is not', () => {
    symlinkSync(root, join(dir, 'link'))
    const behind = openFolder(join(dir, 'link'), asksKernel)
    expect(behind.read('a/b/file', 100)).toEqual({ refusal: 'link' })
    expect(() => behind.list('')).toThrow(expect.objectContaining({ code: 'ELOOP' }))
    expect(openFolder(join(dir, 'link/a'), asksKernel).read('b/file', 100).value?.toString()).toBe('inside')
  })

  test('never writes through a link', () => {
    symlinkSync(join(dir, 'outside'), join(root, 'x'))
    const folder = openFolder(root, asksKernel)
    expect(() => folder.prepare('x/new/file')).toThrow('expected no symbolic link')
    expect(existsSync(join(dir, 'outside/new'))).toBe(false)
    expect(folder.prepare('new/folder/file')).toContain('root/new/folder/file')
    expect(existsSync(join(root, 'new/folder'))).toBe(true)
  })

  test('never reads a file outside while a folder is replaced by a link and back', async () => {
    const swap = `
      const { renameSync, symlinkSync, mkdirSync, writeFileSync } = require('node:fs')
      symlinkSync(${JSON.stringify(join(dir, 'outside'))}, 'link')
      process.stdout.write('.')
      // Without the kernel's help, only a program that waits between its changes is noticed each time.
      const wait = () => ${asksKernel} || Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      const move = (from, to) => { renameSync(from, to); wait() }
      for (;;) { move('a', 'kept'); move('link', 'a'); move('a', 'link'); move('kept', 'a') }`
    const swapper = spawn(process.execPath, ['-e', swap], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      await new Promise((resolve) => swapper.stdout.once('data', resolve))
      const counts = new Map<string, number>()
      const folder = openFolder(root, asksKernel)
      const count = () => {
        const { value, refusal } = folder.read('a/b/file', 100)
        const result = refusal ?? value.toString()
        counts.set(result, (counts.get(result) ?? 0) + 1)
      }
      // Until the folder and the link have both been met often.
      while ((counts.get('inside') ?? 0) < 500 || (counts.get('link') ?? 0) < 20) count()
      expect(counts.has('secret')).toBe(false)
    } finally {
      swapper.kill('SIGKILL')
      await new Promise((resolve) => swapper.once('close', resolve))
    }
  })
})
