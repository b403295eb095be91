// Locks one prompt at several places with both clients: each is written, verified, updated and removed, and none is lost.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFiles } from '../write-files.ts'
import { CLIENTS, runClient } from './both-clients.ts'
import { lockIn, pushFolder, type SkillHub, skillFile, snapshot, startSkillHub } from './skill-hub.ts'

/** The skill of another owner with the same name. */
const OTHER = 'octocat/forms'

const CLAUDE = '.claude/skills/forms'
const CODEX = '.agents/skills/forms'

let hub: SkillHub
beforeAll(async () => {
  hub = await startSkillHub()
  const folder = join(hub.scratch, 'forms')
  writeFiles(folder, { 'SKILL.md': skillFile('Run scripts/fill.py.'), 'scripts/fill.py': 'print()' })
  await pushFolder(hub, 'acme/forms', folder, 'major')
  writeFiles(folder, { 'scripts/fill.py': 'print(1)' })
  await pushFolder(hub, 'acme/forms', folder, 'minor')
  for (const [tools, bump] of [
    ['Bash(git:*), Read', 'major'],
    ['Read', 'minor'],
  ] as const) {
    writeFiles(folder, { 'SKILL.md': skillFile('Ask.').replace('---\nAsk', `allowed-tools: ${tools}\n---\nAsk`) })
    await pushFolder(hub, 'acme/asks', folder, bump)
  }
  const token = await hub.hub.makeToken({ scope: 'octocat/*' })
  const push = ['env', `HUB_TOKEN=${token}`, ...CLIENTS[0]!.command]
  const pushed = await runClient(push, ['push', OTHER, folder, 'A change'], hub.scratch, hub.url)
  expect(pushed).toMatchObject({ code: 0 })
})
afterAll(() => hub?.close())

/** Returns the paths in a lock by prompt. */
const placesIn = (folder: string): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries<{ places: { path: string }[] }>(JSON.parse(lockIn(folder)).prompts).map(([name, { places }]) => [
      name,
      places.map(({ path }) => path),
    ]),
  )

