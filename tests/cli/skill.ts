// Tests Agent Skills in projects with a hubcli lock file: the installed bytes match the hub's, and restoring is exact.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatSkill, type SkillVersion } from '../../src/domain/content/skill.ts'
import { listen } from '../listen.ts'
import { type PlainFiles, sha256, startPlainFiles } from './plain-files.ts'
import { makeFolder, runHubcli, SHELL } from './shells.ts'

const FOLDER = '.agents/skills/review'
const FILE = `${FOLDER}/SKILL.md`
const usual = { options: [], example: null, description: '' }
const VARIABLES: SkillVersion['variables'] = [
  { ...usual, name: 'code', type: 'string', required: true, default: null, description: 'What to "review" \\ é' },
  {
    ...usual,
    name: 'level',
    type: 'enum',
    required: false,
    default: 'low\u2028\u007f',
    options: ['low\u2028\u007f', 'b'],
  },
  { ...usual, name: 'count', type: 'integer', required: true, default: 3 },
  { ...usual, name: 'share', type: 'number', required: false, default: 1e-7 },
  { ...usual, name: 'deep', type: 'boolean', required: false, default: true },
  { ...usual, name: 'text', type: 'string', required: false, default: 'two\nlines\t\u001f' },
]
const skill = {
  description: 'Reviews: --- ----- "code" \\ \u2028 \ufeff 🎈. Use it before a pull request.',
  license: 'MIT',
}
const versions: Record<string, string> = {
  '1.0.0': '---\nallowed-tools: Bash\n---\r\nReview {{code}}.\r\n',
  '1.1.0': '\ufeffReview {{code}} well.',
}
const skillVersion = (version: string): SkillVersion => ({
  name: 'review',
  full_name: 'acme/review',
  version,
  skill,
  variables: VARIABLES,
  content: versions[version]!,
  content_sha256: sha256(versions[version]!),
})
const skillOf = (version: string) => formatSkill(skillVersion(version))

/** Packs files as tar, also under names that no tar program writes. */
function packTar(files: { path: string; bytes: Buffer; type?: string }[]): Buffer {
  const parts = files.flatMap(({ path: name, bytes, type = '0' }) => {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('0000644', 100)
    header.write(bytes.length.toString(8).padStart(11, '0'), 124)
    header.write(`        ${type}`, 148)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1024)])
}

let hub: PlainFiles
let cwd: string
beforeEach(async () => {
  hub = await startPlainFiles('mirror', {
    'acme/review': { versions: { '1.0.0': versions['1.0.0']! }, variables: VARIABLES, skill },
    'acme/plain': { versions: { '1.0.0': 'Plain' } },
  })
  cwd = makeFolder()
})
afterEach(() => hub.close())
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8')

