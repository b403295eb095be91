"""The folders from which agents load skills."""

import os

# https://code.claude.com/docs/en/skills, https://developers.openai.com/codex/skills,
# https://cursor.com/docs/context/skills, https://docs.github.com/en/copilot/concepts/agents/about-agent-skills,
# https://geminicli.com/docs/cli/skills, https://opencode.ai/docs/skills, https://ampcode.com/manual#agent-skills
FOLDERS = {
    "claude-code": ".claude/skills",
    "codex": ".agents/skills",
    "cursor": ".cursor/skills",
    "copilot": ".github/skills",
    "gemini": ".gemini/skills",
    "opencode": ".opencode/skills",
    "amp": ".agents/skills",
}
# The files and folders that only this agent reads.
SIGNS = {
    ".claude": "claude-code",
    "CLAUDE.md": "claude-code",
    ".agents": "codex",
    ".codex": "codex",
    ".cursor": "cursor",
    ".github/copilot-instructions.md": "copilot",
    ".gemini": "gemini",
    "GEMINI.md": "gemini",
    ".opencode": "opencode",
}


def skill_path(name, agent, locked):
    """The folder of a skill: in that of the agent, where the locked skill is, or in the first one that the project has."""
    if not agent and locked is not None and locked.files:
        return locked.path
    there = [folder for folder in FOLDERS.values() if os.path.isdir(folder)]
    there += [FOLDERS[agent] for sign, agent in SIGNS.items() if os.path.exists(sign)]
    folder = FOLDERS[agent] if agent else there[0] if there else FOLDERS["claude-code"]
    return f"{folder}/{name.split('/')[1]}"
