"""Compares the prompts of a lock with the hub, as outdated, update and audit do."""

from __future__ import annotations

import functools
from typing import List, NamedTuple, Optional, Sequence, Tuple

from .lifetime import find_retiring, ripe_of, utc_now
from .lock import LOCK, Lock, LockedPrompt, LockedSplit
from .ranges import highest_in, is_range, numbers_of
from .records import Change, RepositoryRecord, VersionRow, active_of, find_wanted
from .review import AUDITED, Problem, find_included, find_notices, find_problems
from .source import Source
from .trouble import PromptHubError


class Reviewed(NamedTuple):
    """A locked prompt, compared with the hub."""

    name: str
    locked: LockedPrompt
    wanted: str
    """The highest version in the range, or of the label; the locked version if there is none."""
    latest: Optional[str]
    """The highest active version."""
    problems: Sequence[Problem]
    """What the hub says about it."""
    rows: Sequence[VersionRow]
    """The versions on the hub, highest first."""
    split: Optional[LockedSplit] = None
    """The second version of the label, if it offers one."""
    breaking: Sequence[Change] = ()
    """The breaking changes in the versions above the locked one, lowest first."""

    @property
    def is_outdated(self) -> bool:
        """Whether a newer version exists."""
        return any(version not in (None, self.locked.version) for version in (self.wanted, self.latest))

    def describe_breaking(self, version: Optional[str] = None) -> List[str]:
        """What callers must change, a sentence for each version: up to a version, or all."""
        return [
            f"{self.name} {each.version} is a breaking change: {', '.join(each.reasons)}"
            for each in self.breaking
            if version is None or not _is_newer(each.version, version)
        ]

    def audited(self) -> List[Problem]:
        """The problems for which an audit fails."""
        return [each for each in self.problems if each.kind in AUDITED]


def review_prompts(lock: Lock, source: Source, names: Sequence[str], min_age_days: int, within_days: Optional[int]) -> List[Reviewed]:
    """Compares the prompts of a lock with the hub: those named, or all. Raises PromptHubError `invalid_request` for a name
    that is not in the lock, and the errors of the requests."""
    require_locked(lock, names)
    now = utc_now()
    reviewed: List[Reviewed] = []

    @functools.lru_cache(maxsize=None)
    def read_part(name: str, version: str) -> Tuple[Optional[RepositoryRecord], Sequence[VersionRow]]:
        try:
            return source.read_state(name, version, "*")
        except PromptHubError as error:
            if error.code != "not_found":
                raise
            return None, ()

    for name, locked in lock.prompts.items():
        if names and name not in names:
            continue
        record, rows = source.read_state(name, locked.version, locked.range)
        problems = find_problems(name, locked, record, rows)
        problems += find_notices(name, locked.range, locked.version, record)
        if within_days is not None:
            for version, _ in locked.versions:
                problems += find_retiring(name, version, rows, within_days, now)
                for included in source.read_included(name, version):
                    part, _, number = included.partition("@")
                    problems += find_included(f"{name} {version}", included, *read_part(part, number))
        ripe = ripe_of(rows, min_age_days, locked.version, now) if min_age_days else rows
        wanted = find_wanted(locked.range, record.labels, ripe) or locked.version
        if min_age_days and is_range(locked.range):
            # A locked version that was yanked stays until a newer one is old enough.
            wanted = highest_in([wanted, locked.version], "*") or wanted
        latest = find_wanted("*", {}, rows)
        is_newer = any(_is_newer(each, locked.version) for each in (wanted, latest or wanted))
        # An audit is about the locked version alone.
        changes = source.read_changes(name) if is_newer and within_days is None else ()
        breaking = [each for each in reversed(changes) if each.reasons and _is_newer(each.version, locked.version)]
        if within_days is None:
            rows = source.add_changelogs(name, rows, locked.version, wanted)
        split = find_split(record, rows, locked.range, wanted)
        if split is not None and split.version in set(active_of(rows)) - set(active_of(ripe)):
            split = None
        reviewed.append(Reviewed(name, locked, wanted, latest, problems, rows, split, breaking))
    return reviewed


def find_split(record: RepositoryRecord, rows: Sequence[VersionRow], range_: str, first: str) -> Optional[LockedSplit]:
    """The second version of a label, as a lock has it; None without one, and for one that is not among the versions. `first`
    is the version that the lock has."""
    target = None if is_range(range_) else record.labels.get(range_)
    split = target.split if target else None
    if split is None or split.version == first:
        return None
    row = next((each for each in rows if each.version == split.version and not each.yanked), None)
    return LockedSplit(*split, row.content_sha256) if row else None


def _is_newer(version: str, other: str) -> bool:
    return (numbers_of(version) or (0, 0, 0)) > (numbers_of(other) or (0, 0, 0))


def require_locked(lock: Lock, names: Sequence[str]) -> None:
    """Requires that a lock has some prompts; raises PromptHubError `invalid_request`."""
    strange = next((name for name in names if name not in lock.prompts), None)
    if strange is not None:
        raise PromptHubError("invalid_request", f"{strange} is not in {LOCK}")
