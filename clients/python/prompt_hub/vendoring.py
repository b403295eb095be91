"""Adds prompts to a lock, and installs them: fetches and verifies everything first, then writes all of it or nothing."""

from __future__ import annotations

import os
from typing import Callable, List, Optional, Sequence, Tuple

from .arguments import parse_arguments
from .changing import NewPrompt, change_lock
from .hub import PromptHub, open_lock
from .lock import LOCK, Lock, LockedPrompt, details_of, keepable_publisher, refuse_path
from .placed import find_difference, read_lock_file
from .prompt import Prompt
from .publisher import refuse_unattested
from .read_token import token_for_locked
from .replacing import NewFiles
from .review import explain_none
from .skill_reader import SkillReader
from .trouble import PromptHubError


def add_to_lock(
    lock_path: str,
    names: Sequence[str],
    path: Optional[str] = None,
    url: Optional[str] = None,
    say: Callable[[str], None] = lambda sentence: None,
) -> List[str]:
    """Adds prompts to a lock, or changes their ranges, and writes their contents: all of them or none. Returns the
    chosen versions, in the same order.

    `path` is that of the content, if one prompt is added. `say` is called with instructions for the user.
    """
    full_names = [parse_arguments(name, None, None, None)[0] for name in names]
    if path is not None and len(names) > 1:
        raise PromptHubError("invalid_request", "-o: expected one prompt, because each needs a path of its own")
    twice = next((name for at, name in enumerate(full_names) if name in full_names[:at]), None)
    if twice is not None:
        raise PromptHubError("invalid_request", f"{twice} is given twice")
    before = read_lock_file(lock_path)
    hub = PromptHub(url) if before is None else PromptHub(before.hub, token=token_for_locked(before.hub))
    there = {} if before is None else before.prompts
    found = [_resolve(hub, written, path, there.get(name)) for written, name in zip(names, full_names)]

    def change(lock: Lock) -> Sequence[NewPrompt]:
        lock.prompts.update(zip(full_names, (locked for locked, _ in found)))
        return [new for _, new in found]

    change_lock(lock_path, hub.url, change, say)
    return [locked.version for locked, _ in found]


def _resolve(
    hub: PromptHub, written: str, path: Optional[str], locked: Optional[LockedPrompt]
) -> Tuple[LockedPrompt, NewPrompt]:
    """`locked` is the present entry; a skill stays one, unless there is another path."""
    name, wish = parse_arguments(written, None, None, None)
    if wish is not None and wish[0] == "version":
        _require_active(hub, name, wish[1])
    is_skill = path is None and locked is not None and bool(locked.files)
    target = path or (locked.path if locked is not None and is_skill else f"prompts/{name}.md")
    refused = refuse_path(target)
    if refused is not None:
        raise PromptHubError("invalid_request", f"{target} {refused}")
    prompt = hub.get(written)
    return fetch_prompt(hub, prompt, f"^{prompt.version}" if wish is None else wish[1], target, is_skill)


def fetch_prompt(hub: PromptHub, prompt: Prompt, range_: str, path: str, is_skill: bool) -> Tuple[LockedPrompt, NewPrompt]:
    """The lock entry of a prompt and its files; of a skill, all files are fetched."""
    details = details_of(prompt.variables, dict(prompt.parameters))
    if details is None or prompt.version is None or prompt.sha256 is None:
        what = f"{prompt.name}@{prompt.version}"
        raise PromptHubError("unavailable", f"{what}: its variables or parameters are invalid in a lock.")
    files = SkillReader(hub.url, hub.requests).read_skill(prompt) if is_skill else []
    digests = tuple(file for file, _ in files)
    publisher = keepable_publisher(prompt.publisher)
    locked = LockedPrompt(range_, prompt.version, prompt.sha256, path, details, digests, publisher)
    data = [(file.path, data) for file, data in files] or [("", prompt.content.encode("utf-8"))]
    return locked, NewPrompt(
        NewFiles(path, data), lambda: [row.content_sha256 for row in hub.list_versions(prompt.name)]
    )


def _require_active(hub: PromptHub, name: str, version: str) -> None:
    """Raises PromptHubError `not_found` with the reason when a version was yanked: it can be read, but not newly
    installed."""
    rows = hub.list_versions(name)
    if any(row.version == version and row.yanked for row in rows):
        raise PromptHubError("not_found", explain_none(name, version, {}, rows))


def install_lock(lock_path: str, is_forced: bool = False, require_attestation: bool = False) -> int:
    """Writes the vendored files of a lock that are missing or differ, and returns for how many prompts; when the hub has
    different bytes, nothing is replaced. `is_forced` also replaces files that were changed by hand.
    `require_attestation` refuses a lock in which a version has no attestation."""
    lock = open_lock(lock_path)
    for name, locked in lock.prompts.items():
        refused = refuse_unattested(f"{name} {locked.version}", locked.publisher) if require_attestation else None
        if refused is not None:
            raise PromptHubError("integrity", f"{refused}; nothing was changed")
    hub = PromptHub(lock.hub, token=token_for_locked(lock.hub))
    found: List[NewPrompt] = []
    folder = os.path.dirname(os.path.abspath(lock_path))
    for name, locked in lock.prompts.items():
        if find_difference(folder, locked) is None:
            continue
        prompt = hub.get(name, version=locked.version)
        now, new = fetch_prompt(hub, prompt, locked.range, locked.path, bool(locked.files))
        if (now.sha256, sorted(now.files), now.publisher) != (locked.sha256, sorted(locked.files), locked.publisher):
            what = f"{name}@{locked.version}"
            raise PromptHubError("integrity", f"{what}: the hub has other bytes than {LOCK}, or another publisher. Nothing was replaced.")
        found.append(new)
    if found:
        change_lock(lock_path, hub.url, lambda _: found, is_forced=is_forced)
    return len(found)
