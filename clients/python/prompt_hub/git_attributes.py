"""Plans the .gitattributes next to a lock, which prevents git from changing line endings of the lock and of vendored
files."""

from __future__ import annotations

import os
from typing import List, Optional, Sequence, Tuple

from .lock import attributes_line
from .trouble import PromptHubError
from .vendored import read_vendored

ATTRIBUTES = ".gitattributes"
"""The name of the file."""
_HEAD = "# Keeps git from changing line ends: prompts.lock knows the bytes of these files."


def plan_attributes(lock_path: str, targets: Sequence[Tuple[str, bool]]) -> Tuple[Optional[str], Optional[str]]:
    """Returns the file's new text, or None; and what the user must add to their own file, or None.

    `targets` are the paths of the prompts, relative to the lock's folder, and whether each is the folder of a skill.
    """
    needed = list(dict.fromkeys(attributes_line(*each) for each in ((os.path.basename(lock_path), False), *targets)))
    try:
        data = read_vendored(os.path.dirname(lock_path) or ".", ATTRIBUTES)
    except (PromptHubError, OSError):
        data = b""
    if data is None:
        return _text([_HEAD, *needed]), None
    lines = data.decode("utf-8", "replace").splitlines()
    missing = [line for line in needed if line not in lines]
    if not missing:
        return None, None
    if lines[:1] == [_HEAD]:
        return _text([*lines, *missing]), None
    quoted = " and ".join(f'"{line}"' for line in missing)
    return None, f"add to {ATTRIBUTES}, so that git does not change line endings: {quoted}"


def _text(lines: List[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
