"""Owns the library's front door: a hub, and getting a prompt from it."""

from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, TypeVar

from .address import HUB_URL
from .cache import Answer, AnswerCache, CacheSettings
from .files import read_if_there, read_vendored
from .filling import fill_content, find_variables
from .lock import FULL_NAME, Lock, LockedPrompt, is_hub_address, parse_lock
from .ranges import highest_in, is_label, is_range, is_version, satisfies
from .records import (
    Advisory,
    RepositoryRecord,
    Variable,
    VersionRecord,
    VersionRow,
    read_repository_record,
    read_version_list,
    read_version_record,
)
from .requests import RequestSettings
from .trouble import PromptHubError

Value = TypeVar("Value")
Wish = Optional[Tuple[str, str]]
"""`("version" | "range" | "label", text)`, or None for the latest."""


@dataclass(frozen=True)
class Standing:
    """What its owner says of a prompt now: why it is deprecated, why this version was yanked, warnings about it."""

    deprecated: Optional[str]
    yanked: Optional[str]
    advisories: Tuple[Advisory, ...]


@dataclass(frozen=True)
class Event:
    """Something that a program may want to log: an answer is never anything but fresh without a word.

    `type` is `stale`, `fallback`, `deprecated`, `yanked`, `advisory` or `variables_unknown`; `subject` is what it is about.
    """

    type: str
    subject: str
    message: str


@dataclass(frozen=True)
class Prompt:
    """A prompt. `source` is `memory`, `disk`, `network`, `lock`, `stale` or `fallback`; `age` is in seconds."""

    name: str
    version: Optional[str]
    content: str
    sha256: Optional[str]
    variables: Tuple[Variable, ...]
    parameters: Mapping[str, Any]
    source: str
    age: float
    standing: Optional[Standing]

    def fill(self, values: Optional[Mapping[str, object]] = None, **more: object) -> str:
        """The text with its variables filled in: one pass, values are taken literally.

        Raises PromptHubError `invalid_values` that names every variable that is missing, unknown or of the wrong kind.
        """
        return fill_content(self.content, self.variables, {**(values or {}), **more})


