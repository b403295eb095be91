// The folders from which agents load skills.
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder that most agents read. */
const SHARED = '.agents/skills'

/** The folder of each agent, by its name on the command line. */
// https://code.claude.com/docs/en/skills, https://developers.openai.com/codex/skills,
// https://cursor.com/docs/context/skills, https://docs.github.com/en/copilot/concepts/agents/about-agent-skills,
// https://geminicli.com/docs/cli/skills, https://opencode.ai/docs/skills, https://ampcode.com/manual#agent-skills,
// https://antigravity.google/docs/skills, https://kiro.dev/docs/skills
export const AGENTS = {
  'claude-code': '.claude/skills',
  codex: '.agents/skills',
  cursor: '.cursor/skills',
  copilot: '.github/skills',
  gemini: '.gemini/skills',
  opencode: '.opencode/skills',
  amp: '.agents/skills',
  antigravity: '.agents/skills',
  kiro: '.kiro/skills',
} as const

/** An agent that loads skills from a folder of the project. */
export type Agent = keyof typeof AGENTS

/** The files and folders that only this agent reads. */
const SIGNS: readonly (readonly [path: string, agent: Agent])[] = [
  ['.claude', 'claude-code'],
  ['CLAUDE.md', 'claude-code'],
  ['.agents', 'codex'],
  ['.codex', 'codex'],
  ['.cursor', 'cursor'],
  ['.github/copilot-instructions.md', 'copilot'],
  ['.gemini', 'gemini'],
  ['GEMINI.md', 'gemini'],
  ['.opencode', 'opencode'],
  ['.kiro', 'kiro'],
]

/** Whether a name is that of an agent. */
export function isAgent(name: string): name is Agent {
  return Object.hasOwn(AGENTS, name)
}

/** The folder of an agent or, without one, the first that the project has. @param root the folder of the project */
export async function skillsFolder(root: string, agent: Agent | undefined): Promise<string> {
  if (agent) return AGENTS[agent]
  for (const folder of Object.values(AGENTS))
    if (
      await stat(join(root, folder)).then(
        (found) => found.isDirectory(),
        () => false,
      )
    )
      return folder
  for (const [path, each] of SIGNS)
    if (
      await access(join(root, path)).then(
        () => true,
        () => false,
      )
    )
      return AGENTS[each]
  return SHARED
}
