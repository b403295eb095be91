// Tests publishing Agent Skills, and their URLs: what carries over, what is rejected, unchanged bytes, digests, caching
// and errors.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'

const world: World = openLocalWorld()
const hub: Hub = await openHub(world)

const GOOD = { title: 'Code review', description: 'Reviews a change with care.', tags: ['code'], license: 'MIT' }
const publish = (body: Record<string, unknown>, to: string) => hub.publish({ ...GOOD, ...body }, { to })
const skill = { description: 'Reviews code. Use it before a pull request.' }
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const CLIENT = resolve('tests/node_modules/skills/bin/cli.mjs')
const IMMUTABLE = 'public, max-age=31536000, immutable'
const CHANGING = 'public, max-age=60, stale-while-revalidate=600'

test('a version’s SKILL.md keeps its bytes after later publishes, a yank, a new license and a build', async () => {
  const to = 'acme/stays'
  const { status, data } = await publish({ content: 'Review {{code}}.\r\n', skill }, to)
  expect([status, data.skill]).toEqual([
    201,
    { ...skill, license: 'MIT', compatibility: null, allowed_tools: [], argument_hint: null, metadata: {} },
  ])
  const path = `/${to}/v/1.0.0/SKILL.md`
  const first = await hub.read(path)
  expect(first.status).toBe(200)
  expect(first.text).toContain('---\nname: "stays"\ndescription: "Reviews code. Use it before a pull request."\n')
  expect(first.text).toContain('license: "MIT"\nmetadata:\n  version: "1.0.0"\n  source: "acme/stays@1.0.0"\n')
  expect(first.text).toContain('---\nReview {{code}}.\r\n\n\n## Inputs\n')
  await publish({ content: 'Review {{code}} twice.\n', license: 'Apache-2.0', bump: 'patch' }, to)
  const yank = { path: `/api/v1/repos/${to}/versions/1.0.0/yank`, method: 'PUT' }
  const token = await hub.makeToken({ permissions: ['maintain'] })
  expect((await hub.publish({ reason: 'Old' }, { ...yank, token })).status).toBe(200)
  expect((await hub.read(path)).bytes.equals(first.bytes)).toBe(true)
  const latest = await hub.read(`/${to}/SKILL.md`)
  expect(latest.text).toContain('license: "Apache-2.0"\nmetadata:\n  version: "1.0.1"')
  await hub.build()
  expect((await hub.read(path)).bytes.equals(first.bytes)).toBe(true)
  expect((await hub.read(`/${to}/SKILL.md`)).bytes.equals(latest.bytes)).toBe(true)
})

test('an omitted skill field carries over, null removes it, and republishing the same is unchanged', async () => {
  const to = 'acme/carried'
  await publish({ content: 'One', skill }, to)
  expect((await publish({ content: 'One' }, to)).data).toMatchObject({ unchanged: true, version: '1.0.0' })
  expect((await publish({ content: 'Two' }, to)).data).toMatchObject({ version: '1.0.1', skill })
  const refused = await publish({ content: 'One\nThen !`ls`' }, to)
  expect([refused.status, refused.message]).toEqual([
    422,
    'content: line 2: expected no !`ls` in a skill: Claude Code runs a command when it loads the skill.',
  ])
  const given = await publish({ content: 'Three', format: 'chat', skill }, to)
  expect([given.status, given.message]).toMatchObject([422, expect.stringContaining('a chat prompt cannot be a skill')])
  expect((await publish({ content: 'Two', skill: null }, to)).data).toMatchObject({ version: '2.0.0', skill: null })
  expect((await publish({ content: 'One\nThen !`ls`' }, to)).data).toMatchObject({ version: '2.0.1', skill: null })
  expect((await hub.read(`/${to}/SKILL.md`)).status).toBe(404)
  expect((await hub.read(`/${to}/v/1.0.1/SKILL.md`)).status).toBe(200)
})

