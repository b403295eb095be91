"""Compares a lock with the hub, updates it, and removes prompts from it. docs/lock-file.md"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Callable, List, Optional, Sequence, Tuple

from .cache import CacheSettings
from .files import find_exact, read_vendored
from .hub import PromptHub, open_lock
from .hub_reader import HubReader, active_of
from .lock import Lock, LockedPrompt, details_of
from .ranges import highest_in, is_range
from .records import RepositoryRecord, VersionRow
from .requests import RequestSettings
from .trouble import PromptHubError
from .vendoring import Contents, change_lock

_AUDITED = ("gone", "other_bytes", "yanked", "advisory")


@dataclass(frozen=True)
class Reviewed:
    """A locked prompt, compared with the hub."""

    name: str
    locked: LockedPrompt
    wanted: str
    """The highest version in the range, or of the label; the locked version if there is none."""
    latest: Optional[str]
    """The highest active version."""
    problems: Tuple[Tuple[str, str], ...]
    """What the hub says about it: kind and sentence."""

    @property
    def is_outdated(self) -> bool:
        """Whether a newer version exists."""
        return any(version not in (None, self.locked.version) for version in (self.wanted, self.latest))

    def audited(self) -> List[str]:
        """The problems for which an audit fails."""
        return [message for kind, message in self.problems if kind in _AUDITED]


def review_lock(lock_path: str, names: Sequence[str] = ()) -> List[Reviewed]:
    """Compares the prompts of a lock with the hub: those named, or all. Raises PromptHubError `invalid_request` for a
    name that is not in the lock, and the errors of the requests."""
    lock = open_lock(lock_path)
    strange = next((name for name in names if name not in lock.prompts), None)
    if strange is not None:
        raise _not_locked(strange)
    settings = CacheSettings(
        fresh=0.0, revalidate=0.0, folder=None, requests=RequestSettings(5.0, 2, 15.0), on_stale=_ignore
    )
    reader = HubReader(lock.hub, settings, lambda _: None)
    reviewed: List[Reviewed] = []
    for name, locked in lock.prompts.items():
        if not names or name in names:
            record, rows = reader.read_state(name, locked.version)
            reviewed.append(_review(name, locked, record, rows))
    return reviewed


def _ignore(_url: str, _age: float, _cause: Optional[BaseException]) -> None:
    """Nothing is stale without a cache."""


def _review(name: str, locked: LockedPrompt, record: RepositoryRecord, rows: Sequence[VersionRow]) -> Reviewed:
    range_, version = locked.range, locked.version
    active = active_of(rows)
    target = highest_in(active, range_) if is_range(range_) else record.labels.get(range_)
    problems: List[Tuple[str, str]] = []
    row = next((each for each in rows if each.version == version), None)
    if row is None:
        problems.append(("gone", f"{name}: {version} is no longer on the hub"))
    elif row.content_sha256 != locked.sha256 and not _is_skill(locked):
        problems.append(("other_bytes", f"{name}: the hub lists other bytes for {version} than prompts.lock does"))
    elif row.yanked:
        reason = f": {row.yank_reason}" if row.yank_reason else ""
        problems.append(("yanked", f"{name} {version} was yanked{reason}"))
    for advisory in record.advisories:
        if version in advisory.versions:
            problems.append(("advisory", f"{name} {version} ({advisory.severity}): {advisory.message}"))
    if not is_range(range_) and target is None:
        advice = "add the prompt again with another label or a range"
        problems.append(("label_removed", f"{name}: the label {range_} was removed, so {version} stays locked; {advice}"))
    if record.moved_to:
        problems.append(("moved", f"{name} has moved to {record.moved_to}; add that instead"))
    elif record.status == "deprecated":
        reason = f": {record.status_message}" if record.status_message else ""
        advice = f"; use {record.replaced_by}" if record.replaced_by else ""
        problems.append(("deprecated", f"{name} is deprecated{reason}{advice}"))
    wanted = target if target is not None and target in active else version
    return Reviewed(name, locked, wanted, highest_in(active, "*"), tuple(problems))


def _is_skill(locked: LockedPrompt) -> bool:
    """Whether the digest is that of a SKILL.md, which only hubcli can write."""
    return locked.path.split("/")[-1] == "SKILL.md"


def update_lock(lock_path: str, names: Sequence[str] = ()) -> List[Reviewed]:
    """Updates prompts to the newest version in their range or of their label: all of them or none.

    Returns the prompts as they were before, with what was found; those with another `wanted` version were updated.
    """
    reviewed = review_lock(lock_path, names)
    newer = [each for each in reviewed if each.wanted != each.locked.version]
    skill = next((each.name for each in newer if _is_skill(each.locked)), None)
    if skill is not None:
        raise PromptHubError("invalid_request", f"{skill} is an Agent Skill. Update it: hubcli update {skill}")
    if not newer:
        return reviewed
    hub = PromptHub(open_lock(lock_path).hub)
    found = [(each.locked, hub.get(each.name, version=each.wanted)) for each in newer]

    def change(lock: Lock) -> Contents:
        contents: Contents = []
        for locked, prompt in found:
            details = details_of(prompt.variables, dict(prompt.parameters))
            if details is None or prompt.version is None or prompt.sha256 is None:
                what = f"{prompt.name}@{prompt.version}"
                raise PromptHubError("unavailable", f"{what}: its variables or parameters are invalid in a lock.")
            before = lock.prompts.get(prompt.name)
            if before is None or (before.path, before.sha256) != (locked.path, locked.sha256):
                message = "prompts.lock was changed in the meantime. Run this again; nothing was changed."
                raise PromptHubError("integrity", message)
            lock.prompts[prompt.name] = replace(
                locked, version=prompt.version, sha256=prompt.sha256, details=details
            )
            contents.append((locked.path, prompt.content, prompt.name))
        return contents

    change_lock(lock_path, hub, change)
    return reviewed


def remove_from_lock(
    lock_path: str, names: Sequence[str], say: Callable[[str], None] = lambda sentence: None
) -> List[Tuple[str, LockedPrompt]]:
    """Removes prompts from a lock, and deletes their files unless they were changed by hand. Returns the removed
    entries; `say` is called with instructions for the user."""
    hub = PromptHub(open_lock(lock_path).hub)
    removed: List[Tuple[str, LockedPrompt]] = []

    def change(lock: Lock) -> Contents:
        for name in names:
            if name not in lock.prompts:
                raise _not_locked(name)
            removed.append((name, lock.prompts.pop(name)))
        return []

    change_lock(lock_path, hub, change)
    folder = os.path.dirname(os.path.abspath(lock_path))
    for _, locked in removed:
        data = read_vendored(folder, locked.path)
        if data is None:
            continue
        if find_exact(data, locked.sha256) is None:
            say(f"{locked.path} was changed by hand and stays")
        else:
            _delete(folder, locked.path)
    return removed


def _delete(folder: str, path: str) -> None:
    """Deletes a file, and the folders below the lock's that become empty."""
    os.remove(os.path.join(folder, *path.split("/")))
    parents = path.split("/")[:-1]
    while parents:
        try:
            os.rmdir(os.path.join(folder, *parents))
        except OSError:
            return  # It contains other files.
        parents.pop()


def _not_locked(name: str) -> PromptHubError:
    return PromptHubError("invalid_request", f"{name} is not in prompts.lock")
