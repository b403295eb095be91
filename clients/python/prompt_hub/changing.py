"""Changes a lock and its vendored files: all of them or none. Sends no request itself. docs/lock-file.md"""

from __future__ import annotations

import contextlib
import os
from typing import Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from .git_attributes import ATTRIBUTES, plan_attributes
from .lock import Lock, LockedPrompt, Place, format_lock, parse_lock
from .placed import find_difference, list_folder, read_lock_file
from .replacing import NewFiles, delete_file, delete_folder, replace_files, restore_folder, take_turn, uninterrupted
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
        before = places_in(lock)
        for _, place in before.values():
            if place.files:
                restore_folder(folder, place.path)
        unchanged = format_lock(lock)
        prompts = change(lock)
        text = format_lock(lock)
        parse_lock(text)
        files = [each.new for each in prompts]
        if not is_forced:
            require_unedited(folder, before, prompts, program)
        now = places_in(lock)
        added = [place for _, place in now.values() if place.path not in before]
        if added:
            attributes, advice = plan_attributes(path, [(each.path, bool(each.files)) for each in added])
            files += [] if attributes is None else [NewFiles(ATTRIBUTES, [("", attributes.encode("utf-8"))])]
        # Compared before anything changes: a link in a path is an error.
        gone = [(place, find_difference(folder, locked, place)) for locked, place in before.values() if place.path not in now]
        left = [place for place, difference in gone if difference is None or difference.kind == "missing"]
        for place in left:
            say(f"deletes {place.path}")
        for place, difference in gone:
            if difference is not None and place not in left:
                say(f"{difference.path} was changed by hand and stays")
        with uninterrupted():
            replace_files(path, files, turn, text, text != unchanged)
    if advice is not None:
        say(advice)
    for place in left:
        try:
            with uninterrupted():
                _delete(folder, place)
        except OSError as error:
            say(f"{place.path} cannot be deleted and stays: {error.strerror}")


def require_unedited(
    folder: str, before: Mapping[str, Tuple[LockedPrompt, Place]], prompts: Sequence[NewPrompt], program: str
) -> None:
    """Raises PromptHubError `integrity` if somebody has edited a file that would be replaced. `before` are the places in
    the lock."""
    for each in prompts:
        _require_unedited(folder, each, before.get(each.new.path), program)


def places_in(lock: Lock) -> Dict[str, Tuple[LockedPrompt, Place]]:
    """Each place in a lock, by its path."""
    return {place.path: (locked, place) for locked in lock.prompts.values() for place in locked.places}


def _require_unedited(folder: str, prompt: NewPrompt, before: Optional[Tuple[LockedPrompt, Place]], program: str) -> None:
    """Protects files that somebody has edited: a file may be replaced only if it is the locked one, the new one, or, for
    a prompt that is not a skill, some version of it."""
    new = prompt.new
    known: Dict[str, Set[str]] = {path: {digest_of(data)} for path, data in new.files}
    if before is not None:
        for path, sha256 in before[1].files or [("", before[0].sha256)]:
            known.setdefault(path, set()).add(sha256)
    for name in list_folder(folder, new.path) if new.is_folder else [""]:
        path = f"{new.path}/{name}" if name else name or new.path
        found = read_vendored(folder, path)
        if found is None or any(find_exact(found, each) is not None for each in known.get(name, ())):
            continue
        if new.is_folder or all(find_exact(found, each) is None for each in prompt.list_known()):
            advice = "" if before is None else f", or replace it: {program} install --force"
            message = f"{path} was changed by hand, or is another file; nothing was replaced. Move it away{advice}"
            raise PromptHubError("integrity", message)


def _delete(folder: str, old: Place) -> None:
    """Deletes a prompt's file or folder, and the folders below the lock's that become empty."""
    with contextlib.suppress(FileNotFoundError):
        (delete_folder if old.files else delete_file)(folder, old.path)
    parents = native(old.path).split("/")[:-1]
    with contextlib.suppress(OSError):  # Until one contains other files.
        while parents:
            os.rmdir(os.path.join(folder, *parents))
            parents.pop()