describe('hubcli', () => {
  const run = (...args: string[]) => runHubcli(SHELL, args, { cwd, env: { HUB_URL: hub.url } })

  test('add, install, verify and update write the exact bytes of the skill from a mirror', async () => {
    expect(await run('add', 'acme/review', '--as', 'skill')).toMatchObject({
      code: 0,
      stdout: `acme/review 1.0.0 ${FOLDER}\n`,
      stderr: '',
      left: [],
    })
    expect(read(FILE)).toBe(skillOf('1.0.0'))
    const lock = JSON.parse(read('prompts.lock'))
    expect(lock.lockfile).toBe(1)
    expect(lock.prompts['acme/review']).toMatchObject({
      range: '^1.0.0',
      version: '1.0.0',
      sha256: sha256(versions['1.0.0']!),
      places: [{ path: FOLDER, files: { 'SKILL.md': sha256(skillOf('1.0.0')) } }],
    })
    expect(await run('cat', '--locked', 'acme/review')).toMatchObject({ code: 0, stdout: versions['1.0.0'] })
    expect(await run('verify', '--online')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    rmSync(path.join(cwd, FILE))
    expect(await run('install')).toMatchObject({ code: 0, stdout: `acme/review 1.0.0 ${FOLDER}\n` })
    expect(read(FILE)).toBe(skillOf('1.0.0'))
    expect(await run('update')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await run('add', 'acme/review', '--as', 'skill')).toMatchObject({ code: 0 })

    hub.prompts['acme/review']!.versions['1.1.0'] = versions['1.1.0']!
    expect((await run('outdated')).stdout).toBe('acme/review  1.0.0  1.1.0  1.1.0  ^1.0.0\n')
    expect(await run('update')).toMatchObject({ code: 0, stdout: `acme/review 1.0.0 -> 1.1.0 ${FOLDER}\n`, stderr: '' })
    expect(read(FILE)).toBe(skillOf('1.1.0'))
    expect(await run('audit')).toMatchObject({ code: 0 })

    writeFileSync(path.join(cwd, FILE), 'changed')
    expect(await run('verify')).toMatchObject({
      code: 4,
      stderr: `hubcli: ${FILE} is not what prompts.lock says; hubcli install --force restores it\n`,
    })
    expect(await run('install')).toMatchObject({ code: 4, stderr: expect.stringContaining('was changed by hand') })
    writeFileSync(path.join(cwd, FILE), skillOf('1.1.0'))
    expect(await run('remove', 'acme/review')).toMatchObject({ code: 0, stdout: `acme/review 1.1.0 ${FOLDER}\n` })
  })

  test('a locked skill stays in its folder, also if that is in no other folder', async () => {
    expect(await run('add', 'acme/review', '--as', 'skill', '-o', 'review')).toMatchObject({ code: 0 })
    const again = { code: 0, stdout: 'acme/review 1.0.0 review\n', stderr: '', left: [] }
    expect(await run('add', 'acme/review@^1')).toMatchObject(again)
    expect(read('review/SKILL.md')).toBe(skillOf('1.0.0'))
  })

  test('a skill with files comes from its archive, also from a mirror', async () => {
    const files = { 'a.md': 'one', 'scripts/b.py': 'two\r\n' }
    hub.prompts['acme/review']!.files = files
    expect(await run('add', 'acme/review', '--as', 'skill')).toMatchObject({ code: 0, stderr: '' })
    expect(read(FILE)).toBe(skillOf('1.0.0'))
    for (const [file, text] of Object.entries(files)) expect(read(`${FOLDER}/${file}`)).toBe(text)
    expect(hub.asked.filter((asked) => asked.includes('/blobs/'))).toHaveLength(1)
  })

  test('rejects changed content, and a prompt that is not an Agent Skill', async () => {
    await run('add', 'acme/review', '--as', 'skill', '-o', '.agents/skills/review')
    rmSync(path.join(cwd, '.agents'), { recursive: true })
    const before = read('prompts.lock')
    hub.prompts['acme/review']!.skill = { ...skill, description: 'Do evil.' }
    expect(await run('install')).toMatchObject({ code: 4, stderr: expect.stringContaining('sent other bytes') })
    expect(await run('add', 'acme/plain', '--as', 'skill')).toMatchObject({
      code: 2,
      stderr: 'hubcli: acme/plain 1.0.0 is not an Agent Skill; nothing was changed\n',
    })
    expect(await run('add', 'acme/review', '--as', 'skill', '-o', 'skills/other')).toMatchObject({ code: 1 })
    expect(await run('add', 'acme/review', '--as', 'prompt')).toMatchObject({ code: 1 })
    expect(read('prompts.lock')).toBe(before)
  })

  const forged = (...files: [path: string, text: string][]) =>
    gzipSync(packTar(files.map(([path, text]) => ({ path, bytes: Buffer.from(text) }))))
  const good: [string, string] = ['SKILL.md', skillOf('1.0.0')]
  test.each<[string, () => Buffer]>([
    ['no archive', () => Buffer.from('<h1>Sign in</h1>')],
    ['an archive without SKILL.md', () => forged(['a.md', 'one'])],
    ['an archive without another file', () => forged(good)],
    ['another file', () => forged(good, ['a.md', 'one'], ['b.md', 'x'])],
    ['a file twice', () => forged(good, ['a.md', 'one'], ['a.md', 'one'])],
    ['other bytes', () => forged(good, ['a.md', 'evil'])],
    ['a path outside', () => forged(good, ['a.md', 'one'], ['../../b.md', 'x'])],
    ['other content in SKILL.md', () => forged(['SKILL.md', '---\n---\nEvil'], ['a.md', 'one'])],
    [
      'a link',
      () =>
        gzipSync(
          packTar([
            ...[good, ['a.md', 'one'] as const].map(([path, text]) => ({ path, bytes: Buffer.from(text) })),
            { path: 'b.md', bytes: Buffer.alloc(0), type: '2' },
          ]),
        ),
    ],
    ['a bomb', () => gzipSync(Buffer.alloc(64 * 1024 * 1024))],
  ])('refuses the archive of a hub that lies: %s', async (_, make) => {
    hub.prompts['acme/review']!.files = { 'a.md': 'one' }
    const archive = make()
    // The record has the digest of what the hub sends, so only the files themselves can tell.
    hub.meddle = (asked, answer) => {
      if (asked.includes('/blobs/')) {
        answer.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(archive)
        return true
      }
      if (!asked.endsWith('/versions/1.0.0.json')) return false
      const { full_name, content, content_sha256, variables } = skillVersion('1.0.0')
      const files = [{ path: 'a.md', sha256: sha256('one') }]
      const data = { full_name, version: '1.0.0', content, content_sha256, variables, parameters: {}, skill, files }
      answer.writeHead(200, { 'Content-Type': 'application/json' })
      answer.end(JSON.stringify({ data: { ...data, bundle_sha256: sha256(archive) } }))
      return true
    }
    const ran = await run('add', 'acme/review', '--as', 'skill')
    expect(ran).toMatchObject({
      code: 4,
      stdout: '',
      stderr: 'hubcli: the hub sent other bytes for acme/review 1.0.0 than its SHA-256 says; nothing was changed\n',
    })
    expect(readdirSync(cwd)).toEqual([])
  })

  test('push --skill and --format send what they say in the query, unchanged', async () => {
    const sent: unknown[] = []
    const server = createServer(async (request, answer) => {
      const { searchParams } = new URL(request.url ?? '', url)
      sent.push({ ...Object.fromEntries(searchParams), file: Buffer.concat(await Array.fromAsync(request)).toString() })
      const isText = request.headers.accept === 'text/plain'
      answer.writeHead(201, { 'Content-Type': isText ? 'text/plain' : 'application/json' })
      answer.end(isText ? '1.0.0 x\n' : '{"data":{"version":"1.0.0","url":"x","unchanged":false,"warnings":[]}}')
    })
    const url = await listen(server)
    writeFileSync(path.join(cwd, 'a.md'), 'Do it.')
    const push = (...more: string[]) => {
      const env = { HUB_URL: url, HUB_TOKEN: 'hub_x' }
      return runHubcli(SHELL, ['push', 'acme/a', 'a.md', 'First', 'patch', ...more], { cwd, env })
    }
    const description = 'Says "no"&bump=major #\\ $(id) + %20 🎈'
    expect(await push('--skill', description)).toMatchObject({ code: 0, stderr: '' })
    expect(await push('--skill', '')).toMatchObject({ code: 0 })
    expect(await push()).toMatchObject({ code: 0 })
    expect((await push('--skill')).code).toBe(1)
    expect(await push('--format', 'chat')).toMatchObject({ code: 0 })
    const said = { file: 'Do it.', changelog: 'First', bump: 'patch', allow_breaking: 'false' }
    expect(sent).toEqual([{ ...said, skill: description }, { ...said, skill: '' }, said, { ...said, format: 'chat' }])
    server.close()
  })
})
