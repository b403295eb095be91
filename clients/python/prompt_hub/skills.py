"""The files of an Agent Skill: their paths, and the content in a SKILL.md. docs/contract.md"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .variable import as_dict, as_list, as_text

SKILL = "SKILL.md"
"""The file that every skill has."""
_MAX_FILES = 501
_MAX_PATH_BYTES = 900
_PART = "[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"
_PATH = re.compile(f"{_PART}(?:/{_PART}){{0,7}}")
# Windows: https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9\u00b9\u00b2\u00b3]) *(?:\..*)?", re.ASCII | re.IGNORECASE)
_FORBIDDEN = re.compile('[\\\\:<>"|?*\x00-\x1f\x7f-\x9f]')
# HFS+ ignores these in names, as git does when it looks for .git (core.protectHFS).
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_NAME = re.compile(b"---\nname: [^\n]*\n")
_INPUTS = b"\n\n## Inputs\n\n"
# Printable ASCII, which every YAML parser reads as it is written.
_TOOL = re.compile("[!-~](?:[ -~]{0,198}[!-~])?")
_MAX_TOOLS = 64


class SkillFile(NamedTuple):
    """A file of a skill."""

    path: str
    """Relative to the folder that contains SKILL.md."""
    sha256: str
    """The SHA-256 of its bytes, in hex."""


def refuse_part(part: str) -> Optional[str]:
    """Why the name of a file or folder is not valid on every system, or could be git's own there; None if it is fine."""
    # GIT~1 is the short name of .git on Windows.
    if _IGNORED.sub("", part).lower() in ("", ".", "..", ".git", "git~1"):
        return "leaves the folder or has a part that is . or .git"
    if _FORBIDDEN.search(part):
        return 'contains a backslash, a colon, a control character or one of <>"|?*, so it is not valid on every system'
    if part.endswith((".", " ")) or _DEVICE.fullmatch(part):
        return f"is not valid on every system: {part[:60]!r} is reserved on Windows or ends with a dot or a space"
    return None


def refuse_files(paths: Sequence[str]) -> Optional[str]:
    """Why the files of a skill cannot be installed on every system, or None."""
    if len(paths) > _MAX_FILES:
        return f"has more than {_MAX_FILES} files"
    for path in paths:
        is_skill = path == SKILL or path.split("/")[-1].lower() != SKILL.lower()
        if not _PATH.fullmatch(path) or any(map(refuse_part, path.split("/"))) or not is_skill or len(path) > _MAX_PATH_BYTES:
            return f"has a file that is not valid on every system: {path[:200]!r}"
    clash = find_clash(paths)
    return None if clash is None else f"has two files at {clash}, or one inside the other"


def find_clash(paths: Iterable[str]) -> Optional[str]:
    """A path that equals another, or is inside it; None if there is none. Ignores case and how accents are encoded, as
    macOS does."""
    # With a slash at the end, a path and everything inside it are neighbours in the sorted list.
    folders = sorted(unicodedata.normalize("NFC", path.lower()) + "/" for path in paths)
    return next((inner[:-1] for outer, inner in zip(folders, folders[1:]) if inner.startswith(outer)), None)


def find_content(skill: bytes, sha256: str) -> Optional[bytes]:
    """The content in a SKILL.md: what follows the front matter, without the list of inputs. None if it does not have
    the digest."""
    end = skill.find(b"\n---\n", 3)
    if not skill.startswith(b"---\n") or end < 0:
        return None
    rest = skill[end + 5 :]
    at = rest.rfind(_INPUTS)
    found = (each for each in (rest, rest[: max(at, 0)]) if hashlib.sha256(each).hexdigest() == sha256)
    return next(found, None)


def rename_skill(skill: bytes, name: str) -> Optional[bytes]:
    """A SKILL.md with another name, for a folder of that name; None if it does not begin with one."""
    found = _NAME.match(skill)
    return b'---\nname: "%s"\n' % name.encode() + skill[found.end() :] if found else None


def grant_tools(skill: bytes, tools: Sequence[str]) -> Optional[bytes]:
    """A SKILL.md with `allowed-tools` at the end of its front matter; None if it has no front matter, or if a tool is not
    valid."""
    end = skill.find(b"\n---\n", 3)
    if not skill.startswith(b"---\n") or end < 0 or len(tools) > _MAX_TOOLS or not all(map(_TOOL.fullmatch, tools)):
        return None
    return skill[:end] + b"\nallowed-tools: " + json.dumps(" ".join(tools)).encode() + skill[end:]


def read_tools(skill: Any) -> Tuple[str, ...]:
    """Parses the tools for which a skill asks in a hub's response; raises TypeError when they are invalid."""
    return () if skill is None else tuple(as_text(each) for each in as_list(as_dict(skill).get("allowed_tools", [])))


def read_files(values: Sequence[Any]) -> List[SkillFile]:
    """Parses the files in a hub's response; raises KeyError or TypeError when they are invalid."""
    files = [SkillFile(as_text(as_dict(value)["path"]), as_text(as_dict(value)["sha256"])) for value in values]
    if not all(re.fullmatch("[0-9a-f]{64}", each.sha256) for each in files):
        raise TypeError("no digest")
    if refuse_files([SKILL, *(each.path for each in files)]) is not None:
        raise TypeError("no files of a skill")
    return files
