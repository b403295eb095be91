// Tests the threads for long work: results, errors, the deadline, turns and a full queue. And the process that starts git:
// what it answers, and what happens if it ends. The other tests of hosts publish and read through it.

import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import * as attestations from '../../src/attestations/verify-in-thread.ts'
import { placeOf, runInPlace } from '../../src/concurrency/long-work.ts'
import { HubError } from '../../src/domain/api/errors.ts'
import * as editor from '../../src/editor/long-work.ts'
import { createGit, startGitRunner } from '../../src/git/git-command.ts'
import { OutputTooLong } from '../../src/git/git-failure.ts'
import { openLongWork } from '../../src/hosts/node/long-work.ts'
import * as archives from '../../src/hub/parse-archive.ts'
import * as exporting from '../../src/routes/export-version.ts'
import * as filling from '../../src/server/mcp/fill-prompt.ts'
import { decidePublish, describePublished, readPromptFile, readPublishBody } from '../../src/server/publish/decide.ts'
import * as changing from '../../src/server/publish/decide-change.ts'
import { recordOf, repositoryOf } from '../linear/made.ts'
import { temporaryFolder } from '../temporary-folder.ts'

describe('threads for long work', () => {
  /** Limits that no test reaches by accident, because the machine may be busy. */
  const PATIENCE = { deadlineMs: 600_000, waitMs: 600_000, waiting: { total: 100, perSender: 20 } }
  const opened: ReturnType<typeof openLongWork>[] = []
  afterEach(() => {
    for (const threads of opened.splice(0)) threads.close()
  })

  function open(limits: Partial<typeof PATIENCE> = {}): ReturnType<typeof openLongWork> {
    const threads = openLongWork({ ...PATIENCE, ...limits })
    opened.push(threads)
    return threads
  }

  const { exportVersion } = exporting
  const REPOSITORY = repositoryOf('a', 'text')
  /** The arguments of an export that takes a while. */
  const LONG = ['github', REPOSITORY, recordOf('a\n'.repeat(30_000), 'text')] as const
  const unavailable = { code: 'unavailable', retryAfterSeconds: 5 }

  describe('long work', () => {
    test('gives the same results in a thread as in place', async () => {
      const runLong = open().forClient('192.0.2.1')
      const record = recordOf('{{a}} and {{b}}\n'.repeat(1_000), 'chat')
      for (const run of [runLong, runInPlace])
        expect((await run(filling.fillPrompt, record, { a: 'x' })).missing).toEqual(['b'])
      expect(await runLong(exportVersion, ...LONG)).toEqual(exportVersion(...LONG))
    })

    test('throws the error of the function, with its code, message and problems, which forms show', async () => {
      const runLong = open().forClient('192.0.2.1')
      const body = JSON.stringify({ content: 'x'.repeat(10_000), variables: 'none' })
      const failure = await runLong(readPublishBody, body).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(HubError)
      expect(failure).toMatchObject({
        code: 'validation_failed',
        message: expect.stringContaining('variables: expected'),
        problems: [{ key: 'variables', message: expect.stringContaining('expected') }],
      })
    })

    test('ends at the deadline with 503, and the next piece of work is not affected', async () => {
      const threads = open({ deadlineMs: 1 })
      for (const client of ['192.0.2.1', '192.0.2.2'])
        await expect(threads.forClient(client)(exportVersion, ...LONG)).rejects.toMatchObject(unavailable)
      expect(await open().forClient('192.0.2.1')(exportVersion, ...LONG)).toHaveProperty('file')
    })

    test('runs in place on short texts, without a thread', async () => {
      const runLong = open({ deadlineMs: 0 }).forClient('192.0.2.1')
      expect(await runLong(readPromptFile, '---\n---\na', {})).toMatchObject({ content: 'a' })
      await expect(runLong(readPromptFile, 'x'.repeat(4_096), {})).rejects.toMatchObject(unavailable)
      const archive = new Uint8Array(4_096)
      await expect(runLong(archives.parseArchive, archive, {})).rejects.toMatchObject(unavailable)
    })

    test('lets another client go before the second piece of a busy client', async () => {
      const threads = open()
      const ended: string[] = []
      const send = (client: string, count: number) =>
        Array.from({ length: count }, async (_, index) => {
          await threads.forClient(client)(exportVersion, ...LONG)
          ended.push(`${client}${index}`)
        })
      // The first two have the threads, which take longer to start than a piece of work.
      await Promise.all([...send('first', 1), ...send('second', 1), ...send('busy', 8), ...send('other', 1)])
      expect(ended).toHaveLength(11)
      expect(ended.indexOf('other0')).toBeLessThan(6)
    })

    test('refuses a client whose work fills its part of the queue, but not another client', async () => {
      const threads = open({ waiting: { total: 10, perSender: 4 } })
      const send = (client: string, count: number) =>
        Promise.allSettled(Array.from({ length: count }, () => threads.forClient(client)(exportVersion, ...LONG)))
      const [busy, other] = await Promise.all([send('busy', 20), send('other', 2)])
      const refused = busy.filter(({ status }) => status === 'rejected')
      expect(refused.length).toBeGreaterThanOrEqual(10)
      for (const one of refused) expect(one).toMatchObject({ reason: unavailable })
      expect(other.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    })

    test('threads can import each function from its module', async () => {
      const deciding = { decidePublish, describePublished, readPromptFile, readPublishBody }
      const modules = [archives, attestations, changing, deciding, editor, exporting, filling]
      for (const [name, work] of modules.flatMap((module) => Object.entries(module)))
        expect((await import(placeOf(work).module))[placeOf(work).name], name).toBe(work)
      const unknown = (..._: unknown[]) => 1
      await expect(open().forClient('192.0.2.1')(unknown, ...LONG)).rejects.toThrow('unknown is not allowed in threads')
      await expect(runInPlace(unknown)).rejects.toThrow('unknown is not allowed in threads')
    })
  })
})

describe('the process that starts git', () => {
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
    const { createGit, startGitRunner } = await import('./src/git/git-command.ts')
    startGitRunner()
    const waits = createGit('.', process.env).run(${JSON.stringify(SLEEP)}, { signal: new AbortController().signal })
    const { execFileSync } = await import('node:child_process')
    await new Promise((resolve) => setTimeout(resolve, 300))
    execFileSync('pkill', ['-KILL', '-P', String(process.pid), '-f', 'git-runner.mjs'])
    await waits.catch(({ message }) => console.log(message))`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(output).toBe('The process that starts git ended.\n')
  })
})
