"""Caches the hub's responses in memory and in an optional folder, and decides how old a response may be."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Callable, Dict, Generic, Optional, Tuple, TypeVar, cast

from .files import write_whole
from .own_changes import last_change
from .requests import RequestSettings, ask
from .trouble import PromptHubError

Value = TypeVar("Value")
_MAX_KEPT = 1_000


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
class CacheSettings:
    """Cache lifetimes in seconds, and where responses are stored."""

    fresh: float
    revalidate: float
    folder: Optional[str]
    requests: RequestSettings
    on_stale: Callable[[str, float, Optional[BaseException]], None]


class AnswerCache(Generic[Value]):
    """Responses of one type. Concurrent threads share one request."""

    def __init__(self, parse: Callable[[str, str], Value], settings: CacheSettings) -> None:
        self._parse = parse
        self._settings = settings
        self._entries: "OrderedDict[str, Tuple[Value, Kept]]" = OrderedDict()
        self._under_way: "Dict[str, Tuple[float, Future[Answer[Value]]]]" = {}
        self._turn = threading.Lock()

    def get(self, url: str, changes: bool) -> Answer[Value]:
        """Gets the response for a URL; `changes` is whether it can change, and one that cannot is requested only once.

        Raises PromptHubError: the hub's error, or `unavailable` when it cannot be reached and nothing is cached.
        """
        with self._turn:
            entry = self._entries.get(url)
            if entry is not None:
                self._entries.move_to_end(url)
        if entry is not None:
            value, kept = entry
            age = time.time() - kept.checked_at
            is_known = _is_known(url, kept, age)
            if not changes or (is_known and age < self._settings.fresh):
                return Answer(value, "memory", age)
            if is_known and age < self._settings.fresh + self._settings.revalidate:
                self._settings.on_stale(url, age, None)
                future, is_ours = self._join(url, changes)
                if is_ours:
                    threading.Thread(target=self._settle, args=(url, changes, future), daemon=True).start()
                return Answer(value, "stale", age)
        future, is_ours = self._join(url, changes)
        if is_ours:
            self._settle(url, changes, future)
        return future.result()

    def peek(self, url: str) -> Optional[Value]:
        """Responses in memory, without a request."""
        with self._turn:
            entry = self._entries.get(url)
        return None if entry is None else entry[0]

    def is_fresh(self, url: str) -> bool:
        """Whether a changing response would be used without a request."""
        with self._turn:
            entry = self._entries.get(url)
        if entry is None:
            return False
        age = time.time() - entry[1].checked_at
        return _is_known(url, entry[1], age) and age < self._settings.fresh

    def _join(self, url: str, changes: bool) -> "Tuple[Future[Answer[Value]], bool]":
        with self._turn:
            asked_at, under_way = self._under_way.get(url, (0.0, None))
            # A request that was sent before this process changed the prompt may get the response from before.
            if under_way is not None and (not changes or asked_at > last_change(url)):
                return under_way, False
            future: "Future[Answer[Value]]" = Future()
            self._under_way[url] = time.time(), future
            return future, True

    def _leave(self, url: str, future: "Future[Answer[Value]]") -> None:
        with self._turn:
            if self._under_way.get(url, (0.0, None))[1] is future:
                del self._under_way[url]

    def _settle(self, url: str, changes: bool, future: "Future[Answer[Value]]") -> None:
        try:
            answer = self._find(url, changes)
        except BaseException as error:
            self._leave(url, future)
            future.set_exception(error)
        else:
            self._leave(url, future)
            future.set_result(answer)

    def _find(self, url: str, changes: bool) -> Answer[Value]:
        known = self._entries.get(url)
        if known is None:
            known = self._read_disk(url)
            if known is not None:
                self._remember(url, known)
                age = time.time() - known[1].checked_at
                if not changes or (_is_known(url, known[1], age) and age < self._settings.fresh):
                    return Answer(known[0], "disk", age)
        return self._ask_hub(url, known)

    def _ask_hub(self, url: str, known: Optional[Tuple[Value, Kept]]) -> Answer[Value]:
        asked_at = time.time()
        try:
            reply = ask(url, None if known is None else known[1].etag, self._settings.requests)
            if reply is not None:
                entry = self._parse(reply.text, url), Kept(reply.text, reply.etag, asked_at)
            elif known is not None:
                entry = known[0], Kept(known[1].text, known[1].etag, asked_at)
            else:
                raise PromptHubError("unavailable", f"{url} returned 304 without a cached response.")
        except PromptHubError as error:
            if error.code in ("not_found", "refused"):
                # When the hub reports that something does not exist, the cached response is removed
                # too: it may have been withdrawn on purpose.
                self._forget(url)
            if error.code != "unavailable" or error.status == 429 or known is None:
                raise
            age = max(0.0, time.time() - known[1].checked_at)
            self._settings.on_stale(url, age, error)
            return Answer(known[0], "stale", age)
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
