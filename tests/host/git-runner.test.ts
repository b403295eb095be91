// The process that starts git for a hub: what it answers, and what happens if it ends. The other tests of hosts publish
// and read through it.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createGit } from '../../src/git/git-command.ts'
import { OutputTooLong } from '../../src/git/git-failure.ts'
import { startGitRunner } from '../../src/git/git-runner-client.ts'
import { temporaryFolder } from '../temporary-folder.ts'

startGitRunner()
const folder = temporaryFolder('runner-')
const git = createGit(folder, process.env)

/** A run that takes two seconds. */
const SLEEP = ['-c', 'alias.wait=!sleep 2', 'wait']

/** The process that starts git for this one. */
const runners = () =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('git-runner.mjs'))
    .map((line) => Number.parseInt(line, 10))

test('answers with the status, the output and the input of each run, however many there are at once', async () => {
  await git.run(['init', '--quiet'])
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, at) => git.run(['hash-object', '-w', '--stdin'], { input: `text ${at}` })),
  )
  const texts = await Promise.all(ids.map((id) => git.run(['cat-file', 'blob', id.toString().trim()])))
  expect(texts.map(String)).toEqual(Array.from({ length: 20 }, (_, at) => `text ${at}`))
  expect(await git.tryRun(['rev-parse', '--verify', 'HEAD'])).toMatchObject({
    code: 128,
    stderr: expect.stringContaining('fatal: Needed a single revision'),
  })
})

test('says that output is too long, that git is missing, and that a run was aborted', async () => {
  await expect(git.run(['version'], { maxBytes: 3 })).rejects.toThrow(OutputTooLong)
  const nowhere = createGit(folder, { PATH: folder })
  await expect(nowhere.run(['version'])).rejects.toMatchObject({ code: 'ENOENT', syscall: 'spawn git' })
  const signal = AbortSignal.timeout(50)
  await expect(git.run(SLEEP, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('a run fails if the process is killed, and the next run starts another one', async () => {
  const [pid] = runners()
  const waits = git.run(SLEEP)
  const failed = expect(waits).rejects.toThrow('The process that starts git ended.')
  process.kill(pid!, 'SIGKILL')
  await failed
  expect((await git.run(['version'])).toString()).toMatch(/^git version/)
  expect(runners()).not.toEqual([pid])
})

test('a run fails also in a process that waits for nothing else', () => {
  const script = `
    const { createGit } = await import('./src/git/git-command.ts')
    const { startGitRunner } = await import('./src/git/git-runner-client.ts')
    startGitRunner()
    const waits = createGit('.', process.env).run(${JSON.stringify(SLEEP)}, { signal: new AbortController().signal })
    const { execFileSync } = await import('node:child_process')
    await new Promise((resolve) => setTimeout(resolve, 300))
    execFileSync('pkill', ['-KILL', '-P', String(process.pid), '-f', 'git-runner.mjs'])
    await waits.catch(({ message }) => console.log(message))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(output).toBe('The process that starts git ended.\n')
})
