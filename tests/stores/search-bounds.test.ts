// Tests the limits on the cost of a search, whatever is published or requested: limits on words, corrections and tags,
// and a deadline that does not depend on the thread that responds.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import { openSearchThreads, startSearchThreads } from '../../src/hosts/node/search-threads.ts'
import { openSearchIndex } from '../../src/search/open-index.ts'
import { buildSearchIndex } from '../../src/search/write-index.ts'
import { aRepository, aTree, aVersion } from '../fixtures/records.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const dir = temporaryFolder('prompt-hub-bounds-')
const ask = { tags: [], sort: undefined, offset: 0, limit: 20 }

/**
 * Indexes one prompt for each content. @returns the index file, the number of bytes in the contents, and the number of
 * bytes written
 */
function indexOf(name: string, contents: readonly string[]) {
  const repositories = contents.map((content, index) =>
    aRepository(`a/p${index}`, { versions: [aVersion('1.0.0', { content })] }),
  )
  const path = join(dir, `${name}.db`)
  buildSearchIndex(buildCatalogue(aTree(repositories), { baseUrl: 'https://hub.example', day: '2026-01-01' }), path)
  const given = contents.reduce((sum, content) => sum + Buffer.byteLength(content), 0)
  return { path, given, written: statSync(path).size }
}

describe('index size for hostile prompts', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  let state = 1
  const randomLetter = () => {
    state = (state * 48_271) % 2_147_483_647
    return letters[state % letters.length]
  }
  const randomWord = () => Array.from({ length: 32 }, randomLetter).join('')
  const randomWords = () => Array.from({ length: 7_900 }, randomWord).join(' ')

  test('random words unique to one prompt take at most twice their size', () => {
    const { given, written } = indexOf('random', [randomWords(), randomWords(), randomWords()])
    expect(written).toBeLessThan(2 * given)
  })

  test('random words shared by two prompts take at most 2.5 times their size', () => {
    const shared = randomWords()
    const { given, written } = indexOf('shared', [shared, shared])
    expect(written).toBeLessThan(2.5 * given)
  })

  test('long words truncated within a character do not break the index', () => {
    const words = ['𐐨', '𞤢'].map((letter) => `${'a'.repeat(39)}${letter}b`)
    expect(() => indexOf('cut', [words.join(' ')])).not.toThrow()
  })

  test('one word repeated many times takes less space than the text', () => {
    const { given, written } = indexOf('repeated', ['a '.repeat(131_072).slice(0, 262_143)])
    expect(written).toBeLessThan(given)
  })
})

describe('query limits', () => {
  const { path } = indexOf('questions', ['plain text', 'plain words'])
  const search = openSearchIndex(path)
  afterAll(() => search.close())

  test('a word repeated 100 times gives the same result as once', async () => {
    const once = await search.find({ ...ask, text: 'a' })
    expect(await search.find({ ...ask, text: Array(100).fill('a').join(' ') })).toEqual(once)
  })

  test('words beyond the limit are ignored and listed as ignored', async () => {
    const words = 'plain b c d e f g h i j k l zeta omega'
    expect((await search.find({ ...ask, text: words })).matched?.ignored).toEqual(
      expect.arrayContaining(['zeta', 'omega']),
    )
  })

  test.each([11, 989, 2_000])('%i tags match nothing', async (count) => {
    const tags = Array.from({ length: count }, (_, index) => `t${index}`)
    expect(await search.find({ ...ask, text: '', tags })).toMatchObject({ matches: [], total: 0 })
    expect(await search.find({ ...ask, text: 'plain', tags })).toMatchObject({ matches: [], total: 0 })
  })
})

