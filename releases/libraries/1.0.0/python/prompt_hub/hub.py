"""Owns the library's front door: a hub, and getting a prompt from it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, TypeVar

from .address import HUB_URL
from .cache import Answer, AnswerCache, CacheSettings
from .files import read_if_there
from .filling import fill_content, find_variables
from .lock import FULL_NAME, Lock, is_hub_address, parse_lock
from .locked import LockReader
from .ranges import highest_in, is_label, is_range, is_version
from .records import (
    RepositoryRecord,
    Variable,
    VersionRecord,
    VersionRow,
    read_repository_record,
    read_version_list,
    read_version_record,
)
from .requests import RequestSettings
from .standing import Event, Standing, StandingWatch
from .trouble import PromptHubError
from .verify import require_record

Value = TypeVar("Value")
Wish = Optional[Tuple[str, str]]
"""`("version" | "range" | "label", text)`, or None for the latest."""


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
        opened = None if lock is None else open_lock(lock)
        self.url = (url or (opened.hub if opened else HUB_URL)).rstrip("/")
        if not is_hub_address(self.url):
            raise PromptHubError("invalid_request", f"url: expected the address of a hub, got {self.url!r}")
        self._on_event = on_event
        settings = CacheSettings(
            fresh=fresh,
            revalidate=revalidate,
            folder=cache_dir,
            requests=RequestSettings(timeout, retries, deadline),
            on_stale=lambda where, age, cause: self._say(Event("stale", where, f"{age:.0f} s old: {cause or 'asked again'}")),
        )
        self._versions: AnswerCache[VersionRecord] = AnswerCache(_read_checked_version, settings)
        self._repositories: AnswerCache[RepositoryRecord] = AnswerCache(_read_checked_repository, settings)
        self._lists: AnswerCache[Tuple[VersionRow, ...]] = AnswerCache(read_version_list, settings)
        self._standing = StandingWatch(self.url, self._repositories, self._lists, self._say)
        self._locked: Optional[LockReader] = None
        if opened is not None and lock is not None:
            folder = os.path.dirname(os.path.abspath(lock))
            self._locked = LockReader(self.url, opened, folder, _read_checked_version, settings, self._say)

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
            if self._locked is None:
                return self._get_from(full_name, wish)
            record, source = self._locked.get(full_name, wish)
            return _prompt(record, source, 0.0, None)
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
            return self._read_version(name, wish[1], None, ("record", "list"))
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
            return self._read_version(name, chosen, (rows.source, rows.age), ("record",))
        label = None if wish is None else wish[1]
        record = self._read_either(
            self._repositories,
            f"repos/{name}.json",
            f"repos/{name}",
            lambda record: label is None or label in record.labels,
        )
        latest = record.value.latest
        if label is None and latest is not None:
            # The record holds the latest version whole: one request for what is asked for most.
            return self._prompt_from(name, latest, record.source, record.age, ())
        wanted = record.value.latest_version if label is None else record.value.labels.get(label)
        if wanted is None:
            known = ", ".join(record.value.labels) or "none"
            what = "no active version" if label is None else f"no label {label}; it has {known}"
            raise PromptHubError("not_found", f"{name} has {what}.")
        return self._read_version(name, wanted, (record.source, record.age), ())

    def _read_version(
        self, name: str, version: str, found: Optional[Tuple[str, float]], unasked: Sequence[str]
    ) -> Prompt:
        """`found`: where the version's number came from; None when the caller gave it, and then it cannot change.

        `unasked`: what was not asked for on the way and may say something of the version.
        """
        answer = self._read_either(
            self._versions,
            f"repos/{name}/versions/{version}.json",
            f"repos/{name}/versions/{version}",
            lambda _: True,
            changes=False,
        )
        if answer.value.version != version:
            raise PromptHubError("integrity", f"{name}@{version}: the hub answered {answer.value.version}.")
        source = answer.source if found is None else _farther(found[0], answer.source)
        return self._prompt_from(name, answer.value, source, 0.0 if found is None else found[1], unasked)

    def _prompt_from(self, name: str, record: VersionRecord, source: str, age: float, unasked: Sequence[str]) -> Prompt:
        if record.full_name != name:
            raise PromptHubError("integrity", f"{name}: the hub answered with {record.full_name}.")
        self._standing.ask(name, record.version, unasked)
        return _prompt(record, source, age, self._standing.of(name, record.version))

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


def _read_checked_version(text: str, url: str) -> VersionRecord:
    return require_record(read_version_record(text, url))


def _read_checked_repository(text: str, url: str) -> RepositoryRecord:
    record = read_repository_record(text, url)
    if record.latest is not None:
        require_record(record.latest)
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
