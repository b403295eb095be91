// Tests how the bytes of a hostile body are handled: how many are read, and which bodies are not valid JSON.
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Sending } from '../hubs/publishing.ts'
import { expectRefusal, hub, judgeAfterwards, logged, openForInputs, stream } from './hostile-inputs.ts'

openForInputs()

describe('bodies of unauthenticated or incomplete requests', () => {
  /** Counts the bytes read from an endless body. */
  const endless = () => {
    const taken = { bytes: 0 }
    const body = new ReadableStream({
      pull(controller) {
        taken.bytes += 8_192
        controller.enqueue(new Uint8Array(8_192).fill(0x20))
      },
    })
    return { body, taken }
  }

  test('without a valid token: does not read a body with a Content-Length', async () => {
    const { body, taken } = endless()
    const answer = await hub.publish(body, { token: null, headers: { 'Content-Length': '1048576' } })
    // A stream fills its own buffer once before it is read.
    expect([answer.status, taken.bytes]).toEqual([401, 8_192])
  })

  test('without a valid token: reads at most 64 KiB of a body without a Content-Length', async () => {
    const { body, taken } = endless()
    expect((await hub.publish(body, { token: null })).status).toBe(401)
    expect(taken.bytes).toBeLessThanOrEqual(65_536 + 8_192)
  })

  test('all tokens of a person have one share of the memory', async () => {
    const holder = { kind: 'person', user_id: '7', login: 'acme' } as const
    const tokens = await Promise.all([1, 2, 3].map(() => hub.makeToken({ holder })))
    const cut = Promise.withResolvers<never>()
    /** Sends 9 MiB, and then nothing. */
    const slow = (token: string) => {
      const start = Promise.withResolvers<void>()
      const body = new ReadableStream(
        {
          start: (controller) => controller.enqueue(new Uint8Array(9 * 1_048_576)),
          pull() {
            start.resolve()
            return cut.promise
          },
        },
        { highWaterMark: 0 },
      )
      const headers = { 'Content-Type': 'application/gzip', 'Content-Length': '10000000' }
      return { answer: hub.publish(body, { token, headers }), taken: start.promise }
    }
    const first = [slow(tokens[0]!), slow(tokens[1]!)]
    await Promise.all(first.map(({ taken }) => taken))
    const third = slow(tokens[2]!)
    const refused = await Promise.race([third.answer, third.taken])
    cut.reject(new Error('aborted'))
    expect((await Promise.all(first.map(({ answer }) => answer))).map(({ status }) => status)).toEqual([400, 400])
    expect(refused).toMatchObject({ status: 503, message: expect.stringContaining('Too many uploads') })
  })

  test('returns 400 for a body that is cut off, and logs nothing', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('{"content"')),
      pull: () => promise,
    })
    const answering = hub.publish(body, { headers: { 'Content-Length': '100' } })
    reject(new Error('aborted'))
    const answer = await answering
    expect([answer.status, answer.code, answer.message]).toEqual([
      400,
      'invalid_request',
      'The body is incomplete. Send it again.',
    ])
    expect(logged).toEqual([])
  })
})

describe('body size, media type, encoding and JSON syntax', () => {
  const mib = 1_048_576
  //  case, body
  test.each<[string, () => unknown, Sending?]>([
    ['one byte over 1 MiB', () => new Uint8Array(mib + 1)],
    ['over 1 MiB without Content-Length', () => stream(17, 65_536)],
    ['over 1 MiB with a wrong Content-Length', () => stream(17, 65_536), { headers: { 'Content-Length': '10' } }],
    ['a Content-Length that is too high', () => '{"content":"x"}', { headers: { 'Content-Length': '99999999' } }],
    ['content of 262,145 bytes', () => ({ content: 'x'.repeat(262_145) })],
    ['262,146 bytes in 131,073 characters', () => ({ content: 'é'.repeat(131_073) })],
  ])('413 for %s', (_, body, sending = {}) => expectRefusal(body(), sending, [413, 'content_too_large']))

  //  body, headers, part of the message
  const gzip = () => gzipSync('{"content":"x"}')
  test.each<[() => unknown, Record<string, string | null>, string?]>([
    [gzip, { 'Content-Encoding': 'gzip' }, 'compressed'],
    [() => '{"content":"x"}', { 'Content-Encoding': 'identity, gzip' }],
    [() => 'content=x', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    [() => '{"content":"x"}', { 'Content-Type': 'text/plain' }],
    [() => new TextEncoder().encode('{"content":"x"}'), { 'Content-Type': null }],
    [() => '{"content":"x"}', { 'Content-Type': 'application/json; version=1; Charset = "UTF-16"' }, 'Send UTF-8'],
    [
      () => Buffer.from('Caf\xe9', 'latin1'),
      { 'Content-Type': 'text/markdown; charset=iso-8859-1' },
      'Send UTF-8, with "charset=utf-8" or without a charset.',
    ],
  ])('415, case %#: %s %o', (body, headers, says) =>
    expectRefusal(body(), { headers }, [415, 'unsupported_media_type', says]),
  )

  //  case, body, part of the message
  const latin1 = (text: string) => () => Buffer.from(text, 'latin1')
  test.each<[string, () => unknown, string?]>([
    ['1 MiB of spaces', () => stream(16, 65_536)],
    ['an empty body', () => '', 'not valid JSON'],
    ['not JSON', () => 'content: x', 'not valid JSON'],
    ['truncated JSON', () => '{"content": "x"'],
    ['a raw control character in a string', () => '{"content":"a\u0001"}'],
    ['invalid UTF-8', latin1('{"content":"\xe9"}'), 'UTF-8'],
    ['UTF-16', () => Buffer.from('{"content":"x"}', 'utf16le')],
  ])('400 for %s', (_, body, says) => expectRefusal(body(), {}, [400, 'invalid_request', says]))

  //  case                               body                                    headers
  test.each<[string, unknown, Record<string, string>]>([
    ['a parameter of the media type', { content: 'a1' }, { 'Content-Type': 'Application/JSON ; charset=utf-8' }],
    ['Content-Encoding: identity', { content: 'a2' }, { 'Content-Encoding': 'identity' }],
    ['duplicate keys: the last one counts', '{"content": 1, "bump": "x", "content": "a3", "bump": "major"}', {}],
    ['a byte order mark before the JSON', '\uFEFF{"content": "a5"}', {}],
    ['exactly 1 MiB', `{"content": "a4"${' '.repeat(mib - 17)}}`, {}],
  ])('accepts: %s', async (_, body, headers) => {
    expect((await hub.publish(body, { headers })).status).toBe(201)
  })
})

judgeAfterwards(0)
