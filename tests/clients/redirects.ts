// Checks which redirects both libraries follow, and hubcli, whose program is that of the Python library.
import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { mayFollow } from '../../clients/typescript/source/redirects.ts'

//  from                          to                                 is followed
const CASES: [string, string, boolean][] = [
  ['https://hub.example.com/a', 'https://hub.example.com/b', true],
  ['https://hub.example.com/a', 'https://other.example.com/', true],
  ['http://hub.example.com/a', 'https://hub.example.com/a', true],
  ['http://hub.example.com/a', 'http://hub.example.com/b', true],
  ['https://hub.example.com/a', 'http://hub.example.com/a', false],
  ['https://localhost:8443/a', 'http://localhost:8888/a', false],
  ['https://localhost/a', 'https://localhost/b', true],
  ['http://localhost:8888/a', 'http://localhost:8888/b', true],
  ['http://localhost:8888/a', 'http://127.0.0.1:8888/b', true],
  ['http://127.0.0.1:1/a', 'http://[::1]:2/b', true],
  ['http://localhost:8888/a', 'https://hub.example.com/', true],
  ['http://localhost:8888/a', 'http://hub.example.com/', false],
  ['http://hub.lan:8930/a', 'http://hub.lan/b', true],
  ['http://hub.lan:8930/a', 'https://hub.lan/b', true],
  ['http://hub.lan:8930/a', 'http://localhost:2375/', false],
  ['http://localhost:8888/a', 'http://localhost@example.com/', false],
  ['http://localhost:8888/a', 'https://user@example.com/', false],
  ['http://localhost:8888/a', 'file:///etc/passwd', false],
  ['http://localhost:8888/a', 'gopher://127.0.0.1:11211/_x', false],
  ['https://hub.example.com/a', 'https://localhost/', false],
  ['https://hub.example.com/a', 'https://127.0.0.1/', false],
  ['https://hub.example.com/a', 'https://127.1/', false],
  ['https://hub.example.com/a', 'https://2130706433/', false],
  ['https://hub.example.com/a', 'https://0x7f.1/', false],
  ['https://hub.example.com/a', 'https://0/', false],
  ['https://hub.example.com/a', 'https://0.0.0.0/', false],
  ['https://hub.example.com/a', 'https://[::1]/', false],
  ['https://hub.example.com/a', 'https://[::ffff:127.0.0.1]/', false],
  ['https://hub.example.com/a', 'https://[0:0:0:0:0:0:0:1]/', false],
  ['https://hub.example.com/a', 'https://LOCALHOST/', false],
  ['https://hub.example.com/a', 'https://LocalHost./', false],
  ['https://hub.example.com/a', 'https://x.localhost/', false],
  ['https://hub.example.com/a', 'https://x.localhost./', false],
  ['https://hub.example.com/a', 'https://user@hub.example.com/', false],
  ['https://hub.example.com/a', 'ftp://hub.example.com/', false],
  ['https://hub.example.com/a', 'file:///etc/passwd', false],
  ['https://hub.example.com/a', 'no address', false],
]

const env = { ...process.env, PYTHONPATH: 'clients/python' }

const all = CASES.flatMap((one) => one.slice(0, 2) as string[])

/** Each client decides on all cases in one process. */
describe.each<[string, () => unknown[]]>([
  ['TypeScript', () => CASES.map(([from, to]) => mayFollow(from, to))],
  [
    'Python',
    () => {
      const program =
        'import json, sys; from prompt_hub.exchange import may_follow; print(json.dumps(list(map(may_follow, sys.argv[1::2], sys.argv[2::2]))))'
      return JSON.parse(execFileSync('python3', ['-c', program, ...all], { env, encoding: 'utf8' }))
    },
  ],
])('%s', (_, decide) => {
  let decided: unknown[]
  beforeAll(() => {
    decided = decide()
  })

  test.each(CASES.map((one, at) => [...one, at] as const))('follows a redirect from %s to %s: %s', (...given) => {
    const [, , expected, at] = given
    expect(decided[at]).toBe(expected)
  })
})
