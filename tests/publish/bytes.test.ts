// Checks that a prompt has the same bytes everywhere: in the publish, in git, in a fresh copy and after a rebuild.
// tests/stores/git-store-contract.ts has the bytes on GitHub; src/domain/content/prompt-file-written.test.ts, any text in any
// field.
import { hash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { readBlobs } from './history.ts'

const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => code)
  .filter((code) => code > 0 && (code < 0x20 || code >= 0x7f))
  .map((code) => String.fromCharCode(code))
  .join('')

// dangerous-content.test.ts has more.
//  case                                    content
const CORPUS: readonly (readonly [string, string])[] = [
  ['a lone carriage return first, and every kind of line break', '\ra\r\rb\r\nc\nd\u0085e\u2028f\u2029g\v\f\r'],
  ['byte order marks at the start and inside', '\uFEFF\uFEFFa\uFEFFb'],
  ['no final newline', 'a'],
  ['several --- lines', '---\n---\na\n---\n---'],
  ['--- with CRLF', '---\r\ntitle: x\r\n---\r\nbody'],
  ['---js', '---js\nmodule.exports = 1\n---\nbody\n'],
  ['... and +++', '...\n+++\n%YAML 1.2\n'],
  ['every allowed control character', `${CONTROLS}x`],
  [
    'characters outside the BMP, combining and decomposed ones, noncharacters, bidi, joiner and tag characters',
    '𝒳 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿\ne\u0301 \u00e9 \u1e9b\u0323 \ufb01\n\ufffe\uffff\ue000\u{10ffff}\n\u202e\u2066\u200d\u200c\u{e0001}\u00ad\n',
  ],
  [
    'placeholders of many template languages, backslashes and quotes',
    '{{a}} {{ a }} {{{a}}} {{ a}} {% if %} $(a) {"json": {}} \\frac{{1}}{2}\n\\n \\u0000 "\'` \\\r\n',
  ],
  ['262,144 bytes in four-byte characters', '🦄'.repeat(65_536)],
]

const encode = (text: string) => Buffer.from(text)
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

let world: World
let hub: Hub
beforeAll(async () => {
  world = openLocalWorld()
  hub = await openHub(world)
})

const publish = async (body: { content: string } & Record<string, unknown>, to: string) => {
  const answer = await hub.publish(body, { to })
  expect([answer.status, answer.message]).toEqual([201, ''])
  expect(answer.data.content === body.content).toBe(true)
  expect(answer.data.content_sha256).toBe(hash('sha256', encode(body.content)))
  expect(answer.data.size_bytes).toBe(encode(body.content).length)
  return answer
}
/** Checks both URLs of the raw content, and the two records that contain it. */
const expectRead = async (to: string, version: string, content: string) => {
  const path = `/api/v1/repos/${to}`
  for (const rest of ['/raw', `/raw?version=${version}`]) {
    const raw = await hub.read(path + rest)
    expect([raw.status, raw.headers.get('X-Prompt-Version')]).toEqual([200, version])
    expect(same(raw.bytes, encode(content))).toBe(true)
  }
  for (const rest of ['', `/versions/${version}`]) {
    const { data } = await hub.read(path + rest)
    expect(data.content === content).toBe(true)
    expect(data.content_sha256).toBe(hash('sha256', encode(content)))
  }
}

test('returns every content byte for byte: right away, from git and after a rebuild', async () => {
  const published: [string, string, string][] = []
  for (const [index, [, content]] of CORPUS.entries()) {
    const to = `acme/corpus-${index}`
    const { version } = await publish({ content }, to)
    await expectRead(to, version, content)
    published.push([to, version, content])
  }
  const folder = await world.gitFolder()
  const paths = published.map(([to, version]) => `main:content/${to}/versions/${version}.md`)
  for (const [index, file] of (await readBlobs(folder, paths)).entries()) {
    const [, , content] = published[index]!
    expect(same(file.subarray(-encode(content).length), encode(content))).toBe(true)
    expect(file.subarray(0, -encode(content).length).toString()).toMatch(/^---\n[\s\S]*\n---\n$/)
  }
  await hub.build()
  for (const [to, version, content] of published) await expectRead(to, version, content)
})

test('keeps the bytes of a version when newer ones are published', async () => {
  const contents = ['\uFEFFa\r\n', 'b', '---js\n', '\r\rx\r']
  for (const content of contents) await publish({ content }, 'acme/history')
  await hub.build()
  for (const [patch, content] of contents.entries()) {
    const raw = await hub.read(`/api/v1/repos/acme/history/raw?version=1.0.${patch}`)
    expect(same(raw.bytes, encode(content))).toBe(true)
  }
})
