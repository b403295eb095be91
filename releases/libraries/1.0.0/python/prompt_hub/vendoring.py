"""Owns changing a lock and the vendored files that it names: everything is fetched and checked first, then all of it appears or none."""

from __future__ import annotations

import hashlib
import os
import time
from typing import Callable, List, Optional, Tuple

from .files import Staged, make_folders, put_all, read_if_there, read_vendored, remove_if_there, require_no_link, write_temporary
from .hub import PromptHub, open_lock
from .lock import Lock, LockedPrompt, format_lock, is_safe_path, parse_lock
from .trouble import PromptHubError

_PATIENCE = 5.0
Contents = List[Tuple[str, str, str]]
"""Path, content and full name."""


def add_to_lock(lock_path: str, name: str, path: Optional[str] = None, url: Optional[str] = None) -> str:
    """Adds a prompt to a lock, or gives it another range, and writes its content; answers the version that was chosen."""
    full_name, _, given = name.partition("@")
    before = read_if_there(lock_path)
    hub = PromptHub(url if before is None else open_lock(lock_path).hub)
    prompt = hub.get(name)
    if prompt.version is None or prompt.sha256 is None:
        raise PromptHubError("unavailable", f"{name} has no version.")
    target = path or f"prompts/{full_name}.md"
    if not is_safe_path(target):
        raise PromptHubError("invalid_request", f"{target} leaves the folder or cannot be kept everywhere.")
    locked = LockedPrompt(given or f"^{prompt.version}", prompt.version, prompt.sha256, target)

    def change(lock: Lock) -> Contents:
        lock.prompts[full_name] = locked
        return [(target, prompt.content, full_name)]

    _change_lock(lock_path, hub, change)
    return prompt.version


def install_lock(lock_path: str) -> int:
    """Writes exactly what a lock says and answers how many files; when the hub has other bytes, nothing is replaced."""
    lock = open_lock(lock_path)
    hub = PromptHub(lock.hub)
    contents: Contents = []
    for name in find_changed(lock_path, lock):
        locked = lock.prompts[name]
        prompt = hub.get(name, version=locked.version)
        if prompt.sha256 != locked.sha256:
            what = f"{name}@{locked.version}"
            raise PromptHubError("integrity", f"{what}: the hub has other bytes than prompts.lock. Nothing was replaced.")
        contents.append((locked.path, prompt.content, name))
    if contents:
        _change_lock(lock_path, hub, lambda _: contents)
    return len(contents)


def find_changed(lock_path: str, lock: Lock) -> List[str]:
    """The prompts of a lock whose vendored file is missing or has other bytes. Asks nobody."""
    folder = os.path.dirname(os.path.abspath(lock_path))
    changed: List[str] = []
    for name, locked in lock.prompts.items():
        data = read_vendored(folder, locked.path)
        if data is None or _digest(data) != locked.sha256:
            changed.append(name)
    return changed


def _change_lock(lock_path: str, hub: PromptHub, change: Callable[[Lock], Contents]) -> None:
    path = os.path.abspath(lock_path)
    folder = os.path.dirname(path)
    turn = path + ".new"
    _take_turn(turn)
    staged: List[Staged] = []
    made: List[str] = []
    try:
        lock = Lock(hub.url) if read_if_there(path) is None else open_lock(path)
        known = {each.path: each.sha256 for each in lock.prompts.values()}
        contents = change(lock)
        text = format_lock(lock)
        parse_lock(text)
        for target, content, name in contents:
            data = content.encode("utf-8")
            _require_ours(folder, target, data, name, known.get(target), hub)
            place = os.path.join(folder, *target.split("/"))
            make_folders(os.path.dirname(place), made)
            before = read_vendored(folder, target)
            staged.append(Staged(place, write_temporary(place, data)))
            if before is not None:
                staged[-1].before = write_temporary(place, before)
        with open(turn, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        put_all([*staged, Staged(path, turn)])
    except BaseException:
        for each in staged:
            remove_if_there(each.temporary)
        for made_folder in reversed(made):
            try:
                os.rmdir(made_folder)
            except OSError:
                pass  # Somebody put something into it meanwhile.
        remove_if_there(turn)
        raise
    finally:
        for each in staged:
            if each.before is not None:
                remove_if_there(each.before)


def _take_turn(path: str) -> None:
    """One run at a time: whoever makes the file has the turn."""
    ends_at = time.monotonic() + _PATIENCE
    while True:
        try:
            with open(path, "x"):
                return
        except FileExistsError as error:
            if time.monotonic() > ends_at:
                message = f"{path} is there: another run is at work. Delete it if none is."
                raise PromptHubError("invalid_request", message) from error
            time.sleep(0.05)


def _require_ours(folder: str, target: str, data: bytes, name: str, known: Optional[str], hub: PromptHub) -> None:
    """A file that somebody wrote by hand is never replaced: it must hold what the lock names, what is to be written, or a version of that prompt."""
    require_no_link(folder, target)
    found = read_vendored(folder, target)
    if found is None:
        return
    digest = _digest(found)
    if digest in (known, _digest(data)) or any(row.content_sha256 == digest for row in hub.list_versions(name)):
        return
    raise PromptHubError("integrity", f"{target} was changed by hand. Move it away, then try again; nothing was replaced.")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