class PromptHub:
    """A hub that prompts come from. Safe to use from several threads."""

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        lock: Optional[str] = None,
        cache_dir: Optional[str] = None,
        timeout: float = 5.0,
        retries: int = 2,
        deadline: float = 15.0,
        fresh: float = 60.0,
        revalidate: float = 600.0,
        on_event: Optional[Callable[[Event], None]] = None,
    ) -> None:
        """`lock` is the path of a prompts.lock: nothing is got that it does not name. `cache_dir` keeps answers beyond this process."""
        self._lock: Optional[Lock] = None if lock is None else open_lock(lock)
        self._lock_folder = "" if lock is None else os.path.dirname(os.path.abspath(lock))
        self.url = (url or (self._lock.hub if self._lock else HUB_URL)).rstrip("/")
        if not is_hub_address(self.url):
            raise PromptHubError("invalid_request", f"url: expected the address of a hub, got {self.url!r}")
        self._on_event = on_event
        self._said: Set[Event] = set()
        self._vendored: Dict[str, str] = {}
        settings = CacheSettings(
            fresh=fresh,
            revalidate=revalidate,
            folder=cache_dir,
            requests=RequestSettings(timeout, retries, deadline),
            on_stale=lambda where, age, cause: self._say(Event("stale", where, f"{age:.0f} s old: {cause or 'asked again'}")),
        )
        self._versions: AnswerCache[VersionRecord] = AnswerCache(_read_checked, settings)
        self._repositories: AnswerCache[RepositoryRecord] = AnswerCache(read_repository_record, settings)
        self._lists: AnswerCache[Tuple[VersionRow, ...]] = AnswerCache(read_version_list, settings)

    def get(
        self,
        name: str,
        *,
        version: Optional[str] = None,
        range: Optional[str] = None,
        label: Optional[str] = None,
        fallback: Optional[str] = None,
    ) -> Prompt:
        """Gets a prompt by `owner/name`, or with a wish behind it: `owner/name@^1.2`, `owner/name@production`.

        `fallback` is the text to use when the hub cannot be reached and nothing is kept; never in place of a prompt that does not exist.
        """
        full_name, wish = _read_question(name, version, range, label)
        try:
            if self._lock is not None:
                return self._get_locked(self._lock, full_name, wish)
            return self._get_from(full_name, wish)
        except PromptHubError as error:
            if fallback is None or error.code != "unavailable":
                raise
            self._say(Event("fallback", full_name, str(error)))
            variables = tuple(find_variables(fallback))
            return Prompt(full_name, None, fallback, None, variables, {}, "fallback", 0.0, None)

    def list_versions(self, name: str) -> Sequence[VersionRow]:
        """The versions of a prompt, highest first, yanked ones included and marked."""
        full_name, _ = _read_question(name, None, None, None)
        return self._read_either(
            self._lists, f"repos/{full_name}/versions.json", f"repos/{full_name}/versions", lambda _: True
        ).value

    def _get_from(self, name: str, wish: Wish) -> Prompt:
        if wish is not None and wish[0] == "version":
            return self._read_version(name, wish[1], None)
        if wish is not None and wish[0] == "range":
            range_ = wish[1]
            rows = self._read_either(
                self._lists,
                f"repos/{name}/versions.json",
                f"repos/{name}/versions",
                lambda rows: highest_in(_active(rows), range_) is not None,
            )
            chosen = highest_in(_active(rows.value), range_)
            if chosen is None:
                raise PromptHubError("not_found", f"{name} has no active version in {range_}.")
            return self._read_version(name, chosen, (rows.source, rows.age))
        label = None if wish is None else wish[1]
        record = self._read_either(
            self._repositories,
            f"repos/{name}.json",
            f"repos/{name}",
            lambda record: label is None or label in record.labels,
        )
        wanted = record.value.latest_version if label is None else record.value.labels.get(label)
        if wanted is None:
            known = ", ".join(record.value.labels) or "none"
            what = "no active version" if label is None else f"no label {label}; it has {known}"
            raise PromptHubError("not_found", f"{name} has {what}.")
        return self._read_version(name, wanted, (record.source, record.age))

    def _read_version(self, name: str, version: str, found: Optional[Tuple[str, float]]) -> Prompt:
        answer = self._read_either(
            self._versions,
            f"repos/{name}/versions/{version}.json",
            f"repos/{name}/versions/{version}",
            lambda _: True,
            changes=False,
        )
        record = answer.value
        if (record.full_name, record.version) != (name, version):
            raise PromptHubError("integrity", f"{name}@{version}: the hub answered {record.full_name}@{record.version}.")
        self._ask_standing(name, version, found is None)
        source = answer.source if found is None else _farther(found[0], answer.source)
        return _prompt(record, source, 0.0 if found is None else found[1], self._standing(name, version))

    def _read_either(
        self,
        cache: AnswerCache[Value],
        file: str,
        address: str,
        is_enough: Callable[[Value], bool],
        changes: bool = True,
    ) -> Answer[Value]:
        """The plain file, which no limit counts and every mirror has; the API where it knows more: a publish is there before the next build."""
        answer: Optional[Answer[Value]] = None
        refusal: Optional[PromptHubError] = None
        try:
            answer = cache.get(f"{self.url}/data/v1/{file}", changes)
            if is_enough(answer.value):
                return answer
        except PromptHubError as error:
            if error.code != "not_found":
                raise
            refusal = error
        try:
            return cache.get(f"{self.url}/api/v1/{address}", changes)
        except PromptHubError as error:
            # A mirror has no API: what its file said, or that it is missing, is the answer.
            if answer is not None:
                return answer
            raise error if error.code == "not_found" or refusal is None else refusal from None

    def _get_locked(self, lock: Lock, name: str, wish: Wish) -> Prompt:
        locked = lock.prompts.get(name)
        if locked is None:
            raise PromptHubError("not_locked", f"{name} is not in prompts.lock. Add it: hubcli add {name}")
        _require_granted(name, wish, locked)
        content = self._read_vendored(name, locked)
        try:
            answer = self._versions.get(f"{self.url}/data/v1/repos/{name}/versions/{locked.version}.json", False)
        except PromptHubError as error:
            if content is None or error.code == "integrity":
                raise
            self._say(Event("variables_unknown", name, str(error)))
            variables = tuple(find_variables(content))
            return Prompt(name, locked.version, content, locked.sha256, variables, {}, "lock", 0.0, None)
        if answer.value.content_sha256 != locked.sha256:
            raise PromptHubError("integrity", f"{name}@{locked.version}: the hub has other bytes than prompts.lock.")
        return _prompt(answer.value, answer.source if content is None else "lock", 0.0, None)

    def _read_vendored(self, name: str, locked: LockedPrompt) -> Optional[str]:
        known = self._vendored.get(locked.sha256)
        if known is not None:
            return known
        data = read_vendored(self._lock_folder, locked.path)
        if data is None:
            return None
        if hashlib.sha256(data).hexdigest() != locked.sha256:
            raise PromptHubError("integrity", f"{locked.path}, the vendored {name}, has other bytes than prompts.lock says.")
        text = data.decode("utf-8")
        self._vendored[locked.sha256] = text
        return text

    def _ask_standing(self, name: str, version: str, is_pinned: bool) -> None:
        """Asks in the background what the owner says of a prompt; nobody waits for it, and its failure is nobody's."""
        record_url = f"{self.url}/data/v1/repos/{name}.json"
        list_url = f"{self.url}/data/v1/repos/{name}/versions.json"
        if self._repositories.peek(record_url) is not None and (not is_pinned or self._lists.peek(list_url) is not None):
            self._say_standing(name, version)
            return

        def look() -> None:
            try:
                self._repositories.get(record_url, True)
                if is_pinned:
                    self._lists.get(list_url, True)
            except PromptHubError:
                return  # What was got is right either way; the next call asks again.
            self._say_standing(name, version)

        threading.Thread(target=look, daemon=True).start()

    def _standing(self, name: str, version: str) -> Optional[Standing]:
        record = self._repositories.peek(f"{self.url}/data/v1/repos/{name}.json")
        rows = self._lists.peek(f"{self.url}/data/v1/repos/{name}/versions.json")
        if record is None and rows is None:
            return None
        row = next((row for row in rows or () if row.version == version), None)
        deprecated = None
        if record is not None and record.status != "active":
            deprecated = record.status_message or record.status
        return Standing(
            deprecated=deprecated,
            yanked=(row.yank_reason or "yanked") if row is not None and row.yanked else None,
            advisories=tuple(each for each in (record.advisories if record else ()) if satisfies(version, each.range)),
        )

    def _say_standing(self, name: str, version: str) -> None:
        standing = self._standing(name, version)
        if standing is None:
            return
        events: List[Event] = []
        if standing.deprecated is not None:
            events.append(Event("deprecated", name, standing.deprecated))
        if standing.yanked is not None:
            events.append(Event("yanked", f"{name}@{version}", standing.yanked))
        events += [Event("advisory", f"{name}@{version}", f"{each.severity}: {each.message}") for each in standing.advisories]
        for event in events:
            if event not in self._said and len(self._said) < 10_000:
                self._said.add(event)
                self._say(event)

    def _say(self, event: Event) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception:
            pass  # Whoever is told may fail; that is no reason to fail a read.


