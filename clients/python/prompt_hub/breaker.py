"""Remembers that a hub failed, so that callers with a cached copy or a fallback do not wait for it again."""

from __future__ import annotations

import time
from typing import Callable, Dict, Optional, Tuple

from .trouble import PromptHubError

_PAUSE = 10.0
"""For how many seconds a hub that failed is not asked for what a copy or a fallback can answer."""
_MAX_FAILURES = 1_000
"""Maximum number of failing URLs that are remembered; beyond that, the oldest is forgotten."""
_HUB = ""
"""The key of failures of the hub as a whole."""


class Breaker:
    """The failures of one hub. A response with 500 concerns its URL; no response, or one that only says that the hub cannot
    be reached, concerns the hub. Its single steps need no lock: each changes one key."""

    def __init__(self, on_pause: Callable[[str, float, PromptHubError], None]) -> None:
        """`on_pause` is called with a URL, the seconds and the cause when a pause begins, not when it is prolonged."""
        self._failures: Dict[str, Tuple[float, PromptHubError]] = {}
        self._on_pause = on_pause
        self._responded_at = 0.0

    def failure_of(self, url: str) -> Optional[PromptHubError]:
        """Why a URL failed the last time that it was asked; None if it responded."""
        failure = self._find(url)
        return None if failure is None else failure[1]

    def pause_of(self, url: str) -> Optional[PromptHubError]:
        """Why a URL is not asked now; None if it is."""
        failure = self._find(url)
        return failure[1] if failure is not None and time.monotonic() - failure[0] < _PAUSE else None

    def start_try(self, url: str) -> None:
        """Notes that a URL is asked after a failure: until it responds, the others are paused."""
        for key in (_HUB, url):
            failure = self._failures.get(key)
            if failure is not None:
                self._failures[key] = time.monotonic(), failure[1]
                return

    def succeed(self, url: str) -> None:
        """Notes that a URL responded."""
        self._responded_at = time.monotonic()
        self._failures.pop(_HUB, None)
        self._failures.pop(url, None)

    def fail(self, url: str, error: PromptHubError, asked_at: float) -> None:
        """Notes that a URL failed. `asked_at` is when it was asked, by `time.monotonic()`: if the hub has responded since,
        it is not down."""
        if asked_at < self._responded_at:
            return
        is_new = self.pause_of(url) is None
        is_of_hub = error.status is None or error.status < 500 or error.status in (502, 503, 504)
        if len(self._failures) >= _MAX_FAILURES:
            self._failures.pop(list(self._failures)[0], None)
        self._failures[_HUB if is_of_hub else url] = time.monotonic(), error
        if is_new:
            self._on_pause(url, _PAUSE, error)

    def _find(self, url: str) -> Optional[Tuple[float, PromptHubError]]:
        return self._failures.get(_HUB) or self._failures.get(url)
