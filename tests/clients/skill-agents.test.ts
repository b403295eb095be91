// Chooses the folder in which hubcli installs an Agent Skill.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, skillsFolder } from '../../clients/typescript/source/agents.ts'
import { writeFiles } from '../write-files.ts'
import { pushFolder, type SkillHub, skillFile, startSkillHub } from './skill-hub.ts'

let hub: SkillHub
beforeAll(async () => {
  hub = await startSkillHub()
  const folder = join(hub.scratch, 'forms')
  writeFiles(folder, { 'SKILL.md': skillFile('Run scripts/fill.py.'), 'scripts/fill.py': 'print()' })
  await pushFolder(hub, 'acme/forms', folder, 'major')
})
afterAll(() => hub?.close())

describe('where add installs a skill', () => {
  /** Asks both libraries which folder they choose. @returns the folder in each project */
  const choose = async (cases: readonly (readonly [project: string, agent: Agent | ''])[]): Promise<string[]> => {
    const program = `
import json, os, sys
sys.path.append(sys.argv[1])
from prompt_hub.agents import skills_folder
chosen = []
for project, agent in json.load(sys.stdin):
    chosen.append(skills_folder(project, agent or None))
print(json.dumps(chosen))
`
    const words = ['-IS', '-c', program, resolve('clients/python')]
    const chosen = JSON.parse(execFileSync('python3', words, { input: JSON.stringify(cases), encoding: 'utf8' }))
    const same = await Promise.all(cases.map(([project, agent]) => skillsFolder(project, agent || undefined)))
    expect(same).toEqual(chosen)
    return chosen
  }

  test('that of the agent', async () => {
    const places = {
      'claude-code': '.claude/skills',
      codex: '.agents/skills',
      amp: '.agents/skills',
      cursor: '.cursor/skills',
      copilot: '.github/skills',
      gemini: '.gemini/skills',
      opencode: '.opencode/skills',
      antigravity: '.agents/skills',
      kiro: '.kiro/skills',
    }
    const folder = hub.newFolder()
    const agents = Object.keys(places) as Agent[]
    expect(await choose(agents.map((agent) => [folder, agent]))).toEqual(Object.values(places))
  })

  test('or what the project has', async () => {
    const projects: [string[], string][] = [
      [[], '.agents'],
      [['CLAUDE.md'], '.claude'],
      [['.codex/config.toml'], '.agents'],
      [['.agents/x'], '.agents'],
      [['GEMINI.md'], '.gemini'],
      [['.kiro/steering/tech.md'], '.kiro'],
      [['.github/copilot-instructions.md', 'AGENTS.md'], '.github'],
      [['.github/workflows/ci.yml'], '.agents'],
      // A folder for skills wins over a marker.
      [['CLAUDE.md', '.agents/skills/other/SKILL.md'], '.agents'],
    ]
    const folders = projects.map(([files]) => {
      const folder = hub.newFolder()
      writeFiles(folder, Object.fromEntries(files.map((path) => [path, 'x'])))
      return [folder, ''] as const
    })
    expect((await choose(folders)).map((folder, at) => [projects[at]![0], folder])).toEqual(
      projects.map(([files, place]) => [files, `${place}/skills`]),
    )
  })

  test('without a sign of an agent, the folder that most agents read', async () => {
    const folder = hub.newFolder()
    const ran = await hub.hubcli(folder, 'add', 'acme/forms@1.0.0', '--as', 'skill')
    expect(ran).toMatchObject({ code: 0, stdout: 'acme/forms 1.0.0 .agents/skills/forms\n' })
    expect(existsSync(join(folder, '.agents/skills/forms/scripts/fill.py'))).toBe(true)
  })

  test('a locked skill stays where it is, --agent and -o add a place', async () => {
    const folder = hub.newFolder()
    const add = (...args: string[]) => hub.hubcli(folder, 'add', 'acme/forms@1.0.0', '--as', 'skill', ...args)
    expect(await add('-o', 'tools/skills/forms')).toMatchObject({
      code: 0,
      stdout: 'acme/forms 1.0.0 tools/skills/forms\n',
    })
    expect(await add()).toMatchObject({ code: 0, stdout: 'acme/forms 1.0.0 tools/skills/forms\n' })
    expect(await add('--agent', 'gemini')).toMatchObject({
      code: 0,
      stdout: 'acme/forms 1.0.0 tools/skills/forms\nacme/forms 1.0.0 .gemini/skills/forms\n',
    })
    expect(readdirSync(folder).sort()).toEqual(['.gemini', '.gitattributes', 'prompts.lock', 'tools'])
    expect(await add('--agent', 'notepad')).toMatchObject({
      code: 1,
      stderr:
        'hubcli: --agent: expected claude-code, codex, cursor, copilot, gemini, opencode, amp, antigravity or kiro, got notepad; -o names any other folder\n',
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
