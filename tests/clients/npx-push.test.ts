// Publishes with the command of the npm package, against a real hub in this process.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { COMMAND_NAMES, openCommand } from '../../clients/typescript/source/commands/all.ts'
import { readCommands } from '../../src/build/downloads/commands.ts'
import { writeFiles } from '../write-files.ts'
import { environment, NPX, runWith } from './both-clients.ts'
import { skillFile, startSkillHub } from './skill-hub.ts'

const { command } = NPX
const hub = await startSkillHub()
afterAll(() => hub?.close())

const run = (cwd: string, ...args: string[]) =>
  runWith(command, args, cwd, { ...environment(hub.url), HUB_TOKEN: hub.hub.token })
const anonymous = (cwd: string, ...args: string[]) =>
  runWith(command, args, cwd, { ...environment(hub.url), HUB_TOKEN: '' })

test('push publishes files and folders of skills, with the subject of the commit that touched each', async () => {
  const folder = hub.newFolder()
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: folder })
  writeFiles(folder, {
    'prompts/one.md': 'One {{what}}.\n',
    'prompts/skill/SKILL.md': skillFile('Do it.'),
    'prompts/skill/.DS_Store': 'x',
  })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'Add the first prompts\n\nAnd more.')
  writeFiles(folder, { 'prompts/two.md': 'Two.\n' })
  git('add', '.')
  git('commit', '-qm', 'Say "two"')
  // The pattern is not expanded by a shell here, as on Windows.
  const first = await run(folder, 'push', 'prompts/*.md', 'prompts/skill', '--owner', 'acme')
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^acme\/one 1\.0\.0 http\S+\nacme\/two 1\.0\.0 http\S+\nacme\/skill 1\.0\.0 http\S+\n$/,
    ),
  })
  expect(first.stderr).toContain('prompts/skill/.DS_Store is left out')
  const changelogs = await Promise.all(
    ['one', 'two', 'skill'].map(
      async (name) => (await hub.hub.read(`/api/v1/repos/acme/${name}/versions/1.0.0`)).data.changelog,
    ),
  )
  expect(changelogs).toEqual(['Add the first prompts', 'Say "two"', 'Add the first prompts'])
  writeFiles(folder, { 'prompts/two.md': 'Two, again.\n' })
  const dry = await anonymous(folder, 'push', 'prompts/one.md', 'prompts/two.md', '--owner', 'acme', '--dry-run')
  expect(dry).toMatchObject({ code: 0, stdout: 'acme/one 1.0.0 is unchanged\nacme/two 1.0.1 would be published\n' })
  const second = await run(
    folder,
    'push',
    'prompts/one.md',
    'prompts/two.md',
    '--owner',
    'acme',
    '-m',
    'Again',
    '--bump',
    'minor',
    '--json',
  )
  expect(JSON.parse(second.stdout)).toMatchObject({
    data: [
      { file: 'prompts/one.md', prompt: 'acme/one', version: '1.0.0', unchanged: true },
      { prompt: 'acme/two', version: '1.1.0', unchanged: false, changelog: 'Again' },
    ],
  })
})

test('push names all problems at the end, and publishes the files without one', async () => {
  const folder = hub.newFolder()
  const broken = (tag: string) => `---\ntitle: A\ntags: [${tag}]\n---\nx\n`
  writeFiles(folder, { 'acme/bad.md': broken('A B'), 'acme/good.md': 'Good.\n', 'acme/worse.md': broken('C D') })
  const ran = await run(folder, 'push', 'acme/bad.md', 'acme/good.md', 'acme/worse.md')
  expect(ran).toMatchObject({ code: 4, stdout: expect.stringMatching(/^acme\/good 1\.0\.0 http\S+\n$/) })
  const lines = ran.stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !line.includes('warning'))
  expect(lines).toEqual([
    expect.stringMatching(/^prompt-hub: acme\/bad\.md: tags\.0: line 3: expected /),
    expect.stringMatching(/^prompt-hub: acme\/worse\.md: tags\.0: line 3: expected /),
  ])
  hub.asked.length = 0
  for (const [args, message] of [
    [['a*.md', '--owner', 'acme'], /a\*\.md matches no file/],
    [['acme/good.md', 'other/good.md', '--owner', 'acme'], /would both be the prompt acme\/good; rename one/],
    [['acme/good.md', '--bump', 'huge'], /bump: expected major, minor, patch or auto, got huge/],
    [['acme/good.md', '--nonsense'], /Unknown option '--nonsense'; usage: prompt-hub push /],
    [['s', '--owner', 'acme', '--raw'], /s is a folder: expected no --raw, --format or --skill/],
  ] as const) {
    writeFiles(folder, { 's/SKILL.md': skillFile('x'), 'other/good.md': 'x' })
    const refused = await run(folder, 'push', ...args)
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) })
  }
  expect(hub.asked).toEqual([])
  expect(await anonymous(folder, 'push', 'acme/good.md')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no token: create one at http\S+\/settings and set HUB_TOKEN/),
  })
  const denied = await runWith(command, ['push', 'acme/good.md'], folder, {
    ...environment(hub.url),
    HUB_TOKEN: 'hub_wrong',
  })
  expect(denied).toMatchObject({ code: 3, stdout: '' })
})

