"""Reads what is in a project: the lock, and the files of a locked prompt or skill, which are compared with it."""

from __future__ import annotations

import os
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .lock import LOCK, MAX_LOCK_BYTES, Lock, LockedPrompt, Place, mend_ends, parse_lock
from .skills import SKILL, find_content
from .trouble import PromptHubError
from .vendored import differs_in_ends, find_exact, native, open_folder, portable, read_vendored

_MAX_LISTED = 1_000
# Python and macOS write these next to files that are only used.
_GENERATED = ("__pycache__", ".DS_Store")


class Difference(NamedTuple):
    """How a project differs from its lock."""

    kind: str
    """`missing` if only files are missing, which installing restores; otherwise `changed`, or `extra` for a file that is
    not in the lock."""
    path: str
    """The path of the first such file."""
    is_in_ends: bool = False
    """Whether the file differs only in line endings, which git changes with core.autocrlf."""


def read_lock_file(path: str) -> Optional[Lock]:
    """Reads a lock that may not exist yet; None if it does not exist."""
    data = read_vendored(os.path.dirname(path) or ".", os.path.basename(path), MAX_LOCK_BYTES)
    if data is None:
        return None
    try:
        return parse_lock(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise PromptHubError("integrity", f"{LOCK} is not UTF-8. Restore it from git.") from error


def open_lock(path: str = "prompts.lock") -> Lock:
    """Reads a lock; raises PromptHubError `invalid_request` when it does not exist, `integrity` when it is not what a
    client would write."""
    lock = read_lock_file(path)
    if lock is None:
        raise PromptHubError("invalid_request", f"No lock at {path}. Create one: hubcli add owner/name")
    return lock


def find_differences(folder: str, locked: LockedPrompt) -> List[Tuple[Place, Difference]]:
    """The places of a prompt whose files differ from the lock in this folder."""
    found = ((place, find_difference(folder, locked, place)) for place in locked.places)
    return [(place, difference) for place, difference in found if difference is not None]


def find_difference(folder: str, locked: LockedPrompt, place: Place) -> Optional[Difference]:
    """How the files at a place of a prompt differ from the lock in this folder; None if they do not. Raises PromptHubError
    `integrity` for symbolic links."""
    missing: Optional[Difference] = None
    wanted = _digests_of(locked, place)
    for path, sha256 in wanted.items():
        data = read_vendored(folder, path)
        if data is None:
            missing = missing or Difference("missing", path)
        elif find_exact(data, sha256) is None:
            return Difference("changed", path, differs_in_ends(data, sha256))
    for name in list_folder(folder, place.path) if place.files else ():
        if f"{place.path}/{name}" not in wanted:
            return Difference("extra", f"{place.path}/{name}")
    return missing


def say_difference(place: Place, difference: Difference, program: str) -> str:
    """Says how a project differs from its lock, and what to do. `program` is the command to name."""
    kind, path, is_in_ends = difference
    if kind == "missing":
        return f"{path} is not there; {program} install restores it"
    if kind == "extra":
        return f"{path} is not in {LOCK}; move it away, or delete it: {program} install --force"
    if is_in_ends:
        advice = mend_ends(path, place.path if place.files else None)
        return f"{path} is not what {LOCK} says only in its line endings: git changed them, as with core.autocrlf. {advice}"
    return f"{path} is not what {LOCK} says; {program} install --force restores it"


def _digests_of(locked: LockedPrompt, place: Place) -> Dict[str, str]:
    """The digest of each file at a place of a locked prompt, by its path in the project."""
    if not place.files:
        return {place.path: locked.sha256}
    return {f"{place.path}/{each.path}": each.sha256 for each in place.files}


def read_content(folder: str, locked: LockedPrompt, program: str = "prompt-hub") -> Optional[bytes]:
    """The content of a prompt in the project, from the first place that exists, verified; None if none exists. Raises
    PromptHubError `integrity` if it was changed; `program` is the command to name."""
    for place in locked.places:
        path = f"{place.path}/{SKILL}" if place.files else place.path
        exact = _read_exact(folder, locked, place, path, program)
        if exact is None:
            continue
        content = find_content(exact, locked.sha256) if place.files else exact
        if content is None:
            raise PromptHubError("integrity", say_difference(place, Difference("changed", path), program))
        return content
    return None


def read_file(folder: str, locked: LockedPrompt, path: str) -> Optional[bytes]:
    """A file of a skill in the project, from the first place that has it, verified; None if it does not exist. Raises
    PromptHubError `integrity` if it was changed."""
    places = [place for place in locked.places if place.files]
    found = (_read_exact(folder, locked, place, f"{place.path}/{path}", "prompt-hub") for place in places)
    return next((data for data in found if data is not None), None)


def _read_exact(folder: str, locked: LockedPrompt, place: Place, path: str, program: str) -> Optional[bytes]:
    data, sha256 = read_vendored(folder, path), _digests_of(locked, place)[path]
    exact = None if data is None else find_exact(data, sha256)
    if data is not None and exact is None:
        difference = Difference("changed", path, differs_in_ends(data, sha256))
        raise PromptHubError("integrity", say_difference(place, difference, program))
    return exact


def list_folder(root: str, path: str) -> Sequence[str]:
    """The paths of everything in a folder that is not itself a folder, relative to it; those of links too. Without what
    Python and macOS generate."""
    with open_folder(root, path) as parent:
        place = os.path.join(root, *native(path).split("/"))
        if parent is None or not os.path.lexists(place):
            return []
    if os.path.islink(place) or not os.path.isdir(place):
        raise PromptHubError("integrity", f"{path} is not a folder, or is a symbolic link; move it away")
    found: List[str] = []
    for name in map(portable, _walk(place, "")):
        if len(found) == _MAX_LISTED:
            raise PromptHubError("integrity", f"{path} has more than {_MAX_LISTED} files; move it away")
        found.append(name)
    return found


def _walk(place: str, before: str) -> Iterator[str]:
    with os.scandir(place) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name in _GENERATED:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{before}{entry.name}/")
            else:
                yield f"{before}{entry.name}"