describe('search threads', () => {
  const { path } = indexOf('threads', ['plain text'])
  /** A long deadline for tests of other limits, because starting a thread takes time on a busy machine. */
  const patience = { deadlineMs: 60_000, queue: 100 }

  test('give the same results as the index', async () => {
    const here = openSearchIndex(path)
    const threads = openSearchThreads(path, patience)
    for (const text of ['plain', 'plian', 'nothing', '***', '']) {
      expect(await threads.find({ ...ask, text })).toEqual(await here.find({ ...ask, text }))
    }
    expect(await threads.listMenu()).toEqual(await here.listMenu())
    expect(await threads.completeOwner('', 5)).toEqual(await here.completeOwner('', 5))
    expect(await threads.completeName('p', 'a', 5)).toEqual(await here.completeName('p', 'a', 5))
    here.close()
    threads.close()
  })

  const unavailable = expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 5 })

  test('reject a query that exceeds the deadline', async () => {
    const threads = openSearchThreads(path, { deadlineMs: 0, queue: 10 })
    await expect(threads.find({ ...ask, text: 'plain' })).rejects.toEqual(unavailable)
    await expect(threads.find({ ...ask, text: 'plain' })).rejects.toThrow('is taking too long')
    threads.close()
    const patient = openSearchThreads(path, { deadlineMs: 60_000, queue: 10 })
    expect((await patient.find({ ...ask, text: 'plain' })).total).toBe(1)
    patient.close()
  })

  test('reject queries at once when the queue is full', async () => {
    const threads = openSearchThreads(path, { deadlineMs: 60_000, queue: 2 })
    const asked = Array.from({ length: 20 }, (_, index) => threads.find({ ...ask, text: `plain ${index}` }))
    const answers = await Promise.allSettled(asked)
    const refused = answers.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(20)
    for (const answer of refused) expect(answer).toMatchObject({ reason: unavailable })
    threads.close()
  })

  test('share one result among equal queries at the same time, so that they do not fill the queue', async () => {
    const threads = openSearchThreads(path, { deadlineMs: 60_000, queue: 0 })
    const asked = Array.from({ length: 200 }, () => threads.find({ ...ask, text: 'plain' }))
    expect((await Promise.all(asked)).map(({ total }) => total)).toEqual(Array(200).fill(1))
    const others = await Promise.allSettled(
      [1, 2, 3, 4, 5, 6].map((page) => threads.find({ ...ask, text: 'plain', offset: page })),
    )
    expect(others.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
    threads.close()
  })

  test('a query rejected at a full queue causes no uncaught error at its deadline', async () => {
    const uncaught = vi.fn()
    process.on('uncaughtExceptionMonitor', uncaught)
    const threads = openSearchThreads(path, { deadlineMs: 500, queue: 2 })
    const asked = Array.from({ length: 20 }, (_, index) => threads.find({ ...ask, text: `plain ${index}` }))
    const answers = await Promise.allSettled(asked)
    expect(answers.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(15)
    await sleep(700)
    expect(uncaught).not.toHaveBeenCalled()
    process.off('uncaughtExceptionMonitor', uncaught)
    const askAgain = async () => (await threads.find({ ...ask, text: 'plain' })).total
    await expect.poll(askAgain).toBe(1)
    threads.close()
  })

  test('respond during and after warm-up', async () => {
    const threads = openSearchThreads(path, patience)
    const warm = threads.warm()
    expect((await threads.find({ ...ask, text: 'plain' })).total).toBe(1)
    await warm
    expect((await threads.find({ ...ask, text: 'plain' })).total).toBe(1)
    threads.close()
  })

  test('a check succeeds during a flood of queries, and fails without an index', async () => {
    const threads = startSearchThreads({ deadlineMs: 60_000, queue: 0 })
    const search = threads.open(path)
    await search.check()
    const flood = Array.from({ length: 50 }, (_, index) => search.find({ ...ask, text: `plain ${index}` }))
    const flooded = Promise.allSettled(flood)
    await search.check()
    expect((await flooded).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
    const missing = threads.open(join(dir, 'nothing.db'))
    await expect(missing.find({ ...ask, text: 'plain' })).rejects.toEqual(unavailable)
    await expect(missing.check()).rejects.toEqual(unavailable)
    await search.check()
    threads.close()
  })

  test('run at a lower priority than the main thread on Linux', async () => {
    // Thread IDs start again at low numbers, so the first thread in the list need not be this one.
    const own = getPriority()
    const threads = openSearchThreads(path, patience)
    await threads.find({ ...ask, text: 'plain' })
    // If the test process itself runs at a lower priority, several threads have that priority.
    const lowered = listNice().filter((nice) => nice === Math.max(5, own)).length
    expect(lowered).toBeGreaterThanOrEqual(process.platform === 'linux' ? 1 : 0)
    expect(getPriority()).toBe(own)
    threads.close()
  })

  test('search two open indexes', async () => {
    const next = indexOf('next', ['another', 'another one']).path
    const threads = startSearchThreads(patience)
    const [old, now] = [threads.open(path), threads.open(next)]
    const count = async (search: typeof old, text: string) => (await search.find({ ...ask, text })).total
    await Promise.all([old.warm(), now.warm()])
    expect([await count(old, 'plain'), await count(now, 'plain')]).toEqual([1, 0])
    expect([await count(now, 'another'), await count(old, 'another')]).toEqual([2, 0])
    const missing = threads.open(join(dir, 'nothing.db'))
    await expect(count(missing, 'plain')).rejects.toEqual(unavailable)
    expect(await count(now, 'another')).toBe(2)
    threads.close()
  })

  test('return unavailable when the index is missing', async () => {
    const threads = openSearchThreads(join(dir, 'nothing.db'), patience)
    await threads.warm()
    const cannotBeRead = expect.objectContaining({
      code: 'unavailable',
      message: expect.stringContaining('not available'),
    })
    await expect(threads.find({ ...ask, text: 'plain' })).rejects.toEqual(cannotBeRead)
    expect(existsSync(join(dir, 'nothing.db'))).toBe(false)
    threads.close()
  })
})

/** Returns the nice values of all threads in this process. See proc_pid_stat(5). */
function listNice(): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/task').flatMap((task) => {
    try {
      const stat = readFileSync(`/proc/self/task/${task}/stat`, 'utf8')
      return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])]
    } catch {
      // The thread has ended since the folder was read.
      return []
    }
  })
}
