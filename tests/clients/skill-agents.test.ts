// Chooses the folder in which hubcli installs an Agent Skill.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pushFolder, type SkillHub, skillFile, startSkillHub, writeFiles } from './skill-hub.ts'

let hub: SkillHub
beforeAll(async () => {
  hub = await startSkillHub()
  const folder = join(hub.scratch, 'forms')
  writeFiles(folder, { 'SKILL.md': skillFile('Run scripts/fill.py.'), 'scripts/fill.py': 'print()' })
  await pushFolder(hub, 'acme/forms', folder, 'major')
})
afterAll(() => hub?.close())

describe('where add installs a skill', () => {
  test.each([
    ['claude-code', '.claude/skills/forms'],
    ['codex', '.agents/skills/forms'],
    ['amp', '.agents/skills/forms'],
    ['cursor', '.cursor/skills/forms'],
    ['copilot', '.github/skills/forms'],
    ['gemini', '.gemini/skills/forms'],
    ['opencode', '.opencode/skills/forms'],
  ])('--agent %s: %s', async (agent, place) => {
    const folder = hub.newFolder()
    const ran = await hub.hubcli(folder, 'add', 'acme/forms@1.0.0', '--as', 'skill', '--agent', agent)
    expect(ran).toMatchObject({ code: 0, stdout: `acme/forms 1.0.0 ${place}\n` })
    expect(existsSync(join(folder, place, 'scripts/fill.py'))).toBe(true)
  })

  test.each<[string, string[], string]>([
    ['nothing', [], '.claude'],
    ['CLAUDE.md', ['CLAUDE.md'], '.claude'],
    ['.codex', ['.codex/config.toml'], '.agents'],
    ['.agents', ['.agents/x'], '.agents'],
    ['GEMINI.md', ['GEMINI.md'], '.gemini'],
    ['instructions for Copilot', ['.github/copilot-instructions.md', 'AGENTS.md'], '.github'],
    ['workflows only', ['.github/workflows/ci.yml'], '.claude'],
    ['a folder for skills wins over a marker', ['CLAUDE.md', '.agents/skills/other/SKILL.md'], '.agents'],
  ])('a project with %s', async (_, files, place) => {
    const folder = hub.newFolder()
    writeFiles(folder, Object.fromEntries(files.map((path) => [path, 'x'])))
    const ran = await hub.hubcli(folder, 'add', 'acme/forms@1.0.0', '--as', 'skill')
    expect(ran).toMatchObject({ code: 0, stdout: `acme/forms 1.0.0 ${place}/skills/forms\n` })
  })

  test('a locked skill stays where it is, --agent moves it, and -o names any folder', async () => {
    const folder = hub.newFolder()
    const add = (...args: string[]) => hub.hubcli(folder, 'add', 'acme/forms@1.0.0', '--as', 'skill', ...args)
    expect(await add('-o', 'tools/skills/forms')).toMatchObject({
      code: 0,
      stdout: 'acme/forms 1.0.0 tools/skills/forms\n',
    })
    expect(await add()).toMatchObject({ code: 0, stdout: 'acme/forms 1.0.0 tools/skills/forms\n' })
    expect(await add('--agent', 'gemini')).toMatchObject({ code: 0, stdout: 'acme/forms 1.0.0 .gemini/skills/forms\n' })
    expect(readdirSync(folder).sort()).toEqual(['.gemini', '.gitattributes', 'prompts.lock'])
    expect(await add('--agent', 'notepad')).toMatchObject({
      code: 1,
      stderr:
        'hubcli: --agent: expected claude-code, codex, cursor, copilot, gemini, opencode or amp, got notepad; -o names any other folder\n',
    })
    expect(await add('-o', 'tools/skills/other')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("expected a folder of the skill's name"),
    })
    writeFiles(folder, { '.claude/skills/forms/SKILL.md': 'my own' })
    expect(await add('--agent', 'claude-code')).toMatchObject({
      code: 4,
      stderr:
        'hubcli: .claude/skills/forms/SKILL.md was changed by hand, or is another file; nothing was replaced. Move it away\n',
    })
  })
})
