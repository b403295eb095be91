// Tests the threads for work on somebody's text: results, errors, the deadline, turns and a full queue.
import { afterEach, describe, expect, test } from 'vitest'
import { openTextThreads } from '../../packages/node-server/text-threads.ts'
import { HubError } from '../../src/domain/api/errors.ts'
import { TEXT_WORK_IN_PLACE } from '../../src/wiring/text-jobs.ts'
import { made } from '../linear/makers.ts'

/** Limits that no test reaches by accident, because the machine may be busy. */
const PATIENCE = { deadlineMs: 600_000, startMs: 600_000, waitMs: 600_000, waiting: { total: 100, perSender: 20 } }
const opened: ReturnType<typeof openTextThreads>[] = []
afterEach(() => {
  for (const threads of opened.splice(0)) threads.close()
})

function open(limits: Partial<typeof PATIENCE> = {}): ReturnType<typeof openTextThreads> {
  const threads = openTextThreads({ ...PATIENCE, ...limits })
  opened.push(threads)
  return threads
}

/** A text that is too long to be rendered in place; the worst Markdown known takes a third of a second for 65,536 characters. */
const LONG = '|-\n'.repeat(21_845)
const unavailable = { code: 'unavailable', retryAfterSeconds: 5 }

describe('text threads', () => {
  test('give the same results as in place', async () => {
    const text = open().forClient('192.0.2.1')
    const record = made.recordOf('{{a}} and {{b}}\n'.repeat(1_000), 'chat')
    const other = made.recordOf('{{a}} or {{b}}\n'.repeat(1_000), 'text')
    for (const work of [text, TEXT_WORK_IN_PLACE]) {
      expect(await work.run('renderMarkdown', `# A\n\n${'*b* '.repeat(1_000)}`, { title: 'A' })).toContain('<em>b</em>')
      expect((await work.run('fillPrompt', record, { a: 'x' })).missing).toEqual(['b'])
    }
    expect(await text.run('renderComparison', record, other)).toEqual(
      await TEXT_WORK_IN_PLACE.run('renderComparison', record, other),
    )
    expect(await text.run('warnOfTexts', record)).toEqual(await TEXT_WORK_IN_PLACE.run('warnOfTexts', record))
  })

  test('throw the error of a job, with its code, message and problems, which forms show', async () => {
    const text = open().forClient('192.0.2.1')
    const body = JSON.stringify({ content: 'x'.repeat(10_000), variables: 'none' })
    const failure = await text.run('parsePublish', body).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(HubError)
    expect(failure).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('variables: expected'),
      problems: [{ key: 'variables', message: expect.stringContaining('expected') }],
    })
  })

  test('end a job at the deadline with 503, and go on', async () => {
    const text = open({ deadlineMs: 1 }).forClient('192.0.2.1')
    await expect(text.run('renderMarkdown', LONG, {})).rejects.toMatchObject(unavailable)
    await expect(text.run('renderMarkdown', LONG, {})).rejects.toMatchObject(unavailable)
    // The limit of a job does not count against the start of the thread that replaces an ended one.
    const patient = open({ deadlineMs: 20_000 }).forClient('192.0.2.1')
    expect(await patient.run('renderMarkdown', LONG, {})).toContain('<table')
  })

  test('run short texts in place, without a thread', async () => {
    const text = open({ deadlineMs: 0, startMs: 0 }).forClient('192.0.2.1')
    expect(await text.run('renderMarkdown', '# Short', {})).toContain('Short')
    await expect(text.run('renderMarkdown', 'x'.repeat(2_049), {})).rejects.toMatchObject(unavailable)
    // A file is parsed as YAML, which takes long even if it is short.
    await expect(text.run('readPastedForm', { content: 'a' }, 'markdown')).rejects.toMatchObject(unavailable)
    await expect(text.run('parsePromptFile', '---\n---\na', {})).rejects.toMatchObject(unavailable)
  })

  test('let another client go before the second job of a busy client', async () => {
    const threads = open()
    const ended: string[] = []
    const send = (client: string, count: number) =>
      Array.from({ length: count }, (_, index) =>
        threads
          .forClient(client)
          .run('renderMarkdown', LONG, {})
          .then(() => ended.push(`${client}${index}`)),
      )
    await Promise.all([...send('busy', 8), ...send('other', 1)])
    expect(ended).toHaveLength(9)
    expect(ended.indexOf('other0')).toBeLessThan(4)
  })

  test('refuse a client whose jobs fill its part of the queue, but not another client', async () => {
    const threads = open({ waiting: { total: 10, perSender: 4 } })
    const send = (client: string, count: number) =>
      Promise.allSettled(Array.from({ length: count }, () => threads.forClient(client).run('renderMarkdown', LONG, {})))
    const [busy, other] = await Promise.all([send('busy', 20), send('other', 2)])
    const refused = busy.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThanOrEqual(10)
    for (const one of refused) expect(one).toMatchObject({ reason: unavailable })
    expect(other.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })
})
