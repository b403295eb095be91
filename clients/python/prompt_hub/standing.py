"""Notices about a prompt (deprecated, yanked, advisories): derives them from the hub's records, and lists the events for
them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

from .records import Advisory, RepositoryRecord, VersionRow


@dataclass(frozen=True)
class Standing:
    """The current notices: why the prompt is deprecated, why this version was yanked, advisories about it."""

    deprecated: Optional[str]
    yanked: Optional[str]
    advisories: Tuple[Advisory, ...]


@dataclass(frozen=True)
class Event:
    """Something that a program may want to log: a response that was not fresh, or a notice about a prompt.

    `type` is `stale`, `unreachable` (the hub did not respond; for some seconds, cached responses and fallbacks are used
    without asking it), `fallback`, `unused_values` (values that a fallback text has no place for), `deprecated`, `yanked`
    or `advisory`; `subject` is what it is about.
    """

    type: str
    subject: str
    message: str


def standing_of(
    version: str, record: Optional[RepositoryRecord], rows: Optional[Sequence[VersionRow]]
) -> Optional[Standing]:
    """The notices about a version; None without any record of its prompt."""
    if record is None and rows is None:
        return None
    row = next((row for row in rows or () if row.version == version), None)
    deprecated = None
    if record is not None and record.moved_to:
        deprecated = f"moved to {record.moved_to}"
    elif record is not None and record.status != "active":
        deprecated = record.status_message or record.status
    return Standing(
        deprecated=deprecated,
        yanked=(row.yank_reason or "yanked") if row is not None and row.yanked else None,
        advisories=tuple(each for each in (record.advisories if record else ()) if version in each.versions),
    )


def events_of(name: str, version: str, standing: Optional[Standing]) -> List[Event]:
    """The events for a version's notices."""
    if standing is None:
        return []
    events: List[Event] = []
    if standing.deprecated is not None:
        events.append(Event("deprecated", name, standing.deprecated))
    if standing.yanked is not None:
        events.append(Event("yanked", f"{name}@{version}", standing.yanked))
    events += [Event("advisory", f"{name}@{version}", f"{each.severity}: {each.message}") for each in standing.advisories]
    return events
