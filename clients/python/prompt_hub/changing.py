"""Changes a lock and its vendored files: all of them or none. Sends no request itself. docs/lock-file.md"""

from __future__ import annotations

import os
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from .lock import LOCK, MAX_LOCK_BYTES, Lock, LockedPrompt, format_lock, parse_lock
from .trouble import PromptHubError
from .vendored import delete_vendored, digest_of, find_exact, read_vendored, replace_files, take_turn


class NewFile(NamedTuple):
    """A file to write next to a lock."""

    path: str
    data: bytes
    list_known: Optional[Callable[[], Sequence[str]]]
    """Lists the digests of all versions of a prompt, any of which may be replaced; None for the lock's own files."""


def read_lock_file(path: str) -> Optional[Lock]:
    """Reads a lock that may not exist yet; None if it does not exist."""
    data = read_vendored(os.path.dirname(path) or ".", os.path.basename(path), MAX_LOCK_BYTES)
    if data is None:
        return None
    try:
        return parse_lock(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise PromptHubError("integrity", f"{LOCK} is not UTF-8. Restore it from git.") from error


def change_lock(
    lock_path: str, hub: str, change: Callable[[Lock], Sequence[NewFile]], is_forced: bool = False, program: str = "prompt-hub"
) -> None:
    """Changes a lock and its files: all of them or none.

    `hub` is the URL of a new lock. `change` gets the current lock once no other run is active; it changes the lock, and
    returns the files to write. `is_forced` also replaces files that were changed by hand. `program` is the command that
    the messages name.
    """
    path = os.path.abspath(lock_path)
    with take_turn(path) as turn:
        lock = read_lock_file(path) or Lock(hub, {})
        locked = {each.path: each.sha256 for each in lock.prompts.values()}
        unchanged = format_lock(lock)
        files = change(lock)
        text = format_lock(lock)
        parse_lock(text)
        for each in files:
            if each.list_known is not None and not is_forced:
                _require_unedited(os.path.dirname(path), each, locked.get(each.path), each.list_known, program)
        replace_files(path, [(each.path, each.data) for each in files], turn, text, text != unchanged)


def _require_unedited(
    folder: str, new: NewFile, locked: Optional[str], list_known: Callable[[], Sequence[str]], program: str
) -> None:
    """Protects files that somebody has edited: a file may be replaced only if it is the locked content, the new one, or
    some version of that prompt."""
    found = read_vendored(folder, new.path)
    if found is None:
        return
    expected = [digest_of(new.data), *([] if locked is None else [locked])]
    if any(find_exact(found, each) is not None for each in expected):
        return
    if all(find_exact(found, each) is None for each in list_known()):
        advice = "" if locked is None else f", or replace it: {program} install --force"
        message = f"{new.path} was changed by hand, or is another file; nothing was replaced. Move it away{advice}"
        raise PromptHubError("integrity", message)


def remove_prompts(
    lock_path: str, names: Sequence[str], say: Callable[[str], None] = lambda sentence: None
) -> List[Tuple[str, LockedPrompt]]:
    """Removes prompts from a lock, and deletes their files unless they were changed by hand. Returns the removed
    entries; `say` is called with instructions for the user."""
    removed: List[Tuple[str, LockedPrompt]] = []

    def change(lock: Lock) -> Sequence[NewFile]:
        for name in names:
            if name not in lock.prompts:
                raise PromptHubError("invalid_request", f"{name} is not in {LOCK}")
            removed.append((name, lock.prompts.pop(name)))
        return []

    change_lock(lock_path, "", change)
    folder = os.path.dirname(os.path.abspath(lock_path))
    for _, locked in removed:
        if not delete_vendored(folder, locked.path, locked.sha256):
            say(f"{locked.path} was changed by hand and stays")
    return removed