test('all three skill indexes list the digests of the served files and allow any origin', async () => {
  const to = 'acme/indexed'
  await publish({ content: 'Do {{it}}.', skill }, to)
  await publish({ content: 'Do {{it}} well.' }, to)
  await hub.build()
  const of = { [`/${to}/v/1.0.0`]: IMMUTABLE, [`/${to}`]: CHANGING, '/acme': CHANGING }
  for (const [base, cache] of Object.entries(of)) {
    const index = await hub.read(`${base}/.well-known/agent-skills/index.json`, { Origin: 'https://elsewhere.example' })
    expect([index.status, index.headers.get('Cache-Control')], base).toEqual([200, cache])
    expect(index.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const { $schema, skills } = JSON.parse(index.text)
    expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    const entry = skills.find(({ name }: { name: string }) => name === 'indexed')
    expect(Object.keys(entry).join(' ')).toBe('name type description version url digest files')
    expect(entry).toMatchObject({ type: 'skill-md', ...skill, files: ['SKILL.md'] })
    const file = await hub.read(entry.url)
    expect(`sha256:${sha256(file.bytes)}`).toBe(entry.digest)
    expect(file.headers.get('Cache-Control')).toBe(IMMUTABLE)
    expect(file.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
    expect(file.headers.get('Repr-Digest')).toBe(
      `sha-256=:${Buffer.from(sha256(file.bytes), 'hex').toString('base64')}:`,
    )
    const older = await hub.read(`${base}/.well-known/agent-skills/indexed/SKILL.md`)
    expect(older.bytes.equals(file.bytes)).toBe(true)
  }
  const again = await hub.read(`/${to}/SKILL.md`)
  expect((await hub.read(`/${to}/SKILL.md`, { 'If-None-Match': again.headers.get('ETag')! })).status).toBe(304)
  expect((await hub.read(`/${to}/SKILL.md`, {}, 'HEAD')).bytes.length).toBe(0)
})

test('the skills CLI installs every file of a skill: pinned and of the hub, byte for byte', async () => {
  const to = 'acme/whole'
  const files = [
    { path: 'scripts/run.py', text: 'print()\r\n' },
    { path: `${'a'.repeat(90)}/${'b'.repeat(90)}/c.bin`, base64: 'AP8=' },
  ]
  const odd = { description: 'Does it: "now" --- \\ 🎈 # x' }
  await publish({ content: '\ufeffRun scripts/run.py.\r\n', skill: odd, files }, to)
  await publish({ content: 'Run scripts/run.py again.\n', files: files.slice(0, 1), bump: 'patch' }, to)
  await hub.build()
  const server = createServer(async (asked, answer) => {
    const { status, headers, bytes } = await hub.read(asked.url ?? '/')
    answer.writeHead(status, Object.fromEntries(headers)).end(bytes)
  })
  const url = await listen(server)
  const dir = temporaryFolder('hub-skills-')
  const install = async (path: string) => {
    const cwd = mkdtempSync(join(dir, 'project-'))
    const command = [CLIENT, 'add', url + path, '--yes', '--agent', 'claude-code', '--skill', 'whole']
    const env = { PATH: process.env.PATH, ...COMPILED, HOME: dir, DO_NOT_TRACK: '1', DISABLE_TELEMETRY: '1' }
    await promisify(execFile)(process.execPath, command, { cwd, env })
    const root = join(cwd, '.claude/skills/whole')
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((one) =>
      statSync(join(root, one)).isFile(),
    )
    return Object.fromEntries(paths.sort().map((one) => [one, sha256(readFileSync(join(root, one)))]))
  }
  const expected = async (version: string) => {
    const { data } = await hub.read(`/api/v1/repos/${to}/versions/${version}`)
    const listed = data.files as { path: string; sha256: string }[]
    const own = sha256((await hub.read(`/${to}/v/${version}/SKILL.md`)).bytes)
    return Object.fromEntries([['SKILL.md', own], ...listed.map((file) => [file.path, file.sha256])])
  }
  try {
    expect(await install(`/${to}/v/1.0.0`)).toEqual(await expected('1.0.0'))
    const latest = await expected('1.0.1')
    expect(Object.keys(latest)).toEqual(['SKILL.md', 'scripts/run.py'])
    expect(await install('')).toEqual(latest)
  } finally {
    server.close()
  }
})

test('the index of the hub lists its first skills, and two skills of one name differ', async () => {
  const token = await hub.makeToken({ scope: 'mona/*' })
  await publish({ content: 'Mine', skill }, 'acme/twice')
  await hub.publish({ ...GOOD, content: 'Yours', skill }, { to: 'mona/twice', token })
  await hub.build()
  const index = await hub.read('/.well-known/agent-skills/index.json')
  expect([index.status, index.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8'])
  const { skills } = JSON.parse(index.text) as { skills: { name: string; url: string; digest: string }[] }
  const names = skills.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => name.startsWith('twice')).sort()).toMatchObject([
    'twice',
    /^twice-by-(?:acme|mona)$/.exec(names.find((name) => name.includes('-by-')) ?? '')?.[0],
  ])
  for (const { url, digest } of skills) expect(`sha256:${sha256((await hub.read(url)).bytes)}`).toBe(digest)
})

//  path
test.each(words`
  /acme/nothing/SKILL.md /acme/plain/SKILL.md /acme/plain/v/1.0.0/SKILL.md
  /acme/plain/.well-known/agent-skills/index.json /acme/indexed/v/9.9.9/SKILL.md /acme/indexed/v/latest/SKILL.md
  /acme/indexed/.well-known/agent-skills/other/SKILL.md /nobody/.well-known/agent-skills/index.json
  /docs/.well-known/agent-skills/index.json /acme/%69ndexed/SKILL.md
`)('%s returns 404 in the API error format', async (path) => {
  await publish({ content: 'Plain' }, 'acme/plain')
  const { status, code, headers } = await hub.read(path)
  expect([status, code, headers.get('Content-Type')]).toEqual([404, 'not_found', 'application/json; charset=utf-8'])
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
})