describe.each(CLIENTS)('$name', ({ command }) => {
  const run = (folder: string, ...args: string[]) => runClient(command, args, folder, hub.url)
  const add = async (folder: string, ...args: string[]) =>
    expect(await run(folder, 'add', ...args)).toMatchObject({ code: 0, stderr: '' })

  test('locks a skill for two agents and as a file, and keeps all up to date', async () => {
    const folder = hub.newFolder()
    await add(folder, 'acme/forms@1.0.0', '--as', 'skill', '--agent', 'claude-code')
    await add(folder, 'acme/forms@1.0.0', '--as', 'skill', '--agent', 'codex')
    await add(folder, 'acme/forms@1.0.0', '-o', 'notes/forms.md')
    expect(placesIn(folder)).toEqual({ 'acme/forms': [CODEX, CLAUDE, 'notes/forms.md'] })
    expect(snapshot(join(folder, CLAUDE))).toEqual(snapshot(join(folder, CODEX)))
    expect(readFileSync(join(folder, 'notes/forms.md'), 'utf8')).toBe('Run scripts/fill.py.\n')
    expect(readFileSync(join(folder, '.gitattributes'), 'utf8')).toMatch(
      /\n\/\.claude\/skills\/forms\/\*\* -text\n\/\.agents\/skills\/forms\/\*\* -text\n\/notes\/forms\.md -text\n$/,
    )

    // Without a place, all stay.
    await add(folder, 'acme/forms@^1')
    expect(placesIn(folder)).toEqual({ 'acme/forms': [CODEX, CLAUDE, 'notes/forms.md'] })
    for (const place of [CLAUDE, CODEX])
      expect(readFileSync(join(folder, place, 'scripts/fill.py'), 'utf8')).toBe('print(1)')

    rmSync(join(folder, CODEX), { recursive: true })
    rmSync(join(folder, 'notes'), { recursive: true })
    const verified = await run(folder, 'verify')
    expect(verified.code).toBe(4)
    expect(verified.stderr.match(/: (\S+) is not there/g)).toEqual([
      `: ${CODEX}/SKILL.md is not there`,
      ': notes/forms.md is not there',
    ])
    expect(await run(folder, 'install')).toMatchObject({ code: 0, stderr: '' })
    expect(await run(folder, 'verify')).toMatchObject({ code: 0, stderr: '' })
  })

  test('updates every place, and removes one or all, saying so first', async () => {
    const folder = hub.newFolder()
    await add(folder, 'acme/forms@1.0.0', '--agent', 'claude-code')
    await add(folder, 'acme/forms@1.0.0', '--agent', 'codex')
    await add(folder, 'acme/forms@1.x')
    expect(await run(folder, 'remove', 'acme/forms', '-o', 'elsewhere')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`acme/forms is not at elsewhere; it is at ${CODEX}, ${CLAUDE}\n`),
    })
    expect(await run(folder, 'remove', 'acme/forms', '-o', `${CODEX}/`)).toMatchObject({
      code: 0,
      stdout: `acme/forms 1.1.0 ${CODEX}\n`,
      stderr: expect.stringMatching(new RegExp(`^[\\w-]+: deletes ${CODEX.replaceAll('.', '\\.')}\\n$`)),
    })
    expect(placesIn(folder)).toEqual({ 'acme/forms': [CLAUDE] })
    expect(existsSync(join(folder, '.agents'))).toBe(false)
    expect(await run(folder, 'verify')).toMatchObject({ code: 0, stderr: '' })
    await add(folder, 'acme/forms@1.x', '--agent', 'codex')
    expect((await run(folder, 'remove', 'acme/forms')).stdout).toBe(
      `acme/forms 1.1.0 ${CODEX}\nacme/forms 1.1.0 ${CLAUDE}\n`,
    )
    expect(readdirSync(folder).sort()).toEqual(['.gitattributes', 'prompts.lock'])
  })

  test('gives the second skill of a name the name that it has in the index of the hub', async () => {
    const folder = hub.newFolder()
    await add(folder, 'acme/forms@1.0.0', '--agent', 'claude-code')
    await add(folder, OTHER, '--agent', 'claude-code')
    expect(placesIn(folder)).toEqual({ 'acme/forms': [CLAUDE], [OTHER]: [`${CLAUDE}-by-octocat`] })
    const served = (await hub.hub.read(`/${OTHER}/SKILL.md`)).text
    expect(readFileSync(join(folder, `${CLAUDE}-by-octocat/SKILL.md`), 'utf8')).toBe(
      served.replace('\nname: "forms"\n', '\nname: "forms-by-octocat"\n'),
    )
    const whole = snapshot(folder)
    await add(folder, OTHER, '--agent', 'claude-code')
    rmSync(join(folder, '.claude'), { recursive: true })
    expect(await run(folder, 'install')).toMatchObject({ code: 0, stderr: '' })
    expect(snapshot(folder)).toEqual(whole)
    expect(await run(folder, 'verify')).toMatchObject({ code: 0, stderr: '' })
    // -o names any other folder.
    await add(folder, OTHER, '--as', 'skill', '-o', 'theirs/forms')
    expect(readFileSync(join(folder, 'theirs/forms/SKILL.md'), 'utf8')).toBe(served)
    const taken = await run(folder, 'add', OTHER, '--as', 'skill', '-o', CLAUDE)
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining(`acme/forms is at ${CLAUDE}; choose`) })
  })

  test('writes the permissions for which a skill asks only with --keep-permissions, which the lock remembers', async () => {
    const folder = hub.newFolder()
    const text = () => readFileSync(join(folder, '.claude/skills/asks/SKILL.md'), 'utf8')
    await add(folder, 'acme/asks@1.0.0', '--agent', 'claude-code')
    expect(text()).not.toContain('allowed-tools')
    const keep = await run(folder, 'add', 'acme/asks@1.0.0', '--agent', 'claude-code', '--keep-permissions')
    expect(keep).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'acme/asks 1.0.0 lets agents use these tools without a question: Bash(git:*) Read\n',
      ),
    })
    const served = (await hub.hub.read('/acme/asks/v/1.0.0/SKILL.md')).text
    expect(text()).toBe(served.replace('\n---\nAsk', '\nallowed-tools: "Bash(git:*) Read"\n---\nAsk'))
    expect(JSON.parse(lockIn(folder)).prompts['acme/asks']).toMatchObject({ keep_permissions: true })
    rmSync(join(folder, '.claude'), { recursive: true })
    expect(await run(folder, 'install')).toMatchObject({ code: 0, stderr: '' })
    expect(await run(folder, 'verify')).toMatchObject({ code: 0, stderr: '' })
    expect(text()).toContain('allowed-tools: "Bash(git:*) Read"')
    expect(await run(folder, 'add', 'acme/asks@^1')).toMatchObject({ code: 0 })
    expect(text()).toContain('\nallowed-tools: "Read"\n---\n')
    expect(await run(folder, 'add', 'acme/asks', '--keep-permissions')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--keep-permissions: expected --as skill or --agent'),
    })
  })

  test('refuses a path that is that of another prompt, or the same one in another spelling', async () => {
    const folder = hub.newFolder()
    await add(folder, 'acme/forms@1.0.0', '-o', 'a/forms.md')
    const before = snapshot(folder)
    const refused = await run(folder, 'add', 'acme/forms@1.0.0', '-o', 'A/forms.md')
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/A\/forms\.md .*: acme\/forms is at a\/forms\.md; choose another\n$/),
    })
    expect(snapshot(folder)).toEqual(before)
  })
})
