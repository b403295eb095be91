"""Caches the hub's responses in memory and in an optional folder, and decides how old a response may be."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import json
import math
import os
import threading
import time
import weakref
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Generic, Optional, Tuple, TypeVar, cast

from .breaker import Breaker
from .files import write_whole
from .own_changes import last_change
from .requests import RequestSettings, ask
from .trouble import PromptHubError

Value = TypeVar("Value")
_MAX_KEPT = 1_000
_caches: "weakref.WeakSet[AnswerCache[Any]]" = weakref.WeakSet()
"""The caches of this process."""


@dataclass(frozen=True)
class Kept:
    """A cached response; `checked_at` is when the hub was last asked for it and confirmed it, in seconds
    since 1970."""

    text: str
    etag: Optional[str]
    checked_at: float


@dataclass(frozen=True)
class Answer(Generic[Value]):
    """A response, its source (`memory`, `disk`, `network`, `stale`), and the time since the hub confirmed it."""

    value: Value
    source: str
    age: float


@dataclass(frozen=True)
class Call:
    """What one caller accepts; times in seconds."""

    fresh: float
    """How long a changing response is used without asking the hub."""
    revalidate: float
    """How long after that it is used at once and revalidated in the background."""
    ends_at: float = math.inf
    """When the caller stops waiting, by `time.monotonic()`; infinite if only each request has a time limit."""
    has_fallback: bool = False
    """Whether the caller has something else to use: then it waits for one attempt only, and not at all for a hub that
    has just failed."""


@dataclass(frozen=True)
class CacheSettings:
    """How to store and fetch responses. `on_stale` is called with a URL, the age of the response and why the hub could not
    be reached, or None while it is being asked."""

    folder: Optional[str]
    requests: RequestSettings
    breaker: Breaker
    on_stale: Callable[[str, float, Optional[BaseException]], None]


class _UnderWay(Generic[Value]):
    """A request that concurrent callers share. Nobody waits for it after `ends_at`."""

    def __init__(self, lasts: float) -> None:
        self.asked_at = time.time()
        self.started_at = time.monotonic()
        self.ends_at = self.started_at + lasts
        self.future: "Future[Answer[Value]]" = Future()


class AnswerCache(Generic[Value]):
    """Responses of one type. Concurrent threads share one request."""

    def __init__(self, parse: Callable[[str, str], Value], settings: CacheSettings) -> None:
        self._parse = parse
        self._settings = settings
        self._entries: "OrderedDict[str, Tuple[Value, Kept]]" = OrderedDict()
        self.forget_threads()
        _caches.add(self)

    def forget_threads(self) -> None:
        """After a fork: the threads that hold the lock or send the requests are in the other process."""
        self._under_way: Dict[str, _UnderWay[Value]] = {}
        self._turn = threading.Lock()

    def get(self, url: str, changes: bool, call: Call) -> Answer[Value]:
        """Gets the response for a URL; `changes` is whether it can change, and one that cannot is requested only once.

        Raises PromptHubError: the hub's error, or `unavailable` when it cannot be reached and nothing is cached.
        """
        with self._turn:
            entry = self._entries.get(url)
            if entry is not None:
                self._entries.move_to_end(url)
        source = "memory"
        if entry is None:
            source, entry = "disk", self._read_disk(url)
            if entry is not None:
                self._remember(url, entry)
        breaker = self._settings.breaker
        paused = breaker.pause_of(url)
        if entry is None:
            if paused is not None and call.has_fallback:
                raise paused.again()
            return self._wait_for(url, None, call)
        value, kept = entry
        age = time.time() - kept.checked_at
        is_known = _is_known(url, kept, age)
        if not changes or (is_known and age < call.fresh):
            return Answer(value, source, age)
        if paused is not None:
            return self._use_stale(url, entry, paused)
        failure = breaker.failure_of(url)
        if is_known and (age < call.fresh + call.revalidate or failure is not None):
            under_way, is_ours = self._join(url, call)
            if is_ours:
                self._start(url, entry, under_way)
            return self._use_stale(url, entry, failure)
        try:
            return self._wait_for(url, entry, call)
        except PromptHubError as error:
            if error.code != "unavailable" or error.status == 429:
                raise
            return self._use_stale(url, entry, error)

    def peek(self, url: str) -> Optional[Value]:
        """Responses in memory, without a request."""
        with self._turn:
            entry = self._entries.get(url)
        return None if entry is None else entry[0]

    def is_fresh(self, url: str, call: Call) -> bool:
        """Whether a changing response would be used without a request."""
        with self._turn:
            entry = self._entries.get(url)
        if entry is None:
            return False
        age = time.time() - entry[1].checked_at
        return _is_known(url, entry[1], age) and age < call.fresh

    def _use_stale(self, url: str, entry: Tuple[Value, Kept], cause: Optional[BaseException]) -> Answer[Value]:
        age = max(0.0, time.time() - entry[1].checked_at)
        self._settings.on_stale(url, age, cause)
        return Answer(entry[0], "stale", age)

    def _wait_for(self, url: str, known: Optional[Tuple[Value, Kept]], call: Call) -> Answer[Value]:
        """Waits for the hub, as long as the caller accepts; `known` is the cached response."""
        started_at = time.monotonic()
        has_other = known is not None or call.has_fallback
        attempt_ends_at = started_at + self._settings.requests.timeout if has_other else math.inf
        ends_at = min(call.ends_at, attempt_ends_at)
        while True:
            under_way, is_ours = self._join(url, call)
            if is_ours:
                self._start(url, known, under_way)
            try:
                left = min(ends_at, under_way.ends_at) - time.monotonic()
                return under_way.future.result(max(0.0, min(left, threading.TIMEOUT_MAX)))
            except concurrent.futures.TimeoutError:
                waited = time.monotonic() - started_at
                if started_at + waited >= ends_at:
                    slow = PromptHubError("unavailable", f"{url} did not respond within {waited:.1f} s.")
                    if ends_at == attempt_ends_at:
                        self._settings.breaker.fail(url, slow, under_way.started_at)
                    raise slow from None
            except PromptHubError as error:
                # Each caller raises an exception of its own, because raising one changes it.
                raise error.again() from error.__cause__

    def _join(self, url: str, call: Call) -> "Tuple[_UnderWay[Value], bool]":
        """The request that is under way, or else a new one that the caller has to send."""
        now = time.monotonic()
        with self._turn:
            there = self._under_way.get(url)
            # A request that was sent before this process changed the prompt may get the response from before.
            if there is not None and now < there.ends_at and there.asked_at > last_change(url):
                return there, False
            wished = call.ends_at - now if math.isfinite(call.ends_at) else 0.0
            started: _UnderWay[Value] = _UnderWay(max(self._settings.requests.deadline, wished))
            self._under_way[url] = started
            return started, True

    def _start(self, url: str, known: Optional[Tuple[Value, Kept]], under_way: "_UnderWay[Value]") -> None:
        """Sends a request in a thread, because it may go on for longer than its first caller waits."""
        try:
            threading.Thread(target=self._settle, args=(url, known, under_way), daemon=True).start()
        except RuntimeError as error:
            # There are too many threads, or Python is about to end.
            self._leave(url, under_way)
            under_way.future.set_exception(PromptHubError("unavailable", f"{url} was not asked: {error}"))

    def _settle(self, url: str, known: Optional[Tuple[Value, Kept]], under_way: "_UnderWay[Value]") -> None:
        try:
            answer = self._ask_hub(url, known, under_way)
        except BaseException as error:
            self._leave(url, under_way)
            under_way.future.set_exception(error)
        else:
            self._leave(url, under_way)
            under_way.future.set_result(answer)

    def _leave(self, url: str, under_way: "_UnderWay[Value]") -> None:
        with self._turn:
            if self._under_way.get(url) is under_way:
                del self._under_way[url]

    def _ask_hub(self, url: str, known: Optional[Tuple[Value, Kept]], under_way: "_UnderWay[Value]") -> Answer[Value]:
        asked_at, started_at = under_way.asked_at, under_way.started_at
        breaker = self._settings.breaker
        breaker.start_try(url)

        def note_timeout(error: PromptHubError) -> None:
            breaker.fail(url, error, started_at)

        deadline = under_way.ends_at - started_at
        settings = replace(self._settings.requests, deadline=deadline, on_timeout=note_timeout)
        try:
            reply = ask(url, None if known is None else known[1].etag, settings)
        except PromptHubError as error:
            if error.code == "unavailable" and error.status != 429:
                breaker.fail(url, error, started_at)
            else:
                breaker.succeed(url)
            if error.code in ("not_found", "refused"):
                # When the hub reports that something does not exist, the cached response is removed
                # too: it may have been withdrawn on purpose.
                self._forget(url)
            raise
        breaker.succeed(url)
        if reply is not None:
            entry = self._parse(reply.text, url), Kept(reply.text, reply.etag, asked_at)
        elif known is not None:
            entry = known[0], Kept(known[1].text, known[1].etag, asked_at)
        else:
            raise PromptHubError("unavailable", f"{url} returned 304 without a cached response.")
        self._remember(url, entry)
        self._write_disk(url, entry[1])
        return Answer(entry[0], "network", 0.0)

    def _remember(self, url: str, entry: Tuple[Value, Kept]) -> None:
        with self._turn:
            self._entries[url] = entry
            self._entries.move_to_end(url)
            if len(self._entries) > _MAX_KEPT:
                self._entries.popitem(last=False)

    def _forget(self, url: str) -> None:
        with self._turn:
            self._entries.pop(url, None)
        if self._settings.folder is not None:
            # If that fails, the folder returns it once more later; this caller gets the hub's error anyway.
            with contextlib.suppress(OSError):
                os.remove(self._path(self._settings.folder, url))

    def _path(self, folder: str, url: str) -> str:
        return os.path.join(folder, hashlib.sha256(url.encode()).hexdigest() + ".json")

    def _read_disk(self, url: str) -> Optional[Tuple[Value, Kept]]:
        """Reads from the folder. Anything that cannot be read or parsed counts as absent, so that it is
        requested from the hub."""
        if self._settings.folder is None:
            return None
        try:
            with open(self._path(self._settings.folder, url), encoding="utf-8") as file:
                data = cast("Dict[str, object]", json.load(file))
            text, etag, checked_at = data["text"], data.get("etag"), data["checkedAt"]
            if data["url"] != url or not isinstance(text, str) or not isinstance(checked_at, (int, float)):
                return None
            kept = Kept(text, etag if isinstance(etag, str) else None, checked_at / 1000)
            return self._parse(text, url), kept
        except (OSError, ValueError, KeyError, TypeError, PromptHubError):
            return None

    def _write_disk(self, url: str, kept: Kept) -> None:
        """Writes a response in the TypeScript library's format, so that both may share a folder. One that does not fit
        on a full disk is simply requested again later."""
        if self._settings.folder is None:
            return
        data: Dict[str, object] = {"url": url, "text": kept.text, "checkedAt": round(kept.checked_at * 1000)}
        if kept.etag is not None:
            data["etag"] = kept.etag
        with contextlib.suppress(OSError):
            os.makedirs(self._settings.folder, exist_ok=True)
            write_whole(self._path(self._settings.folder, url), json.dumps(data).encode())


def _is_known(url: str, kept: Kept, age: float) -> bool:
    """Whether the age of a response says how old it is: not after a clock was set back, nor after this process has changed
    the prompt."""
    return age >= 0 and kept.checked_at > last_change(url)


def _forget_threads() -> None:
    for cache in _caches:
        cache.forget_threads()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
