"""A hub with its options, and getting a prompt from it, with or without a lock."""

from __future__ import annotations

import math
import os
import time
from dataclasses import replace
from typing import Callable, List, Optional, Sequence, cast

from .address import HUB_URL
from .arguments import NOT_GIVEN, parse_arguments, require_key
from .breaker import Breaker
from .cache import CacheSettings, Call
from .hub_reader import HubReader
from .lock import require_hub_url
from .locked import LockReader
from .placed import open_lock
from .prompt import Found, Prompt, fallback_prompt
from .read_token import read_token_for
from .records import VersionRow
from .requests import RequestSettings
from .results import read_results
from .skill_reader import read_skill_file
from .skills import SkillFile
from .standing import Event
from .trouble import PromptHubError


class PromptHub:
    """A hub to get prompts from. Thread-safe."""

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        token: Optional[str] = None,
        lock: Optional[str] = None,
        cache_dir: Optional[str] = None,
        timeout: float = 5.0,
        retries: int = 2,
        deadline: float = 15.0,
        fresh: float = 60.0,
        revalidate: Optional[float] = 600.0,
        on_event: Optional[Callable[[Event], None]] = None,
    ) -> None:
        """Opens a hub; sends no request yet. Raises PromptHubError `invalid_request` when `url` is invalid, and like
        `open_lock` for `lock`.

        `url` is the hub's URL; default: the one in the lock or, without a lock, that of the hub from which this library
        was downloaded. `token` is for a private hub; default: HUB_TOKEN. It is sent only once the hub asks for one, only
        over https or to this machine, and only to the hub in `url`, in HUB_URL, or from which this library was downloaded.
        `lock` is the path of a prompts.lock: `get` then returns only its prompts, with exactly the
        locked bytes. `cache_dir` is a folder that stores responses beyond this process; by default they are only in
        memory. `timeout` limits one attempt, and `deadline` all of them including the pauses; `retries` is the number
        of retries. For `fresh` seconds a changing response is reused without a request, and for `revalidate`
        seconds after that (None: always) it is used at once and revalidated in the background; for an older one, a call
        waits for one attempt, and not at all while the hub does not respond. `on_event` is called with events that a
        program may want to log; exceptions in it are ignored.
        """
        if lock is not None and not isinstance(cast(object, lock), (str, os.PathLike)):
            raise PromptHubError("invalid_request", f"lock: expected the path of a prompts.lock, got {type(lock).__name__}")
        opened = None if lock is None else open_lock(lock)
        self.url = require_hub_url(url or (opened.hub if opened else HUB_URL))
        self._on_event = on_event
        self._requests = RequestSettings(timeout, retries, deadline, read_token_for(self.url, url, token))
        self._fresh, self._revalidate, self._is_closed = fresh, revalidate, False
        settings = CacheSettings(
            folder=cache_dir,
            requests=self._requests,
            breaker=Breaker(
                lambda where, pause, cause: self._say(Event("unreachable", where, f"not asked for {pause:.0f} s: {cause}"))
            ),
            on_stale=lambda where, age, cause: self._say(Event("stale", where, f"{age:.0f} s old: {cause or 'asked again'}")),
        )
        self._hub = HubReader(self.url, settings, self._say)
        self._locked: Optional[LockReader] = None
        if opened is not None and lock is not None:
            folder = os.path.dirname(os.path.abspath(lock))
            self._locked = LockReader(self.url, opened, folder, settings)

    def get(
        self,
        name: str,
        *,
        version: Optional[str] = None,
        range: Optional[str] = None,
        label: Optional[str] = None,
        key: Optional[str] = None,
        fallback: Optional[str] = None,
        fresh: Optional[float] = None,
        revalidate: Optional[float] = NOT_GIVEN,
        deadline: Optional[float] = None,
    ) -> Prompt:
        """Gets a prompt by `owner/name`, optionally with a version, range or label: `owner/name@^1.2`,
        `owner/name@production`.

        `key` names the caller, such as the ID of a user or tenant: with a label that offers a second version, the same
        key always gets the same one. It is not sent; without it, everybody gets the first.
        `fallback` is the text to use when the hub cannot be reached and nothing is cached; never used for a prompt that
        does not exist. `fresh` and `revalidate` are for this call, in seconds; default: those of the hub. `deadline` is how
        many seconds it waits; requests go on after it, so that the next call has their response.

        Raises PromptHubError `invalid_request` for an invalid name or version, `not_found`, `refused`
        or `unavailable` according to the hub's response, `integrity` for a checksum mismatch; under a lock also
        `not_locked`.
        """
        full_name, wish = parse_arguments(name, version, range, label)
        require_key(key)
        ends_at = time.monotonic() + (self._requests.deadline if deadline is None else deadline)
        call = replace(self._call(fresh, revalidate), ends_at=ends_at, has_fallback=fallback is not None)
        try:
            if self._locked is None:
                return self._prompt_of(self._hub.get(full_name, wish, call, key))
            return self._prompt_of(self._locked.get(full_name, wish, call, key), self._locked.read_file)
        except PromptHubError as error:
            if fallback is None or error.code != "unavailable":
                raise
            self._say(Event("fallback", full_name, str(error)))
            return fallback_prompt(
                full_name, fallback, lambda names: self._say(Event("unused_values", full_name, ", ".join(names)))
            )

    def all(self, owner: str, label: str) -> List[Prompt]:
        """Gets all listed prompts of an owner that have a label, by name, each at that label. Not affected by a lock.

        Raises PromptHubError `invalid_request` for an invalid owner or label, and like `get`; `not_found` also from a
        static mirror, if no prompt has the label.
        """
        parse_arguments(f"{owner}/all", None, None, label)
        return [self._prompt_of(found) for found in self._hub.get_all(owner, label, self._call())]

    def list_versions(self, name: str) -> Sequence[VersionRow]:
        """Lists the versions of a prompt, highest first, including yanked ones, which are marked. Not affected by a
        lock."""
        full_name, _ = parse_arguments(name, None, None, None)
        return self._hub.list_versions(full_name, self._call())

    def close(self) -> None:
        """Ends the use of this object: later calls raise PromptHubError `invalid_request`. A `with` block calls it."""
        self._is_closed = True

    def __enter__(self) -> "PromptHub":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, fresh: Optional[float] = None, revalidate: Optional[float] = NOT_GIVEN) -> Call:
        """What a call accepts; default: the options of the hub."""
        if self._is_closed:
            raise PromptHubError("invalid_request", "this hub is closed; get the prompts inside of its with block")
        if revalidate is NOT_GIVEN:
            revalidate = self._revalidate
        return Call(self._fresh if fresh is None else fresh, math.inf if revalidate is None else revalidate)

    def _prompt_of(self, found: Found, read_locked: Optional[Callable[[str, str, SkillFile], bytes]] = None) -> Prompt:
        """`read_locked` reads a file of a prompt under a lock."""
        name, version, sha256 = found.record.full_name, found.record.version, found.record.content_sha256
        return found.to_prompt(
            lambda file: read_locked(name, version, file) if read_locked else read_skill_file(self.url, self._requests, name, version, file),
            lambda: read_results(self.url, self._requests, name, version, sha256),
        )

    def _say(self, event: Event) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception:
            pass  # An error in the program's own function must not make a read fail.
