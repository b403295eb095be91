"""Compares a lock with the hub, and updates it. docs/lock-file.md"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

from .cache import CacheSettings
from .changing import NewPrompt, change_lock
from .hub import PromptHub, open_lock
from .hub_reader import HubReader
from .lifetime import find_retiring, ripe_of, utc_now
from .lock import LOCK, Lock, LockedPrompt
from .publisher import refuse_publisher
from .read_token import read_token_for, token_for_locked
from .records import VersionRow
from .requests import RequestSettings
from .review import AUDITED, Problem, find_included, find_notices, find_problems, find_wanted, included_in
from .trouble import PromptHubError
from .vendoring import fetch_prompt


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
        return [each.message for each in self.problems if each.kind in AUDITED]


def review_lock(
    lock_path: str, names: Sequence[str] = (), min_age_days: int = 0, within_days: Optional[int] = None
) -> List[Reviewed]:
    """Compares the prompts of a lock with the hub: those named, or all. Raises PromptHubError `invalid_request` for a
    name that is not in the lock, and the errors of the requests.

    `min_age_days` is how long a version must have been out to be `wanted`. `within_days` also finds models that retire
    within this many days, or have retired.
    """
    now = utc_now()
    lock = open_lock(lock_path)
    strange = next((name for name in names if name not in lock.prompts), None)
    if strange is not None:
        raise PromptHubError("invalid_request", f"{strange} is not in {LOCK}")
    requests = RequestSettings(5.0, 2, 15.0, read_token_for(lock.hub))
    settings = CacheSettings(fresh=0.0, revalidate=0.0, folder=None, requests=requests, on_stale=lambda _url, _age, _cause: None)
    reader = HubReader(lock.hub, settings, lambda _: None)
    reviewed: List[Reviewed] = []
    for name, locked in lock.prompts.items():
        if not names or name in names:
            record, rows = reader.read_state(name, locked.version)
            problems = find_problems(name, locked, record, rows)
            problems += find_notices(name, locked.range, locked.version, record)
            if within_days is not None:
                problems += find_retiring(name, locked.version, rows, within_days, now)
                problems += _review_included(name, locked.version, rows, reader)
            ripe = ripe_of(rows, min_age_days, locked.version, now) if min_age_days else rows
            wanted = find_wanted(locked.range, record.labels, ripe) or locked.version
            reviewed.append(Reviewed(name, locked, wanted, find_wanted("*", record.labels, rows), tuple(problems)))
    return reviewed


def _review_included(name: str, version: str, rows: Sequence[VersionRow], reader: HubReader) -> List[Problem]:
    """What the hub says about the versions that a locked version includes."""
    problems: List[Problem] = []
    for included in included_in(version, rows):
        part, _, number = included.partition("@")
        try:
            record, part_rows = reader.read_state(part, number)
        except PromptHubError as error:
            if error.code != "not_found":
                raise
            record, part_rows = None, ()
        problems += find_included(f"{name} {version}", included, record, part_rows)
    return problems


def update_lock(
    lock_path: str, names: Sequence[str] = (), min_age_days: int = 0, accept_publisher: bool = False
) -> List[Reviewed]:
    """Updates prompts to the newest version in their range or of their label: all of them or none.

    Returns the prompts as they were before, with what was found; those with another `wanted` version were updated.
    `min_age_days` is how long a version must have been out. `accept_publisher` also takes versions of another workflow
    than that of the locked version, or without its attestation.
    """
    reviewed = review_lock(lock_path, names, min_age_days)
    newer = [each for each in reviewed if each.wanted != each.locked.version]
    if not newer:
        return reviewed
    url = open_lock(lock_path).hub
    hub = PromptHub(url, token=token_for_locked(url))
    found = [
        (each, *fetch_prompt(hub, hub.get(each.name, version=each.wanted), each.locked.range, each.locked.path, bool(each.locked.files)))
        for each in newer
    ]

    for each, locked, _ in found:
        refused = refuse_publisher(f"{each.name} {locked.version}", each.locked.publisher, locked.publisher)
        if refused is not None and not accept_publisher:
            raise PromptHubError("integrity", f"{refused}; nothing was changed")

    def change(lock: Lock) -> Sequence[NewPrompt]:
        for each, locked, _ in found:
            before = lock.prompts.get(each.name)
            if before is None or (before.path, before.sha256) != (each.locked.path, each.locked.sha256):
                message = f"{LOCK} was changed in the meantime. Run this again; nothing was changed."
                raise PromptHubError("integrity", message)
            lock.prompts[each.name] = locked._replace(range=before.range)
        return [new for _, _, new in found]

    change_lock(lock_path, hub.url, change)
    return reviewed
