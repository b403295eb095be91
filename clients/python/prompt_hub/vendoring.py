"""Changes a lock and its vendored files: fetches and verifies everything first, then writes all of it or
nothing."""

from __future__ import annotations

import hashlib
import os
import time
from typing import Callable, List, Optional, Sequence, Tuple

from .arguments import parse_arguments
from .files import Staged, find_exact, make_folders, put_all, read_vendored, remove_if_there, write_temporary
from .git_attributes import ATTRIBUTES, plan_attributes
from .hub import PromptHub, open_lock, read_lock_file
from .lock import Lock, LockedPrompt, details_of, format_lock, is_safe_path, parse_lock
from .trouble import PromptHubError

_MAX_WAIT = 5.0
Contents = List[Tuple[str, str, Optional[str]]]
"""Path, content and full name; None instead of the name for the lock's own files."""


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
    hub = PromptHub(url if before is None else before.hub)
    found = [_resolve(hub, name, path) for name in names]
    attributes, sentence = plan_attributes(lock_path, [locked.path for _, locked, _ in found])

    def change(lock: Lock) -> Contents:
        contents: Contents = []
        for name, locked, content in found:
            lock.prompts[name] = locked
            contents.append((locked.path, content, name))
        return contents if attributes is None else [*contents, (ATTRIBUTES, attributes, None)]

    change_lock(lock_path, hub, change)
    if sentence is not None:
        say(sentence)
    return [locked.version for _, locked, _ in found]


def _resolve(hub: PromptHub, written: str, path: Optional[str]) -> Tuple[str, LockedPrompt, str]:
    name, wish = parse_arguments(written, None, None, None)
    if wish is not None and wish[0] == "version":
        _require_active(hub, name, wish[1])
    prompt = hub.get(written)
    if prompt.version is None or prompt.sha256 is None:
        raise PromptHubError("unavailable", f"{name} has no version.")
    target = path or f"prompts/{name}.md"
    if not is_safe_path(target):
        raise PromptHubError("invalid_request", f"{target} leaves the folder or is not valid on every system.")
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
    yanked = next((row for row in rows if row.version == version and row.yanked), None)
    if yanked is None:
        return
    active = [row.version for row in rows if not row.yanked]
    there = f"it has: {', '.join(active[:10])}" if active else "it has none that is not yanked"
    reason = f": {yanked.yank_reason}" if yanked.yank_reason else ""
    raise PromptHubError("not_found", f"{name} {version} was yanked{reason}; {there}")


def install_lock(lock_path: str, is_forced: bool = False) -> int:
    """Writes the vendored files of a lock that are missing or differ, and returns how many; when the hub has different
    bytes, nothing is replaced. `is_forced` also replaces files that were changed by hand."""
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
        change_lock(lock_path, hub, lambda _: contents, is_forced)
    return len(contents)


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
        plain = (read_vendored(folder, locked.path) or b"").replace(b"\r\n", b"\n")
        if locked.sha256 in (_digest(plain), _digest(plain.replace(b"\n", b"\r\n"))):
            found.append(locked.path)
    return found


def change_lock(
    lock_path: str, hub: PromptHub, change: Callable[[Lock], Contents], is_forced: bool = False
) -> None:
    """Changes a lock and its files: all of them or none.

    `change` gets the current lock once no other run is active; it changes the lock, and returns the files to write.
    `is_forced` also replaces files that were changed by hand.
    """
    path = os.path.abspath(lock_path)
    folder = os.path.dirname(path)
    turn = path + ".new"
    _take_turn(turn)
    staged: List[Staged] = []
    made: List[str] = []
    try:
        lock = read_lock_file(path) or Lock(hub.url)
        known = {each.path: each.sha256 for each in lock.prompts.values()}
        unchanged = format_lock(lock)
        contents = change(lock)
        text = format_lock(lock)
        parse_lock(text)
        for target, content, name in contents:
            data = content.encode("utf-8")
            found = read_vendored(folder, target)
            if found is not None and name is not None and not is_forced:
                expected = (known.get(target, ""), _digest(data))
                if not any(find_exact(found, each) is not None for each in expected):
                    _require_version(found, target, name, hub)
            place = os.path.join(folder, *target.split("/"))
            make_folders(os.path.dirname(place), made)
            staged.append(Staged(place, write_temporary(place, data)))
            if found is not None:
                staged[-1].before = write_temporary(place, found)
        with open(turn, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        put_all(staged if text == unchanged else [*staged, Staged(path, turn)])
        remove_if_there(turn)
    except BaseException:
        for each in staged:
            remove_if_there(each.temporary)
        for made_folder in reversed(made):
            try:
                os.rmdir(made_folder)
            except OSError:
                pass  # No longer empty: someone put a file into it in the meantime.
        remove_if_there(turn)
        raise
    finally:
        for each in staged:
            if each.before is not None:
                remove_if_there(each.before)


def _take_turn(path: str) -> None:
    """Waits until no other run is active. The run that creates the file may proceed."""
    ends_at = time.monotonic() + _MAX_WAIT
    while True:
        try:
            with open(path, "x"):
                return
        except FileExistsError as error:
            if time.monotonic() > ends_at:
                message = f"{path} exists: another run is active. Delete it if none is."
                raise PromptHubError("invalid_request", message) from error
            time.sleep(0.05)


def _require_version(found: bytes, target: str, name: str, hub: PromptHub) -> None:
    """Protects hand-written files: a file may be replaced only if it is the locked content, the new one, or some
    version of that prompt."""
    digest = _digest(found)
    if not any(row.content_sha256 == digest for row in hub.list_versions(name)):
        advice = "Move it away, or replace it: prompt-hub install --force"
        raise PromptHubError("integrity", f"{target} was changed by hand; nothing was replaced. {advice}")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
