// Publishes folders with hubcli and npx prompt-hub, which name every file that no skill may have before they send anything, and what they leave out.
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { writeFiles } from '../write-files.ts'
import { CLIENTS, environment, runWith } from './both-clients.ts'
import { pushFolder, skillFile, startSkillHub } from './skill-hub.ts'

const hub = await startSkillHub()
afterAll(() => hub?.close())

test('hubcli refuses a folder that it cannot publish, and names each file and the way out', async () => {
  const folder = hub.newFolder()
  const good = { 'SKILL.md': skillFile('Do it.'), 'a.md': 'x' }
  const refusals: [string, (place: string) => void, RegExp][] = [
    ['a space', (place) => writeFiles(place, { 'a b.md': 'x' }), /not valid on every system: 'a b\.md'; rename it/],
    ['two names', (place) => writeFiles(place, { 'A.md': 'x' }), /has two files at a\.md/],
    [
      'a large file',
      (place) => writeFiles(place, { 'b.md': 'x'.repeat(2_000_001) }),
      /\/b\.md has more than 2000000 bytes/,
    ],
    [
      'both',
      (place) => writeFiles(place, { 'prompt.md': 'x' }),
      /expected either SKILL\.md or prompt\.md in it, got both/,
    ],
    ['a dot folder', (place) => mkdirSync(join(place, '.venv')), /\/\.venv is a dot file/],
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
    expect(await hub.hubcli(folder, 'push', 'acme/x', join(folder, 'a-space'), 'x', 'major', ...option)).toMatchObject({
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
  writeFiles(place, { 'SKILL.md': `---\ndescription: x\nallowed-tools: '${'x'.repeat(201)}'\n---\nx\n` })
  const refused = await check('acme/letters')
  expect(refused).toMatchObject({ code: 4, stdout: '' })
  expect(refused.stderr).toMatch(/^hubcli: acme\/letters: .*skill\.allowed_tools\.0/)
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

describe.each(CLIENTS)('$name', ({ command }) => {
  const run = (...args: string[]) =>
    runWith(command, args, hub.scratch, { ...environment(hub.url), HUB_TOKEN: hub.hub.token })

  test('leaves out and names what systems and programs leave in a folder', async () => {
    const folder = join(hub.newFolder(), 'junk')
    const { junk } = JSON.parse(readFileSync('tests/fixtures/paths.json', 'utf8')) as { junk: string[] }
    writeFiles(folder, { 'SKILL.md': skillFile('Do it.'), 'a.md': 'x', 'node_modules.md': 'x' })
    writeFiles(folder, Object.fromEntries(junk.map((path) => [path, 'x'])))
    const to = `acme/junk-${CLIENTS.findIndex((each) => each.command === command)}`
    const ran = await run('push', to, folder, 'First', 'major')
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stderr.match(/\S+(?= is left out$)/gm)?.sort()).toEqual(
      [
        ...new Set(junk.map((path) => `${folder}/${path.replace(/^(node_modules|__pycache__|\.git)\/.*/, '$1')}`)),
      ].sort(),
    )
    const { files } = (await hub.hub.read(`/api/v1/repos/${to}`)).data as { files: { path: string }[] }
    expect(files.map(({ path }) => path)).toEqual(['a.md', 'node_modules.md'])
    expect((await run('check', folder, '--owner', 'acme')).stderr).toMatch(/ is left out$/m)
  })

  test('names every problem of all folders, and publishes none of them', async () => {
    const folder = hub.newFolder()
    writeFiles(folder, {
      'good/SKILL.md': skillFile('Do it.'),
      'bad/SKILL.md': skillFile('Do it.'),
      'bad/.env': 'x',
      'bad/a.md': 'x'.repeat(262_145),
      'worse/a.md': 'x',
      'worse/x/skill.md': 'x',
      'Upper/SKILL.md': skillFile('Do it.'),
    })
    symlinkSync('a.md', join(folder, 'bad/b.md'))
    hub.asked.length = 0
    for (const verb of ['push', 'check']) {
      const places = ['bad', 'good', 'Upper', 'none', 'worse'].map((each) => join(folder, each))
      const { code, stdout, stderr } = await run(verb, ...places, '--owner', 'acme')
      expect([code, stdout]).toEqual([1, ''])
      const lines = stderr.trimEnd().split('\n')
      const expected = [
        '/bad/.env is a dot file',
        '/bad/b.md is a link',
        'would be the prompt acme/Upper',
        'there is no file',
        '/worse/x/skill.md: expected no SKILL.md',
        '/worse: expected SKILL.md or prompt.md in it, got neither',
      ]
      for (const problem of expected) expect(lines.filter((line) => line.includes(problem))).toHaveLength(1)
      expect(lines).toHaveLength(expected.length)
    }
    expect(hub.asked).toEqual([])
  })

  test('sends every key of a SKILL.md', async () => {
    const folder = join(hub.newFolder(), 'keys')
    const text = skillFile('Do it.').replace('---\nDo', 'allowed-tools:\n- Bash\n- "Read"\n"model": a\n---\nDo')
    writeFiles(folder, { 'SKILL.md': text })
    const to = `acme/keys-${CLIENTS.findIndex((each) => each.command === command)}`
    expect(await run('push', to, folder, 'First', 'major')).toMatchObject({ code: 0 })
    expect((await hub.hub.read(`/api/v1/repos/${to}/versions/1.0.0`)).data).toMatchObject({
      content: 'Do it.\n',
      skill: { allowed_tools: ['Bash', 'Read'], metadata: { model: 'a' } },
    })
  })

  test.each([['push'], ['check']])('%s of a SKILL.md alone says to push its folder', async (command) => {
    const folder = hub.newFolder()
    writeFiles(folder, { 's/SKILL.md': skillFile('Do it.') })
    hub.asked.length = 0
    const words = command === 'push' ? ['acme/alone', join(folder, 's/SKILL.md'), 'x'] : [join(folder, 's/SKILL.md')]
    const ran = await run(command, ...words)
    expect({ ...ran, stderr: '' }).toEqual({ code: 1, stdout: '', stderr: '' })
    expect(ran.stderr).toMatch(/s\/SKILL\.md is one file of a skill; push the folder .*s\b/)
    expect(hub.asked).toEqual([])
  })
})