test('push takes a prompt with its file or standard input, as hubcli does', async () => {
  const folder = hub.newFolder()
  writeFiles(folder, { 'x.md': 'Text.\n', 'y.md': '---\nnot front matter\n' })
  const push = (...args: string[]) => run(folder, 'push', 'acme/given', ...args)
  expect(await push('x.md', 'First', 'minor', '--dry-run')).toMatchObject({
    code: 0,
    stdout: '1.0.0 would be published\n',
  })
  expect(await push('x.md', 'First', 'minor')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\.0\.0 http\S+\n$/),
  })
  expect(await push('x.md', 'First')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\.0\.0 http\S+ \(unchanged\)\n$/),
  })
  expect(await push('y.md', '-m', 'Raw', '--raw')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\.0\.1 http/),
  })
  expect((await hub.hub.read('/api/v1/repos/acme/given/raw')).text).toBe(readFileSync(join(folder, 'y.md'), 'utf8'))
  const shell = [
    process.execPath,
    '-e',
    `const { execFileSync } = require('child_process'); execFileSync(process.execPath, [${JSON.stringify(command[1])}, 'push', 'acme/given', '-', '-m', 'Piped'], { input: 'From a pipe.', stdio: ['pipe', 'inherit', 'inherit'] })`,
  ]
  expect(await runWith(shell, [], folder, { ...environment(hub.url), HUB_TOKEN: hub.hub.token })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\.0\.2 http/),
  })
  expect((await hub.hub.read('/api/v1/repos/acme/given/versions/1.0.2')).data).toMatchObject({
    content: 'From a pipe.',
    changelog: 'Piped',
  })
  expect(await push('x.md', 'A', 'minor', 'more')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/usage: prompt-hub push /),
  })
})

test('check says what each file would be, with no token', async () => {
  const folder = hub.newFolder()
  writeFiles(folder, {
    'acme/checked.md': 'Text {{a}}.\n',
    'acme/tool/SKILL.md': skillFile('x'),
    [`acme/tool/${'d'.repeat(60)}/${'e'.repeat(60)}.txt`]: 'y',
  })
  expect(await anonymous(folder, 'check', 'acme/*')).toMatchObject({
    code: 0,
    stdout: 'acme/checked 1.0.0\nacme/tool 1.0.0\n',
  })
  expect(await run(folder, 'push', 'acme/checked.md', 'acme/tool')).toMatchObject({ code: 0 })
  expect(
    (await hub.hub.read(`/api/v1/repos/acme/tool/versions/1.0.0/files/${'d'.repeat(60)}/${'e'.repeat(60)}.txt`)).text,
  ).toBe('y')
  writeFiles(folder, { 'acme/checked.md': 'Text {{a}} {{b}}.\n' })
  expect(await anonymous(folder, 'check', 'acme/checked.md', 'acme/tool')).toMatchObject({
    code: 0,
    stdout: 'acme/checked 2.0.0 (breaking: adds required variable b)\nacme/tool 1.0.0 (unchanged)\n',
  })
  expect(await anonymous(folder, 'check', 'acme/checked.md', '--bump', 'minor')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(/acme\/checked\.md: .*too small for a breaking change/),
  })
})

test('help is the table of commands, and each command takes exactly its options', async () => {
  const folder = hub.newFolder()
  const groups = await readCommands('.', 'prompt-hub')
  const commands = groups.flatMap((group) => group.commands).filter(({ name }) => name !== 'help')
  expect(commands.map(({ name }) => name).sort()).toEqual([...COMMAND_NAMES].sort())
  const { stdout } = await run(folder, 'help')
  for (const { name, options, says, arguments: forms } of commands) {
    expect({ name, options: (await openCommand(name))!.options.sort() }).toEqual({
      name,
      options: options.map((option) => option.name).sort(),
    })
    for (const form of forms) expect(stdout).toContain(`  prompt-hub ${name} ${form}`.trimEnd())
    expect(stdout.replace(/\s+/g, ' ')).toContain(says)
  }
  const one = await run(folder, 'push', '--help')
  expect(one.stdout).toMatch(/^ {2}prompt-hub push [\s\S]*--dry-run/)
  expect(one.stdout).not.toContain('prompt-hub check')
  expect(await run(folder, 'nonsense')).toMatchObject({
    code: 1,
    stderr: 'prompt-hub: Unknown command. See: prompt-hub help\n',
  })
})
