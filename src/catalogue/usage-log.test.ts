// Tests which lines in a web server log count as downloads.
import { expect, test } from 'vitest'
import { countDownloads, readLogLine } from './usage-log.ts'

const line = (request: string, status = 200, time = '20/Nov/2026:10:00:00 +0000', client = '192.0.2.1') =>
  `${client} - - [${time}] "${request}" ${status} 123 "-" "curl/8.5.0"`

test.each([
  ['GET /api/v1/repos/acme/code-review/raw HTTP/1.1'],
  ['GET /api/v1/repos/acme/code-review/raw?version=1.0.0 HTTP/2.0'],
  ['GET /api/v1/repos/acme/code-review/versions/1.0.0 HTTP/1.1'],
  ['GET /data/v1/repos/acme/code-review/raw.txt HTTP/1.1'],
  ['GET /data/v1/repos/acme/code-review/raw/1.0.0.txt HTTP/1.1'],
])('counts %s as a download', (request) => {
  const timeMs = Date.parse('2026-11-20T10:00:00Z')
  expect(readLogLine(line(request))).toEqual({ fullName: 'acme/code-review', timeMs, client: '192.0.2.1' })
  expect(readLogLine(line(request, 304))?.fullName).toBe('acme/code-review')
  expect(readLogLine(line(request, 404))).toBeUndefined()
})

test.each([
  ['HEAD /api/v1/repos/acme/code-review/raw HTTP/1.1'],
  ['GET /api/v1/repos/acme/code-review HTTP/1.1'],
  ['GET /api/v1/repos/acme/code-review/versions HTTP/1.1'],
  ['GET /api/v1/repos/ACME/code-review/raw HTTP/1.1'],
  ['GET /api/v1/repos/__proto__/x/raw HTTP/1.1'],
  ['GET /acme/code-review HTTP/1.1'],
])('does not count %s', (request) => expect(readLogLine(line(request))).toBeUndefined())

test.each([
  '',
  'nonsense',
  `[${'x'.repeat(100_000)}`,
  line('GET /api/v1/repos/a/b/raw HTTP/1.1', 200, '20/Foo/2026:10:00:00 +0000'),
])('ignores any other log line: %.20s', (text) => expect(readLogLine(text)).toBeUndefined())

test('converts times in other time zones to UTC', () => {
  const read = readLogLine(line('GET /api/v1/repos/a/b/raw HTTP/1.1', 200, '21/Nov/2026:01:30:00 +0200'))
  expect(read?.timeMs).toBe(Date.parse('2026-11-20T23:30:00Z'))
})

test('counts one download per client and day, over 7 and 90 days, for known prompts only', () => {
  const at = (fullName: string, time: string, client = 'a') => ({ fullName, timeMs: Date.parse(time), client })
  const downloads = [
    at('acme/b', '2026-11-20T00:00:00Z'),
    at('acme/b', '2026-11-20T23:59:59Z'),
    at('acme/b', '2026-11-20T23:59:59Z', 'another'),
    at('acme/b', '2026-11-14T00:00:00Z'),
    at('acme/b', '2026-11-13T23:59:59Z'),
    at('acme/b', '2026-08-23T00:00:00Z'),
    at('acme/b', '2026-08-22T23:59:59Z'),
    at('acme/b', '2026-11-21T00:00:00Z'),
    at('acme/a', '2026-11-20T12:00:00Z'),
    at('acme/unknown', '2026-11-20T12:00:00Z'),
  ]
  const usage = countDownloads(downloads, { day: '2026-11-20', isKnown: (name) => name !== 'acme/unknown' })
  expect(JSON.stringify(usage)).toBe(
    '{"acme/a":{"downloads_7d":1,"downloads_90d":1},"acme/b":{"downloads_7d":3,"downloads_90d":5}}',
  )
})
