// Checks what an owner may have at most, and that a fork names a version that exists.
import { afterAll, expect, test } from 'vitest'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { type HubOptions, openHub } from '../hubs/publishing.ts'
import { openGitHubWorld, openLocalWorld } from '../hubs/worlds.ts'

const version = (content: string) => `---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: acme\n---\n${content}`
const FILES = {
  'content/acme/one/versions/1.0.0.md': version('12345\n'),
  'content/acme/one/versions/1.0.1.md': version('1234\n'),
  'content/acme/gone/versions/1.0.0.md': version('123\n'),
  'content/acme/gone/index.md': '---\nstatus: archived\n---\n',
  'content/beta/one/versions/1.0.0.md': version('1234567890\n'),
}
// acme has two prompts, one of them archived, with 232 bytes of files. A version of the content `Text` has 98 more.

//  case                                                  quota                      published to  content     result
test.each<[string, HubOptions['quota'], string, string, [number, string | undefined]]>([
  ['a prompt beyond the quota', { prompts: 2, bytes: 0 }, 'acme/new', 'Text\n', [403, 'quota_exceeded']],
  ['a prompt where only bytes are limited', { prompts: 0, bytes: 1000 }, 'acme/new', 'Text\n', [201, undefined]],
  ['a version of an existing prompt', { prompts: 1, bytes: 0 }, 'acme/one', 'Text\n', [201, undefined]],
  ['exactly the bytes of the quota', { prompts: 0, bytes: 330 }, 'acme/one', 'Text\n', [201, undefined]],
  ['a byte more than the quota', { prompts: 0, bytes: 329 }, 'acme/one', 'Text\n', [403, 'quota_exceeded']],
  ['bytes, not characters', { prompts: 0, bytes: 330 }, 'acme/one', 'Tőxt\n', [403, 'quota_exceeded']],
  ['the same content again', { prompts: 1, bytes: 1 }, 'acme/one', '1234\n', [200, undefined]],
])('%s', async (_, quota, to, content, expected) => {
  const world = openLocalWorld(FILES)
  const hub = await openHub(world, { ...(quota && { quota }) })
  const token = await hub.makeToken({ scope: `${to.split('/')[0]}/*` })
  await hub.build()
  const dry = await hub.publish({ content, dry_run: true }, { to, token })
  const { status, code, message } = await hub.publish({ content }, { to, token })
  expect([status, code]).toEqual(expected)
  expect(dry.code).toBe(code)
  if (code !== undefined) expect(message).toContain('the operator of this hub')
})

test('a build counts what was published before it', async () => {
  const world = openLocalWorld(FILES)
  const hub = await openHub(world, { quota: { prompts: 3, bytes: 0 } })
  await hub.build()
  expect((await hub.publish({ content: 'Text\n' }, { to: 'acme/third' })).status).toBe(201)
  const files = await hub.build()
  expect(files.get('/data/accounts/usage/acme.json')).toBe('{"prompts":3,"bytes":330}')
  expect(await hub.publish({ content: 'Text\n' }, { to: 'acme/fourth' })).toMatchObject({ code: 'quota_exceeded' })
})

const LONG = 'x'.repeat(400)
//  what counts besides the content      fields of the publish
const COUNTED: [string, Record<string, unknown>][] = [
  ['variables', { content: '{{a}}\n', variables: [{ name: 'a', default: LONG }] }],
  ['parameters', { content: 'Text\n', parameters: { stop: LONG } }],
  ['the changelog', { content: 'Text\n', changelog: LONG }],
  ['the description', { content: 'Text\n', description: LONG }],
  ['files', { content: 'Text\n', skill: { description: 'Reviews.' }, files: [{ path: 'a', text: LONG }] }],
]
test('counts all fields of a version', async () => {
  const hub = await openHub(openLocalWorld(FILES), { quota: { prompts: 0, bytes: 600 } })
  await hub.build()
  for (const [what, body] of COUNTED)
    expect([what, (await hub.publish(body, { to: 'acme/one' })).status]).toEqual([what, 403])
  expect((await hub.publish({ content: 'Text\n' }, { to: 'acme/one' })).status).toBe(201)
})

test('counts every file that a prompt has in git', async () => {
  // The digest of the content.
  const sha256 = '533bfd360a1274c99f13658e6c774d9dc3c4518cd1d31231e6503876509157db'
  const result = `content_sha256: ${sha256}\npassed: 1\nfailed: 0\nat: "2026-01-02T00:00:00Z"\nreported_by: acme\n`
  const files = {
    'content/acme/one/index.md': `---\ntitle: One\n---\n${LONG}\n`,
    'content/acme/one/versions/1.0.0.md': version('Text\n').replace(
      '\n---\n',
      '\nskill: {description: Reviews.}\n---\n',
    ),
    'content/acme/one/versions/1.0.0/a.txt': LONG,
    'content/acme/one/results/1.0.0/eval.yml': result,
  }
  const hub = await openHub(openLocalWorld(files))
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  expect((await hub.build()).get('/data/accounts/usage/acme.json')).toBe(`{"prompts":1,"bytes":${bytes}}`)
})

const standIn = await startGitHubStandIn()
afterAll(() => standIn.close())

test('a fork must name a version that exists, which takes no call to GitHub', async () => {
  const world = await openGitHubWorld(standIn, FILES)
  const hub = await openHub(world)
  await hub.build()
  expect((await hub.publish({ content: 'Fresh\n' }, { to: 'acme/fresh' })).status).toBe(201)
  standIn.forget()
  //     origin                 status
  for (const [origin, status] of [
    ['acme/one@1.0.1', 201],
    ['acme/gone@1.0.0', 201],
    ['acme/fresh@1.0.0', 201],
    ['acme/one@9.0.0', 422],
    ['acme/none@1.0.0', 422],
    ['acme/fork-6@1.0.0', 422],
  ] as const) {
    const number = standIn.counts().query + 1
    const answer = await hub.publish({ content: 'Fork\n', forked_from: origin }, { to: `acme/fork-${number}` })
    expect([origin, answer.status]).toEqual([origin, status])
    if (status === 422)
      expect(answer.message).toContain(`forked_from: expected a version that exists on this hub, got ${origin}`)
  }
  expect(standIn.counts()).toEqual({ query: 6, mutation: 3, rest: 0, all: 9 })
})
