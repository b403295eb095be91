"""How long versions have been out, and how long their models will be served. Sends no request."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import List, Optional, Sequence

from .records import VersionRow
from .review import Problem
from .trouble import PromptHubError

WITHIN_DAYS = 30
"""An audit fails for a model that retires within this many days, unless told otherwise."""


def parse_days(text: str, option: str) -> int:
    """Parses a number of days such as `30d`; raises PromptHubError `invalid_request`."""
    if not re.fullmatch("[0-9]{1,4}d", text):
        raise PromptHubError("invalid_request", f"{option}: expected a number of days such as 7d, got {text[:60] or 'nothing'}")
    return int(text[:-1])


def ripe_of(rows: Sequence[VersionRow], days: int, locked: Optional[str], now: datetime) -> List[VersionRow]:
    """The versions that have been available for at least `days`, and the locked one. A time that cannot be read counts as
    too new."""
    latest = (now - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return [row for row in rows if row.version == locked or _is_until(row.available_at, latest)]


def _is_until(time: Optional[str], latest: str) -> bool:
    """Compares times in UTC as text, to the second."""
    if time is None or not re.fullmatch(r"[0-9]{4}(?:-[0-9]{2}){2}T(?:[0-9]{2}:){2}[0-9]{2}(?:\.[0-9]+)?Z", time):
        return False
    return time[:19] + "Z" <= latest


def find_retiring(name: str, version: str, rows: Sequence[VersionRow], days: int, now: datetime) -> List[Problem]:
    """Whether the model of a version has retired, or retires within a number of days."""
    status = next((row.model_status for row in rows if row.version == version), None)
    if status is None or status.retires_at > (now + timedelta(days=days)).strftime("%Y-%m-%d"):
        return []
    verb = "retired" if status.retires_at <= now.strftime("%Y-%m-%d") else "retires"
    advice = f"; its provider recommends {status.replaced_by}" if status.replaced_by else ""
    message = f"{name} {version}: its model {status.model} {verb} on {status.retires_at}{advice}"
    return [Problem("model_retires", message)]


def utc_now() -> datetime:
    """The current time."""
    return datetime.now(timezone.utc)
