"""The results of test suites for a version, as a hub returns them."""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple, Optional, Tuple

from .requests import RequestSettings, ask_bytes
from .source import read_first
from .trouble import PromptHubError


class SuiteResult(NamedTuple):
    """The result of a test suite, as somebody reported it. The hub has not run the tests."""

    suite: str
    passed: int
    failed: int
    skipped: int
    score: Optional[float]
    """From 0 to 1, or None."""
    model: Optional[str]
    url: Optional[str]
    """The URL of the run, or None."""
    at: str
    """When the suite ran, as in `2026-11-20T10:00:00Z`."""
    reported_by: str


def read_results(url: str, settings: RequestSettings, name: str, version: str, sha256: str) -> Tuple[SuiteResult, ...]:
    """Reads the results of a version, newest first; those for other bytes are left out. `url` is the hub's URL, without a
    trailing slash.

    Raises PromptHubError `unavailable` for an invalid response, and the errors of a request.
    """
    address = f"{url}/api/v1/repos/{name}/versions/{version}/results"
    try:
        # A static mirror has no API, and has no file for a version without results.
        data = read_first(functools.partial(ask_bytes, settings), address, f"{url}/data/v1/repos/{name}/results/{version}.json")
    except PromptHubError as error:
        if error.code != "not_found":
            raise
        return ()
    try:
        return tuple(_result_of(row) for row in json.loads(data.decode())["data"] if row["content_sha256"] == sha256)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PromptHubError("unavailable", f"{address} did not return a list of results.") from None


def _result_of(row: Any) -> SuiteResult:
    if not all(isinstance(row[key], str) for key in ("suite", "at", "reported_by")):
        raise ValueError("expected texts")
    if not all(isinstance(row[key], int) and row[key] >= 0 for key in ("passed", "failed", "skipped")):
        raise ValueError("expected counts")
    return SuiteResult(*(row[key] for key in SuiteResult._fields))
