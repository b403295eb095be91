"""The folders from which agents load skills."""

from __future__ import annotations

import os
from typing import Optional

_SHARED = ".agents/skills"
"""The folder that most agents read."""
# https://code.claude.com/docs/en/skills, https://developers.openai.com/codex/skills,
# https://cursor.com/docs/context/skills, https://docs.github.com/en/copilot/concepts/agents/about-agent-skills,
# https://geminicli.com/docs/cli/skills, https://opencode.ai/docs/skills, https://ampcode.com/manual#agent-skills,
# https://antigravity.google/docs/skills, https://kiro.dev/docs/skills
AGENTS = {
    "claude-code": ".claude/skills",
    "codex": ".agents/skills",
    "cursor": ".cursor/skills",
    "copilot": ".github/skills",
    "gemini": ".gemini/skills",
    "opencode": ".opencode/skills",
    "amp": ".agents/skills",
    "antigravity": ".agents/skills",
    "kiro": ".kiro/skills",
}
"""The folder of each agent, by its name on the command line."""
# The files and folders that only this agent reads.
_SIGNS = {
    ".claude": "claude-code",
    "CLAUDE.md": "claude-code",
    ".agents": "codex",
    ".codex": "codex",
    ".cursor": "cursor",
    ".github/copilot-instructions.md": "copilot",
    ".gemini": "gemini",
    "GEMINI.md": "gemini",
    ".opencode": "opencode",
    ".kiro": "kiro",
}


def skills_folder(root: str, agent: Optional[str]) -> str:
    """The folder of an agent or, without one, the first that the project in the folder `root` has."""
    if agent is not None:
        return AGENTS[agent]
    there = [folder for folder in AGENTS.values() if os.path.isdir(os.path.join(root, *folder.split("/")))]
    there += [AGENTS[agent] for sign, agent in _SIGNS.items() if os.path.exists(os.path.join(root, *sign.split("/")))]
    return there[0] if there else _SHARED
