// Checks that a prompt has the same bytes everywhere: in the publish, in git, in a fresh copy and after a rebuild, both
// on this machine and on GitHub.
import { hash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, openLocalWorld, type World } from '../hubs/worlds.ts'
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

const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())

const encode = (text: string) => Buffer.from(text)
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

describe.each<[string, () => Promise<World>]>([
  ['local', async () => openLocalWorld()],
  ['github', () => openGitHubWorld(standIn)],
])('%s', (place, openWorld) => {
  let world: World
  let hub: Hub
  beforeAll(async () => {
    world = await openWorld()
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
    // GitHub gets the text as base64, whatever it is.
    for (const [index, [, content]] of (place === 'local'
      ? CORPUS
      : CORPUS.filter((_, at) => at % 6 === 0)
    ).entries()) {
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

  if (place === 'github') return
  test('keeps the bytes of a version when newer ones are published', async () => {
    const contents = ['\uFEFFa\r\n', 'b', '---js\n', '\r\rx\r']
    for (const content of contents) await publish({ content }, 'acme/history')
    await hub.build()
    for (const [patch, content] of contents.entries()) {
      const raw = await hub.read(`/api/v1/repos/acme/history/raw?version=1.0.${patch}`)
      expect(same(raw.bytes, encode(content))).toBe(true)
    }
  })

  test('publishes and returns any text with any changelog, parameters and variables', async () => {
    const chunk = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '---\n',
        '\n---',
        '\r\n',
        '\uFEFF',
        '\u0085',
        '{{x}}',
        '{{ x }}',
        '---js\n',
        '\t',
        ' ',
        ': ',
        '# ',
        '- ',
      ),
    )
    const text = fc.array(chunk, { maxLength: 12 }).map((chunks) => chunks.join('').replaceAll('\0', ''))
    const line = (most: number) =>
      fc.string({ unit: 'grapheme', maxLength: most }).map((value) => value.replace(/[\p{Cc}\ufffe\uffff]/gu, ''))
    const json = fc
      .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
      .filter((value) => !JSON.stringify(value).includes('__proto__'))
    const key = fc.oneof(
      fc.string({ maxLength: 10 }),
      fc.constantFrom('<<', '~', 'null', '1', '1.0', 'yes', '', '? a', 'a: b'),
    )
    const body = fc.record({
      content: text.filter((value) => value.trim() !== ''),
      changelog: fc.oneof(
        line(80),
        fc.array(line(20), { maxLength: 4 }).map((lines) => lines.join('\n')),
      ),
      parameters: fc.dictionary(
        key.filter((value) => value !== '__proto__'),
        json,
        { maxKeys: 4, noNullPrototype: true },
      ),
      variables: fc.uniqueArray(
        fc.record({
          name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
          description: line(40),
          default: fc.option(fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => value.replaceAll('\0', ''))),
        }),
        { maxLength: 3, selector: ({ name }) => name },
      ),
      title: line(40).filter((value) => value.trim() !== ''),
      description: line(80),
    })
    let count = 0
    const published: {
      to: string
      body: { content: string } & Record<string, unknown>
      record: Record<string, unknown>
    }[] = []
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        count += 1
        const to = `acme/any-${count}`
        const { data } = await publish(value, to)
        const { html_url: _page, warnings: _warnings, unchanged: _unchanged, commit: _commit, ...rest } = data
        const { breaking: _breaking, manifest_sha256: _manifest, ...record } = rest
        expect([record.changelog, record.parameters]).toEqual([
          value.changelog,
          JSON.parse(JSON.stringify(value.parameters)),
        ])
        const again = await hub.publish(value, { to })
        expect([again.status, again.data.unchanged, again.data.commit]).toEqual([200, true, null])
        published.push({ to, body: value, record })
      }),
      { numRuns: 3 },
    )
    await hub.build()
    for (const { to, body: sent, record } of published) {
      await expectRead(to, '1.0.0', sent.content)
      expect((await hub.read(`/api/v1/repos/${to}/versions/1.0.0`)).data).toEqual(record)
      const { data } = await hub.read(`/api/v1/repos/${to}`)
      expect([data.title, data.description]).toEqual([sent.title, sent.description])
    }
  })
})
