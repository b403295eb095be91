// Tests Agent Skills in MCP: the official clients for both protocol generations verify them, and invalid URIs are
// rejected.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterAll, expect, test } from 'vitest'
import { ENDPOINT, modern, openMcpHub } from '../hubs/mcp.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

const hub = openMcpHub('content')
afterAll(() => hub.close())

test.each([
  ['2025-11-25', undefined],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const)('the official client for %s fetches, reads and verifies a skill', async (_version, mode) => {
  const client = new Client({ name: 'tests', version: '1.0.0' }, mode && { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(ENDPOINT), { fetch: hub.fetch }))
  try {
    const skills = new SkillsClient(client)
    expect([skills.supported, skills.directoryRead]).toEqual([true, true])
    expect((await skills.list()).skills).toEqual([])
    for (const uri of ['skill://acme/code-review/SKILL.md', 'skill://acme/v2.1.0/code-review/SKILL.md']) {
      const { skill } = await skills.get(uri)
      expect(skill).toMatchObject({ uri, frontmatter: { name: 'code-review', license: 'CC0-1.0' } })
      const file = await skills.read(skill)
      expect([file.verified, file.mimeType]).toEqual([true, 'text/markdown'])
      expect(file.frontmatter).toEqual(skill.frontmatter)
      expect(file.body).toContain('## Inputs')
    }
    await expect(skills.get('skill://acme/explain-code/SKILL.md')).rejects.toMatchObject({ code: -32602 })
  } finally {
    await client.close()
  }
})

test('the manifest lists every file of a skill, and the official client verifies each', async () => {
  const dir = temporaryFolder('hub-mcp-skill-')
  const put = (path: string, bytes: string | Buffer) => {
    writeFiles(dir, { [path]: bytes })
  }
  const head =
    '---\npublished_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\nskill:\n  description: Fills in forms.\n---\n'
  put('acme/vforms/versions/1.0.0.md', `${head}Run scripts/fill.py.\n`)
  const files = { 'scripts/fill.py': Buffer.from('\ufeffprint()\r\n'), 'v1.2.3/a.bin': Buffer.from([0, 255]) }
  for (const [path, bytes] of Object.entries(files)) put(`acme/vforms/versions/1.0.0/${path}`, bytes)
  const own = openMcpHub(dir)
  const client = new Client({ name: 'tests', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(ENDPOINT), { fetch: own.fetch }))
  try {
    const skills = new SkillsClient(client)
    for (const root of ['skill://acme/vforms', 'skill://acme/v1.0.0/vforms']) {
      const { skill } = await skills.get(`${root}/SKILL.md`)
      expect((skill.resources as { uri: string }[]).map(({ uri }) => uri)).toEqual([
        `${root}/SKILL.md`,
        `${root}/scripts/fill.py`,
        `${root}/v1.2.3/a.bin`,
      ])
      expect((await skills.read(skill)).verified).toBe(true)
      for (const [path, bytes] of Object.entries(files)) {
        const file = await skills.read(skill, path)
        expect([file.verified, Buffer.from(file.bytes).equals(bytes)]).toEqual([true, true])
      }
      const types = await Promise.all(Object.keys(files).map(async (path) => (await skills.read(skill, path)).mimeType))
      expect(types).toEqual(['text/plain', 'application/octet-stream'])
    }
    for (const root of ['skill://acme/vforms', 'skill://acme/v1.0.0/vforms']) {
      expect((await skills.readDirectory(root)).resources).toEqual([
        { uri: `${root}/SKILL.md`, name: 'SKILL.md', mimeType: 'text/markdown', size: expect.any(Number) },
        { uri: `${root}/scripts`, name: 'scripts', mimeType: 'inode/directory' },
        { uri: `${root}/v1.2.3`, name: 'v1.2.3', mimeType: 'inode/directory' },
      ])
      expect((await skills.readDirectory(`${root}/scripts`)).resources).toEqual([
        { uri: `${root}/scripts/fill.py`, name: 'fill.py', mimeType: 'text/plain', size: 12 },
      ])
    }
    const folders = [
      'vforms/',
      'vforms/SKILL.md',
      'vforms/script',
      'vforms/scripts/',
      'vforms/scripts/fill.py',
      'nothing',
      '',
    ]
    for (const folder of folders)
      await expect(own.call('resources/directory/read', { uri: `skill://acme/${folder}` })).rejects.toMatchObject({
        code: -32602,
      })
    await expect(
      own.call('resources/directory/read', { uri: 'skill://acme/vforms', cursor: 'x' }),
    ).rejects.toMatchObject({ code: -32602 })
    for (const path of ['scripts', 'scripts/none.py', '../vforms/SKILL.md', 'scripts/../SKILL.md', 'SKILL.md/'])
      await expect(own.call('resources/read', { uri: `skill://acme/vforms/${path}` })).rejects.toMatchObject({
        code: -32602,
      })
  } finally {
    await client.close()
    own.close()
  }
})

//  uri
test.each([
  'skill://acme/code-review/1.0.0/SKILL.md',
  'skill://acme/v1.0.0/code-review/SKILL.md',
  'skill://acme/v9.9.9/code-review/SKILL.md',
  'skill://acme/vx/code-review/SKILL.md',
  'skill://acme/nothing/SKILL.md',
  'skill://ACME/code-review/SKILL.md',
  'skill://acme/code-review/../SKILL.md',
  'skill://acme/code-review/skill.md',
  'skill://',
  'https://acme/code-review/SKILL.md',
  7,
])('rejects skill URI %s', async (uri) => {
  await expect(hub.call('skills/get', { uri })).rejects.toMatchObject({ code: -32602 })
  const code = async (method: string) => (await (await hub.answer(modern(method, { uri }))).json()).error.code
  expect([await code('skills/get'), await code('resources/read')]).toEqual([-32602, -32602])
})

test('skills/list rejects an unknown cursor', async () => {
  await expect(hub.call('skills/list', { cursor: 'x' })).rejects.toMatchObject({ code: -32602 })
})