def open_lock(path: str = "prompts.lock") -> Lock:
    """Reads a lock; raises PromptHubError `invalid_request` when there is none, `integrity` when it is not what a client would write."""
    data = read_if_there(path)
    if data is None:
        raise PromptHubError("invalid_request", f"There is no lock at {path}. Make one: hubcli add owner/name")
    try:
        return parse_lock(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise PromptHubError("integrity", f"{path} is no UTF-8.") from error


def _read_checked(text: str, url: str) -> VersionRecord:
    record = read_version_record(text, url)
    try:
        digest = hashlib.sha256(record.content.encode("utf-8")).hexdigest()
    except UnicodeEncodeError:
        digest = ""
    if digest != record.content_sha256:
        what = f"{record.full_name}@{record.version}"
        raise PromptHubError("integrity", f"{what} has other bytes than its SHA-256 says.")
    return record


def _read_question(
    name: str, version: Optional[str], range_: Optional[str], label: Optional[str]
) -> Tuple[str, Wish]:
    full_name, at, behind = name.partition("@")
    if not FULL_NAME.fullmatch(full_name):
        raise PromptHubError("invalid_request", f"expected owner/name, got {name[:120]!r}")
    given = [(kind, text) for kind, text in (("version", version), ("range", range_), ("label", label)) if text is not None]
    if at:
        given.append(("version" if is_version(behind) else "range" if is_range(behind) else "label", behind))
    if len(given) > 1:
        raise PromptHubError("invalid_request", f"{full_name}: give a version, a range or a label, not several")
    if not given:
        return full_name, None
    kind, text = given[0]
    if not {"version": is_version, "range": is_range, "label": is_label}[kind](text):
        raise PromptHubError("invalid_request", f"{full_name}: expected a {kind}, got {text[:60]!r}")
    return full_name, (kind, text)


def _require_granted(name: str, wish: Wish, locked: LockedPrompt) -> None:
    """A lock decides; asking for something else under it is a mistake that must be heard of."""
    if wish is None:
        return
    kind, text = wish
    is_met = (
        (kind == "version" and text == locked.version)
        or (kind == "range" and (text == locked.range or satisfies(locked.version, text)))
        or (kind == "label" and text == locked.range)
    )
    if not is_met:
        has = f"prompts.lock has {name} {locked.range} at {locked.version}"
        raise PromptHubError("not_locked", f"{has}, which is not what was asked for.")


def _prompt(record: VersionRecord, source: str, age: float, standing: Optional[Standing]) -> Prompt:
    return Prompt(
        record.full_name,
        record.version,
        record.content,
        record.content_sha256,
        record.variables,
        record.parameters,
        source,
        age,
        standing,
    )


def _farther(a: str, b: str) -> str:
    """Of two steps, the one that had to go farther says where a prompt came from."""
    return next((source for source in ("stale", "network", "disk") if source in (a, b)), "memory")


def _active(rows: Sequence[VersionRow]) -> List[str]:
    return [row.version for row in rows if not row.yanked]
