// Tests the order in which a publish is checked, and the responses to other methods. See docs/contract.md section 7.
import { dirname } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Hub, openHub, REPOSITORY } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { commits, hub, INDEX, open, versionFile, versionPath } from './open-rules.ts'

describe('the order of the checks', () => {
  beforeAll(() =>
    open({
      [INDEX]: '---\nstatus: archived\n---\n',
      [versionPath('1.0.0')]: versionFile('Old\n'),
    }),
  )

  const tooLong = `{"content": "${'x'.repeat(1_048_577)}", "nonsense": 1}`
  const longContent = JSON.stringify({ content: 'x'.repeat(262_145), nonsense: 1, expected_version: '9.9.9' })
  const wrong = JSON.stringify({ content: 'x', nonsense: 1, expected_version: '9.9.9' })
  const conflicting = JSON.stringify({ content: 'x', expected_version: '9.9.9' })
  const plain = { to: 'api/A', token: null, headers: { 'Content-Type': 'text/plain' } }
  const packed = { to: 'api/A', token: null, headers: { 'Content-Encoding': 'gzip' } }
  // The first request contains every mistake, and each later request fixes one more.
  test.each<[string, string, Parameters<Hub['publish']>[1], number, string]>([
    ['a path without POST', tooLong, { ...plain, path: '/api/v1/repos' }, 405, 'method_not_allowed'],
    ['size before media type', tooLong, plain, 413, 'content_too_large'],
    ['media type before token', longContent, plain, 415, 'unsupported_media_type'],
    ['compression before token', longContent, packed, 415, 'unsupported_media_type'],
    ['token before path', longContent, { to: 'api/A', token: null, key: 'short' }, 401, 'unauthorized'],
    ['path before key and body', longContent, { to: 'api/A', key: 'short' }, 404, 'not_found'],
    ['key before body', longContent, { to: 'bcme/x', key: 'short' }, 400, 'invalid_request'],
    ['JSON before fields', `${longContent}}`, { to: 'bcme/x' }, 400, 'invalid_request'],
    ['content size before fields', longContent, { to: 'bcme/x' }, 413, 'content_too_large'],
    ['body before scope', wrong, { to: 'bcme/x' }, 422, 'validation_failed'],
    ['scope before state', conflicting, { to: 'bcme/x' }, 403, 'forbidden'],
    ['state before conflict', conflicting, {}, 409, 'repo_archived'],
  ])('%s', async (_, body, sending, status, code) => {
    const answer = await hub.publish(body, sending)
    expect([answer.status, answer.code]).toEqual([status, code])
    expect(answer.message).not.toBe('')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  test('none of them is committed', async () => expect(await commits()).toBe(1))

  test('replay before state: returns the earlier publish after the repository was archived', async () => {
    const another = openLocalWorld()
    const live = await openHub(another)
    const first = await live.publish({ content: 'x' }, { key: 'key-0001' })
    await another.commitOutside({ [INDEX]: '---\nstatus: archived\n---\n' })
    const again = await live.publish({ content: 'x' }, { key: 'key-0001' })
    expect([first.status, again.status, again.version]).toEqual([201, 200, '1.0.0'])
    expect((await live.publish({ content: 'x' }, { key: 'key-0002' })).code).toBe('repo_archived')
  })

  test('a replay of a version that was taken down is a 404 that says so', async () => {
    const another = openLocalWorld()
    const live = await openHub(another)
    await live.publish({ content: 'x' }, { key: 'key-0001' })
    await another.commitOutside({ [INDEX]: '---\nremoved: { "1.0.0": Leak }\n---\n' })
    const cwd = dirname(await another.gitFolder())
    runSync('git', ['rm', '-q', versionPath('1.0.0')], { cwd })
    runSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'Take down'], { cwd })
    const { status, code, message } = await live.publish({ content: 'x' }, { key: 'key-0001' })
    expect([status, code]).toEqual([404, 'not_found'])
    expect(message).toContain('@1.0.0, which this Idempotency-Key published, was taken down.')
  })
})

describe('methods', () => {
  beforeAll(() => open({ [versionPath('1.0.0')]: versionFile('Old\n') }).then(() => hub.build()))

  // src/domain/api/routes.test.ts has the methods of each path.
  //  method     path                                        allow
  test.each([
    ['POST', `/api/v1/repos/${REPOSITORY}`, 'GET, HEAD, OPTIONS, PATCH, DELETE'],
    ['POST', `/api/v1/repos/${REPOSITORY}/labels/stable`, 'PUT, DELETE, OPTIONS'],
    ['DELETE', `/api/v1/repos/${REPOSITORY}/versions`, 'GET, HEAD, OPTIONS, POST'],
  ])('%s %s', async (method, path, allow) => {
    const answer = method === 'POST' ? await hub.publish({ content: 'x' }, { path }) : await hub.read(path, {}, method)
    expect([answer.status, answer.code, answer.headers.get('Allow')]).toEqual([405, 'method_not_allowed', allow])
  })

  test('OPTIONS returns the methods and headers that a browser may send', async () => {
    const { status, headers, text } = await hub.read(`/api/v1/repos/${REPOSITORY}/versions`, {}, 'OPTIONS')
    expect([status, text]).toEqual([204, ''])
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, OPTIONS, POST')
    expect(headers.get('Access-Control-Allow-Headers')).toBe(
      '*, Authorization, Content-Type, Idempotency-Key, If-None-Match',
    )
    expect(headers.get('Access-Control-Allow-Credentials')).toBe(null)
  })

  test('returns 404 as JSON for a POST to an unknown path', async () => {
    const answer = await hub.publish({ content: 'x' }, { path: '/api/v1/nothing' })
    expect([answer.status, answer.code]).toEqual([404, 'not_found'])
  })
})
