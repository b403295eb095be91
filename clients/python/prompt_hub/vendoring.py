"""Adds prompts to a lock, and installs them: fetches and verifies everything first, then writes all of it or nothing."""

from __future__ import annotations

import os
from typing import Callable, List, Optional, Sequence, Tuple

from .arguments import parse_arguments
from .changing import NewFile, change_lock, read_lock_file
from .git_attributes import ATTRIBUTES, plan_attributes
from .hub import PromptHub, open_lock
from .lock import Lock, LockedPrompt, details_of, refuse_path
from .read_token import token_for_locked
from .review import explain_none
from .trouble import PromptHubError
from .vendored import differs_in_ends, find_exact, read_vendored


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
    found = [_resolve(hub, name, path) for name in names]
    sentence: Optional[str] = None

    def change(lock: Lock) -> Sequence[NewFile]:
        nonlocal sentence
        lock.prompts.update({name: locked for name, locked, _ in found})
        files = [new_file(hub, locked.path, name, content) for name, locked, content in found]
        attributes, sentence = plan_attributes(lock_path, [locked.path for _, locked, _ in found])
        return files if attributes is None else [*files, NewFile(ATTRIBUTES, attributes.encode("utf-8"), None)]

    change_lock(lock_path, hub.url, change)
    if sentence is not None:
        say(sentence)
    return [locked.version for _, locked, _ in found]


def new_file(hub: PromptHub, path: str, name: str, content: str) -> NewFile:
    """The file of a prompt; it may replace any of its versions."""
    return NewFile(path, content.encode("utf-8"), lambda: [row.content_sha256 for row in hub.list_versions(name)])


def _resolve(hub: PromptHub, written: str, path: Optional[str]) -> Tuple[str, LockedPrompt, str]:
    name, wish = parse_arguments(written, None, None, None)
    if wish is not None and wish[0] == "version":
        _require_active(hub, name, wish[1])
    prompt = hub.get(written)
    if prompt.version is None or prompt.sha256 is None:
        raise PromptHubError("unavailable", f"{name} has no version.")
    target = path or f"prompts/{name}.md"
    refused = refuse_path(target)
    if refused is not None:
        raise PromptHubError("invalid_request", f"{target} {refused}")
    details = details_of(prompt.variables, prompt.parameters)
    if details is None:
        what = f"{name}@{prompt.version}"
        raise PromptHubError("unavailable", f"{what}: its variables or parameters are invalid in a lock.")
    range_ = f"^{prompt.version}" if wish is None else wish[1]
    return name, LockedPrompt(range_, prompt.version, prompt.sha256, target, details), prompt.content


def _require_active(hub: PromptHub, name: str, version: str) -> None:
    """Raises PromptHubError `not_found` with the reason when a version was yanked: it can be read, but not newly
    installed."""
    rows = hub.list_versions(name)
    if any(row.version == version and row.yanked for row in rows):
        raise PromptHubError("not_found", explain_none(name, version, {}, rows))


def install_lock(lock_path: str, is_forced: bool = False) -> int:
    """Writes the vendored files of a lock that are missing or differ, and returns how many; when the hub has different
    bytes, nothing is replaced. `is_forced` also replaces files that were changed by hand."""
    lock = open_lock(lock_path)
    hub = PromptHub(lock.hub, token=token_for_locked(lock.hub))
    files: List[NewFile] = []
    for name in find_changed(lock_path, lock):
        locked = lock.prompts[name]
        prompt = hub.get(name, version=locked.version)
        if prompt.sha256 != locked.sha256:
            what = f"{name}@{locked.version}"
            raise PromptHubError("integrity", f"{what}: the hub has other bytes than prompts.lock. Nothing was replaced.")
        files.append(new_file(hub, locked.path, name, prompt.content))
    if files:
        change_lock(lock_path, hub.url, lambda _: files, is_forced)
    return len(files)


def find_changed(lock_path: str, lock: Lock) -> List[str]:
    """The prompts of a lock whose vendored file is missing or differs. Sends no request."""
    folder = os.path.dirname(os.path.abspath(lock_path))
    changed: List[str] = []
    for name, locked in lock.prompts.items():
        data = read_vendored(folder, locked.path)
        if data is None or find_exact(data, locked.sha256) is None:
            changed.append(name)
    return changed


def find_changed_ends(lock_path: str, lock: Lock, changed: List[str]) -> List[str]:
    """The paths of files that differ only in line endings, which git changes with core.autocrlf."""
    folder = os.path.dirname(os.path.abspath(lock_path))
    found: List[str] = []
    for name in changed:
        locked = lock.prompts[name]
        if differs_in_ends(read_vendored(folder, locked.path) or b"", locked.sha256):
            found.append(locked.path)
    return found
