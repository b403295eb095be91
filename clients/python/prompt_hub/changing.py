"""Changes a lock and its vendored files: all of them or none. Sends no request itself. docs/lock-file.md"""

from __future__ import annotations

import contextlib
import os
from typing import Callable, Dict, NamedTuple, Optional, Sequence, Set

from .git_attributes import ATTRIBUTES, plan_attributes
from .lock import Lock, LockedPrompt, format_lock, parse_lock
from .placed import find_difference, list_folder, read_lock_file
from .replacing import NewFiles, delete_file, delete_folder, replace_files, restore_folder, take_turn
from .trouble import PromptHubError
from .vendored import digest_of, find_exact, native, read_vendored


class NewPrompt(NamedTuple):
    """The files of a prompt to write next to a lock."""

    new: NewFiles
    list_known: Callable[[], Sequence[str]]
    """Lists the digests of all versions of the prompt. A file that is one of them was not edited."""


def change_lock(
    lock_path: str,
    hub: str,
    change: Callable[[Lock], Sequence[NewPrompt]],
    say: Callable[[str], None] = lambda sentence: None,
    is_forced: bool = False,
    program: str = "prompt-hub",
) -> None:
    """Changes a lock and its files: all of them or none.

    `hub` is the URL of a new lock. `change` gets the current lock once no other run is active; it changes the lock, and
    returns the files to write. `say` is called with instructions for the user. `is_forced` also replaces files that were
    changed by hand. `program` is the command that the messages name.
    """
    path = os.path.abspath(lock_path)
    folder = os.path.dirname(path)
    advice: Optional[str] = None
    with take_turn(path) as turn:
        lock = read_lock_file(path) or Lock(hub, {})
        before = dict(lock.prompts)
        for there in before.values():
            if there.files:
                restore_folder(folder, there.path)
        unchanged = format_lock(lock)
        prompts = change(lock)
        text = format_lock(lock)
        parse_lock(text)
        files = [each.new for each in prompts]
        for each in prompts:
            if not is_forced:
                locked = next((old for old in before.values() if old.path == each.new.path), None)
                _require_unedited(folder, each, locked, program)
        added = [(name, each) for name, each in lock.prompts.items() if name not in before or before[name].path != each.path]
        if added:
            attributes, advice = plan_attributes(path, [(each.path, bool(each.files)) for _, each in added])
            files += [] if attributes is None else [NewFiles(ATTRIBUTES, [("", attributes.encode("utf-8"))])]
        # Compared before anything changes: a link in a path is an error.
        left = [(name, old, find_difference(folder, old)) for name, old in before.items() if not _is_placed(lock, name, old.path)]
        replace_files(path, files, turn, text, text != unchanged)
    if advice is not None:
        say(advice)
    for name, old, difference in left:
        if name in lock.prompts and _is_same(folder, old.path, lock.prompts[name].path):
            continue
        if difference is not None and difference.kind != "missing":
            say(f"{difference.path} was changed by hand and stays")
            continue
        try:
            _delete(folder, old)
        except OSError as error:
            say(f"{old.path} cannot be deleted and stays: {error.strerror}")


def _is_same(folder: str, path: str, other: str) -> bool:
    """Whether two paths lead to the same file, as those that differ only in case do on macOS and Windows."""
    places = [os.path.join(folder, native(each)) for each in (path, other)]
    return all(map(os.path.exists, places)) and os.path.samefile(*places)


def _is_placed(lock: Lock, name: str, path: str) -> bool:
    now = lock.prompts.get(name)
    return now is not None and now.path == path


def _require_unedited(folder: str, prompt: NewPrompt, locked: Optional[LockedPrompt], program: str) -> None:
    """Protects files that somebody has edited: a file may be replaced only if it is the locked one, the new one, or, for
    a prompt that is not a skill, some version of it."""
    new = prompt.new
    known: Dict[str, Set[str]] = {path: {digest_of(data)} for path, data in new.files}
    for path, sha256 in () if locked is None else locked.files or [("", locked.sha256)]:
        known.setdefault(path, set()).add(sha256)
    for name in list_folder(folder, new.path) if new.is_folder else [""]:
        path = f"{new.path}/{name}" if name else name or new.path
        found = read_vendored(folder, path)
        if found is None or any(find_exact(found, each) is not None for each in known.get(name, ())):
            continue
        if new.is_folder or all(find_exact(found, each) is None for each in prompt.list_known()):
            advice = "" if locked is None else f", or replace it: {program} install --force"
            message = f"{path} was changed by hand, or is another file; nothing was replaced. Move it away{advice}"
            raise PromptHubError("integrity", message)


def _delete(folder: str, old: LockedPrompt) -> None:
    """Deletes a prompt's file or folder, and the folders below the lock's that become empty."""
    with contextlib.suppress(FileNotFoundError):
        (delete_folder if old.files else delete_file)(folder, old.path)
    parents = native(old.path).split("/")[:-1]
    with contextlib.suppress(OSError):  # Until one contains other files.
        while parents:
            os.rmdir(os.path.join(folder, *parents))
            parents.pop()
