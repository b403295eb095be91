// Publishes folders with hubcli, which names every file that no skill may have before it sends anything.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { pushFolder, skillFile, startSkillHub, writeFiles } from './skill-hub.ts'

const hub = await startSkillHub()
afterAll(() => hub?.close())

test('hubcli refuses a folder that it cannot publish, and names each file and the way out', async () => {
  const folder = hub.newFolder()
  const good = { 'SKILL.md': skillFile('Do it.'), 'a.md': 'x' }
  const refusals: [string, (place: string) => void, RegExp][] = [
    [
      'a link',
      (place) => symlinkSync('a.md', join(place, 'b.md')),
      /\/b\.md is a link; put a copy of its target in its place/,
    ],
    [
      'a dot file',
      (place) => writeFiles(place, { '.env': 'x' }),
      /\/\.env is a dot file, which no skill has; delete it/,
    ],
    [
      'a cache',
      (place) => writeFiles(place, { '__pycache__/a.pyc': 'x' }),
      /\/__pycache__ is made by Python, which no skill has/,
    ],
    ['a space', (place) => writeFiles(place, { 'a b.md': 'x' }), /not valid on every system: 'a b\.md'; rename it/],
    ['two names', (place) => writeFiles(place, { 'A.md': 'x' }), /has two files at a\.md/],
    [
      'another SKILL.md',
      (place) => writeFiles(place, { 'x/SKILL.md': 'x' }),
      /\/x\/SKILL\.md: expected no SKILL\.md: the hub writes it from the content, and agents read one in any folder as a skill of its own; delete it/,
    ],
    [
      'a large file',
      (place) => writeFiles(place, { 'b.md': 'x'.repeat(262_145) }),
      /\/b\.md has more than 262144 bytes/,
    ],
    ['neither', (place) => rmSync(join(place, 'SKILL.md')), /expected SKILL\.md or prompt\.md in it, got neither/],
    [
      'both',
      (place) => writeFiles(place, { 'prompt.md': 'x' }),
      /expected either SKILL\.md or prompt\.md in it, got both/,
    ],
    ['no folder of ours', (place) => mkdirSync(join(place, '.git')), /\/\.git is a dot file/],
  ]
  hub.asked.length = 0
  for (const [name, spoil, message] of refusals) {
    const place = join(folder, name.replaceAll(' ', '-'))
    writeFiles(place, good)
    spoil(place)
    const ran = await hub.hubcli(folder, 'push', 'acme/refused', place, 'x', 'major')
    expect({ name, ...ran, stderr: '' }).toEqual({ name, code: 1, stdout: '', stderr: '' })
    expect(ran.stderr).toMatch(message)
    expect(ran.stderr).toMatch(/^hubcli: [^\n]*\n$/)
  }
  for (const option of [['--raw'], ['--format', 'text'], ['--skill', 'x']])
    expect(await hub.hubcli(folder, 'push', 'acme/x', join(folder, 'a-link'), 'x', 'major', ...option)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/expected no --raw, --format or --skill; its SKILL\.md has the description/),
    })
  expect(await hub.hubcli(folder, 'readme', 'acme/x', folder)).toMatchObject({ code: 1 })
  expect(hub.asked).toEqual([])
})

test('hubcli publishes a folder, says what is unchanged, and checks folders by their names', async () => {
  const folder = hub.newFolder()
  const place = join(folder, 'acme/letters')
  writeFiles(place, { 'SKILL.md': skillFile('Write {{what}}.'), 'a/b.txt': 'x' })
  const check = (...args: string[]) => hub.hubcli(folder, 'check', ...args)
  expect(await check('acme/letters')).toMatchObject({ code: 0, stdout: 'acme/letters 1.0.0\n' })
  expect(await check('acme/letters/', '--owner', 'octo')).toMatchObject({ code: 0, stdout: 'octo/letters 1.0.0\n' })
  expect(await hub.hubcli(place, 'check', '.')).toMatchObject({ code: 0, stdout: 'acme/letters 1.0.0\n' })
  expect(await hub.hubcli(folder, 'push', 'acme/letters', place, 'x', 'minor', '--dry-run')).toMatchObject({
    code: 0,
    stdout: '1.0.0 would be published\n',
  })
  expect(await pushFolder(hub, 'acme/letters', place)).toBe('1.0.0')
  expect((await hub.hub.read('/api/v1/repos/acme/letters/versions/1.0.0/files/a/b.txt')).text).toBe('x')
  expect(await check('acme/letters')).toMatchObject({ code: 0, stdout: 'acme/letters 1.0.0 (unchanged)\n' })
  expect(await pushFolder(hub, 'acme/letters', place)).toBe('1.0.0')
  writeFiles(place, { 'SKILL.md': '---\ndescription: x\nallowed-tools: Bash\n---\nx\n' })
  const refused = await check('acme/letters')
  expect(refused).toMatchObject({ code: 4, stdout: '' })
  expect(refused.stderr).toMatch(/^hubcli: acme\/letters: .*allowed-tools: line 3/)
})

test('a folder with a prompt file has its fields', async () => {
  const place = hub.newFolder()
  writeFiles(place, {
    'prompt.md': '---\ntitle: Tax forms\nskill: {description: Fills in forms.}\n---\nText.\n',
    'a.txt': 'x',
  })
  expect(await pushFolder(hub, 'acme/tax', place, 'major')).toBe('1.0.0')
  expect((await hub.hub.read('/api/v1/repos/acme/tax')).data).toMatchObject({
    title: 'Tax forms',
    content: 'Text.\n',
    files: [{ path: 'a.txt' }],
  })
})
