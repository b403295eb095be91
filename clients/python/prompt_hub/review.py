"""Compares a prompt with what the hub's records say about it. Sends no request."""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional, Sequence

from .lock import LOCK, LockedPrompt
from .ranges import is_range, satisfies
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
    `included_advisory`, `moved`, `deprecated`, `label_removed` or `breaking`."""
    message: str
    severity: Optional[str] = None
    """The severity of an advisory."""


def find_problems(name: str, locked: LockedPrompt, record: RepositoryRecord, rows: Sequence[VersionRow]) -> List[Problem]:
    """What the hub says about the locked version, and the second one of its label."""
    others: List[Problem] = []
    problems: List[Problem] = []
    for version, sha256 in locked.versions:
        row = next((each for each in rows if each.version == version), None)
        problems += _judge("", f"{name} {version}", version, record, row)
        if row is not None and row.content_sha256 != sha256:
            others.append(Problem("other_bytes", f"{name}: the hub lists other bytes for {version} than {LOCK} does"))
    return [*others, *problems]


def find_included(subject: str, included: str, record: Optional[RepositoryRecord], rows: Sequence[VersionRow]) -> List[Problem]:
    """What the hub says about a version that a locked version includes.

    `subject` is the locked version, and `included` the other one, as in `acme/house-style@1.4.0`; `record` and `rows`
    are those of its prompt, None and empty if it is gone.
    """
    name, _, version = included.partition("@")
    row = next((each for each in rows if each.version == version), None)
    return _judge("included_", f"{subject} includes {name} {version}, which", version, record, row)


def _judge(prefix: str, what: str, version: str, record: Optional[RepositoryRecord], row: Optional[VersionRow]) -> List[Problem]:
    """The problems of a version; `prefix` is that of their kinds."""
    problems: List[Problem] = []
    if row is None:
        problems.append(Problem(f"{prefix}gone", f"{what} is no longer on the hub"))
    elif row.yanked:
        problems.append(Problem(f"{prefix}yanked", f"{what} was yanked{_because(row.yank_reason)}"))
    for each in record.advisories if record else ():
        if version in each.versions:
            message = f"{what} has an advisory ({each.severity}): {each.message}"
            problems.append(Problem(f"{prefix}advisory", message, each.severity))
    return problems


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


def explain_none(name: str, written: str, labels: Mapping[str, object], rows: Sequence[VersionRow]) -> str:
    """Why a range or a label selects no version."""
    if not is_range(written):
        there = f"; it has: {', '.join(sorted(labels)[:20])}" if labels else " and no other"
        return f"{name} has no label {written}{there}"
    active = active_of(rows)
    if not active and written == "*":
        return f"{name} has no version that is not yanked"
    there = f"it has: {', '.join(active[:10])}{', ...' if len(active) > 10 else ''}"
    there = there if active else "it has none that is not yanked"
    yanked = next((row for row in rows if row.yanked and satisfies(row.version, written)), None)
    if yanked is not None and written != "*":
        return f"{name} {yanked.version} was yanked{_because(yanked.yank_reason)}; {there}"
    return f"{name} has no version that {written} allows; {there}"


def _because(reason: Optional[str]) -> str:
    return f": {reason}" if reason else ""
