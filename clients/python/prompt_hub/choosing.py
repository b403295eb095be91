"""Chooses where prompts are added to a project: what is there stays, and a place is added. docs/lock-file.md"""

from __future__ import annotations

from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence

from .agents import skills_folder
from .lock import MAX_PLACES, LockedPrompt, refuse_path
from .skills import SKILL, find_clash
from .trouble import PromptHubError
from .vendored import read_vendored

# The longest name of a skill.
_MAX_NAME = 64


class Addition(NamedTuple):
    """A prompt to add."""

    name: str
    range: str = ""
    """The range or label; empty for the latest version."""
    path: Optional[str] = None
    """The path of its content, or of the folder of a skill. Where the prompt is already, it also stays."""
    is_skill: bool = False
    """Whether to add it as an Agent Skill, with all its files."""
    agent: Optional[str] = None
    """The agent in whose folder to install the skill; default: where a skill is already, or what the project has."""
    keeps_permissions: bool = False
    """Whether to write the tools that the skill asks to use without a question into its SKILL.md, also of later versions."""


class Where(NamedTuple):
    """Where to write a prompt."""

    path: str
    is_skill: bool
    """Whether it is the folder of a skill."""


def choose_places(
    root: str, prompts: Mapping[str, LockedPrompt], additions: Sequence[Addition], program: str
) -> Mapping[str, Sequence[Where]]:
    """The places of each prompt to add, by its name. Checks the paths before any request, and raises PromptHubError
    `invalid_request` for one that is not valid or belongs to another prompt. `root` is the lock's folder; `program` is the
    command that the messages name."""
    places: Dict[str, List[Where]] = {name: places_of(locked) for name, locked in prompts.items()}
    for each in additions:
        own = places.setdefault(each.name, [])
        others = {where.path: name for name, there in places.items() if name != each.name for where in there}
        new = _choose_new(each, own, skills_folder(root, each.agent), list(others))
        if new is None or new in own:
            continue
        refused = refuse_path(new.path)
        if refused is not None:
            raise PromptHubError("invalid_request", f"-o: {new.path} {refused}")
        taken = next((there for there in (*others, *dict(own)) if find_clash([there, new.path]) is not None), None)
        if taken is not None:
            by = f"{others.get(taken, each.name)} is at {taken}"
            raise PromptHubError("invalid_request", f"-o: {new.path} would be at the same path or inside it: {by}; choose another")
        read_vendored(root, f"{new.path}/{SKILL}" if new.is_skill else new.path)
        own.append(new)
        if len(own) > MAX_PLACES:
            advice = f"remove one: {program} remove {each.name} -o {own[0].path}"
            raise PromptHubError("invalid_request", f"{each.name} is at {MAX_PLACES} places already; {advice}")
    return places


def places_of(locked: LockedPrompt) -> List[Where]:
    """The places of a locked prompt."""
    return [Where(place.path, bool(place.files)) for place in locked.places]


def _choose_new(addition: Addition, own: Sequence[Where], folder: str, others: Sequence[str]) -> Optional[Where]:
    """Where to add a prompt; None if it stays where it is. `folder` is that of the agent, and `others` are the paths of
    other prompts."""
    path, is_skill = addition.path, addition.is_skill or addition.agent is not None
    names = skill_names(addition.name)
    if path is not None:
        path = path.rstrip("/") if is_skill else path
        if not is_skill and path in dict(own):
            return None
        if is_skill and path.split("/")[-1] not in names:
            advice = f"expected a folder of the skill's name, such as {folder}/{names[0]}"
            raise PromptHubError("invalid_request", f"-o: {advice}, got {addition.path}")
        return Where(path, is_skill)
    if not is_skill:
        return None if own else Where(f"prompts/{addition.name}.md", False)
    if addition.agent is None and any(there.is_skill for there in own):
        return None
    wanted = [Where(f"{folder}/{name}", True) for name in names]
    there = next((each for each in wanted if each in own), None)
    free = next((each for each in wanted if find_clash([*others, each.path]) is None), None)
    if there is None and free is None:
        raise PromptHubError("invalid_request", f"{folder} has other skills named {' and '.join(names)}; name a folder with -o")
    return there or free


def skill_names(name: str) -> Sequence[str]:
    """The names under which a skill can be installed. The second is that of the hub's index for a name that is taken."""
    owner, _, slug = name.partition("/")
    second = f"{slug}-by-{owner}"
    return [slug, second] if len(second) <= _MAX_NAME else [slug]
