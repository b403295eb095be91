"""Compares a prompt with what the hub's records say about it. Sends no request."""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional, Sequence

from .lock import LOCK, LockedPrompt
from .ranges import highest_in, is_range, satisfies
from .records import RepositoryRecord, VersionRow, active_of

AUDITED = (
    *("gone", "other_bytes", "yanked", "advisory", "model_retires"),
    *("included_gone", "included_yanked", "included_advisory"),
)
"""The problems for which an audit fails."""


class Problem(NamedTuple):
    """Something that the hub says about a locked prompt."""

    kind: str
    """`gone`, `other_bytes`, `yanked`, `advisory`, `model_retires`, `included_gone`, `included_yanked`,
    `included_advisory`, `moved`, `deprecated` or `label_removed`."""
    message: str
    severity: Optional[str] = None
    """The severity of an advisory."""


def find_wanted(range_: str, labels: Mapping[str, str], rows: Sequence[VersionRow]) -> Optional[str]:
    """The version that a range or a label selects, or None. Never a yanked one."""
    active = active_of(rows)
    if is_range(range_):
        return highest_in(active, range_)
    target = labels.get(range_)
    return target if target in active else None


def find_problems(name: str, locked: LockedPrompt, record: RepositoryRecord, rows: Sequence[VersionRow]) -> List[Problem]:
    """What the hub says about the locked version."""
    version = locked.version
    problems: List[Problem] = []
    row = next((each for each in rows if each.version == version), None)
    if row is None:
        problems.append(Problem("gone", f"{name}: {version} is no longer on the hub"))
    elif row.content_sha256 != locked.sha256:
        problems.append(Problem("other_bytes", f"{name}: the hub lists other bytes for {version} than {LOCK} does"))
    elif row.yanked:
        problems.append(Problem("yanked", f"{name} {version} was yanked{_because(row.yank_reason)}"))
    for each in record.advisories:
        if version in each.versions:
            message = f"{name} {version} ({each.severity}): {each.message}"
            problems.append(Problem("advisory", message, each.severity))
    return problems


def find_included(
    subject: str, included: str, record: Optional[RepositoryRecord], rows: Sequence[VersionRow]
) -> List[Problem]:
    """What the hub says about a version that a locked version includes.

    `subject` is the locked version, and `included` the other one, as in `acme/house-style@1.4.0`; `record` and `rows`
    are those of its prompt, None and empty if it is gone.
    """
    name, _, version = included.partition("@")
    what = f"{subject} includes {name} {version}, which"
    row = next((each for each in rows if each.version == version), None)
    problems: List[Problem] = []
    if row is None:
        problems.append(Problem("included_gone", f"{what} is no longer on the hub"))
    elif row.yanked:
        problems.append(Problem("included_yanked", f"{what} was yanked{_because(row.yank_reason)}"))
    for each in record.advisories if record else ():
        if version in each.versions:
            message = f"{what} has an advisory ({each.severity}): {each.message}"
            problems.append(Problem("included_advisory", message, each.severity))
    return problems


def included_in(version: str, rows: Sequence[VersionRow]) -> Sequence[str]:
    """The versions that a version includes."""
    return next((each.included for each in rows if each.version == version), ())


def find_notices(name: str, range_: str, locked: str, record: RepositoryRecord) -> List[Problem]:
    """What the hub says about the prompt as a whole; `locked` is the locked version."""
    notices: List[Problem] = []
    if record.moved_to:
        notices.append(Problem("moved", f"{name} has moved to {record.moved_to}; add that instead"))
    elif record.status == "deprecated":
        advice = f"; use {record.replaced_by}" if record.replaced_by else ""
        notices.append(Problem("deprecated", f"{name} is deprecated{_because(record.status_message)}{advice}"))
    if not is_range(range_) and range_ not in record.labels:
        advice = "add the prompt again with another label or a range"
        message = f"{name}: the label {range_} was removed, so {locked} stays locked; {advice}"
        notices.append(Problem("label_removed", message))
    return notices


def explain_none(name: str, written: str, labels: Mapping[str, str], rows: Sequence[VersionRow]) -> str:
    """Why a range or a label selects no version."""
    if not is_range(written):
        there = f"; it has: {', '.join(sorted(labels)[:20])}" if labels else " and no other"
        return f"{name} has no label {written}{there}"
    active = active_of(rows)
    there = f"it has: {', '.join(active[:10])}{', ...' if len(active) > 10 else ''}"
    there = there if active else "it has none that is not yanked"
    yanked = next((row for row in rows if row.yanked and satisfies(row.version, written)), None)
    if yanked is not None and written != "*":
        return f"{name} {yanked.version} was yanked{_because(yanked.yank_reason)}; {there}"
    return f"{name} has no version that {written} allows; {there}"


def _because(reason: Optional[str]) -> str:
    return f": {reason}" if reason else ""
