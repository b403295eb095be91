"""Compares a lock with the hub, updates it, and removes prompts from it. docs/lock-file.md"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence, Tuple

from .cache import CacheSettings
from .hub import PromptHub, open_lock
from .hub_reader import HubReader
from .lock import Lock, LockedPrompt, details_of
from .requests import RequestSettings
from .review import Problem, find_notices, find_problems, find_wanted, is_skill_path
from .trouble import PromptHubError
from .vendored import delete_vendored
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
    problems: Tuple[Problem, ...]
    """What the hub says about it."""

    @property
    def is_outdated(self) -> bool:
        """Whether a newer version exists."""
        return any(version not in (None, self.locked.version) for version in (self.wanted, self.latest))

    def audited(self) -> List[str]:
        """The problems for which an audit fails."""
        return [each.message for each in self.problems if each.kind in _AUDITED]


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
            problems = find_problems(name, locked, record, rows)
            problems += find_notices(name, locked.range, locked.version, record)
            wanted = find_wanted(locked.range, record.labels, rows) or locked.version
            reviewed.append(Reviewed(name, locked, wanted, find_wanted("*", record.labels, rows), tuple(problems)))
    return reviewed


def _ignore(_url: str, _age: float, _cause: Optional[BaseException]) -> None:
    """Nothing is stale without a cache."""


def update_lock(lock_path: str, names: Sequence[str] = ()) -> List[Reviewed]:
    """Updates prompts to the newest version in their range or of their label: all of them or none.

    Returns the prompts as they were before, with what was found; those with another `wanted` version were updated.
    """
    reviewed = review_lock(lock_path, names)
    newer = [each for each in reviewed if each.wanted != each.locked.version]
    skill = next((each.name for each in newer if is_skill_path(each.locked.path)), None)
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
            lock.prompts[prompt.name] = locked._replace(
                version=prompt.version, sha256=prompt.sha256, details=details
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
        if not delete_vendored(folder, locked.path, locked.sha256):
            say(f"{locked.path} was changed by hand and stays")
    return removed


def _not_locked(name: str) -> PromptHubError:
    return PromptHubError("invalid_request", f"{name} is not in prompts.lock")
