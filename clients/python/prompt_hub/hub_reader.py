"""Reads prompts from a hub without a lock: resolves the requested version, chooses the URLs to read, and reports notices
about the prompts in use."""

from __future__ import annotations

import contextlib
import threading
from typing import Callable, List, Optional, Sequence, Set, Tuple, TypeVar

from .arguments import Wish
from .cache import Answer, AnswerCache, CacheSettings, Call
from .prompt import Found
from .records import (
    LabelledPrompt,
    RepositoryRecord,
    VersionRecord,
    VersionRow,
    find_wanted,
    read_label_list,
    read_repository_record,
    read_version_list,
    read_version_record,
)
from .review import explain_none
from .source import read_either, read_pages
from .split import choose_version
from .standing import Event, Standing, events_of, standing_of
from .trouble import PromptHubError

Value = TypeVar("Value")
# Maximum number of reported events that are remembered. Beyond that no more are reported, because any of them might be
# a repetition.
_MAX_REPORTED = 10_000


class HubReader:
    """The prompts of a hub."""

    def __init__(self, url: str, settings: CacheSettings, say: Callable[[Event], None]) -> None:
        """`url` is the hub's URL, without a trailing slash."""
        self._url = url
        self._say = say
        self._versions: AnswerCache[VersionRecord] = AnswerCache(read_version_record, settings)
        self._repositories: AnswerCache[RepositoryRecord] = AnswerCache(read_repository_record, settings)
        self._lists: AnswerCache[Tuple[VersionRow, ...]] = AnswerCache(read_version_list, settings)
        self._labels: AnswerCache[Tuple[LabelledPrompt, ...]] = AnswerCache(read_label_list, settings)
        self._reported: Set[Event] = set()

    def get(self, name: str, wish: Wish, call: Call, key: Optional[str] = None) -> Found:
        """Gets the requested version; None means the latest. `key` chooses the version of a label.

        Raises PromptHubError `not_found` when there is no such prompt, version or label, `integrity` when the response
        does not match, or the error of the request.
        """
        if wish is not None and wish[0] == "version":
            return self._read_version(name, wish[1], None, ("record", "list"), call)
        if wish is not None and wish[0] == "range":
            range_ = wish[1]
            rows = self._read_rows(name, lambda rows: find_wanted(range_, {}, rows) is not None, call)
            chosen = find_wanted(range_, {}, rows.value)
            if chosen is None:
                raise PromptHubError("not_found", explain_none(name, range_, {}, rows.value))
            return self._read_version(name, chosen, (rows.source, rows.age), ("record",), call)
        label = None if wish is None else wish[1]
        record = self._read_either(
            self._repositories,
            f"repos/{name}",
            call,
            # The API knows where a prompt is that was renamed, and redirects there.
            is_enough=lambda record: not record.moved_to and (label is None or label in record.labels),
        )
        latest = record.value.latest
        target = None if label is None else record.value.labels.get(label)
        wanted = record.value.latest_version if label is None else target and choose_version(target, key)
        # If the file says nothing of a move, a record with another name is not that of this prompt.
        file = self._repositories.peek(self._file_url(f"repos/{name}"))
        now = record.value.full_name if record.value is not file and (not file or file.moved_to) else name
        unread = () if now == name else ("record",)
        if now != name:
            self._report(name, "", Standing(f"moved to {now}", None, ()))
        if label is None and latest is not None:
            # The record contains the full latest version, so the most common call takes one request.
            return self._found(now, latest, record.source, record.age, unread, call)
        if wanted is None:
            raise PromptHubError("not_found", explain_none(now, label or "*", record.value.labels, ()))
        return self._read_version(now, wanted, (record.source, record.age), unread, call)._replace(label=label)

    def get_all(self, owner: str, label: str, call: Call) -> List[Found]:
        """The prompts of an owner at a label, by name. Raises PromptHubError like `get`."""
        answer = self._read_either(self._labels, f"users/{owner}/labels/{label}", call)
        found: List[Found] = []
        for row in answer.value:
            one = self._read_version(row.full_name, row.version, (answer.source, answer.age), ("record",), call)
            found.append(one._replace(label=label))
            if found[-1].record.content_sha256 != row.content_sha256:
                raise PromptHubError("integrity", f"{row.full_name}@{row.version} has other bytes than the list of {label} says.")
        return found

    def list_versions(self, name: str, call: Call) -> Sequence[VersionRow]:
        """The versions of a prompt, highest first, including yanked ones, which are marked."""
        return self._read_either(self._lists, f"repos/{name}/versions", call).value

    def _read_version(
        self, name: str, version: str, found: Optional[Tuple[str, float]], unread: Sequence[str], call: Call
    ) -> Found:
        """Reads a version's record.

        `found` says where its number was read; None when the caller gave it, because then it cannot change. `unread`
        names the records (`record`, `list`) that may contain notices and were not read for this call.
        """
        answer = self._read_either(self._versions, f"repos/{name}/versions/{version}", call, changes=False)
        if answer.value.version != version:
            raise PromptHubError("integrity", f"{name}@{version}: the hub returned {answer.value.version}.")
        source = answer.source if found is None else _farther(found[0], answer.source)
        return self._found(name, answer.value, source, 0.0 if found is None else found[1], unread, call)

    def _found(
        self, name: str, record: VersionRecord, source: str, age: float, unread: Sequence[str], call: Call
    ) -> Found:
        if record.full_name != name:
            raise PromptHubError("integrity", f"{name}: the hub returned {record.full_name}.")
        self._watch(name, record.version, unread, call)
        return Found(record, source, age, self._standing_of(name, record.version))

    def _watch(self, name: str, version: str, unread: Sequence[str], call: Call) -> None:
        """Reports the notices about a version once the unread records have arrived.

        Does not wait for them, and reports nothing if they are unavailable.
        """
        record_url, list_url = self._file_url(f"repos/{name}"), self._file_url(f"repos/{name}/versions")
        needs_record = "record" in unread and not self._repositories.is_fresh(record_url, call)
        needs_list = "list" in unread and not self._lists.is_fresh(list_url, call)
        if not needs_record and not needs_list:
            self._report(name, version, self._standing_of(name, version))
            return

        # The prompt has been returned, so a hub that has just failed is not asked.
        later = Call(call.fresh, call.revalidate, has_fallback=True)

        def read() -> None:
            try:
                if needs_record:
                    self._repositories.get(record_url, True, later)
                if needs_list:
                    self._lists.get(list_url, True, later)
            except PromptHubError:
                return  # The prompt was returned anyway, and the next call tries again.
            self._report(name, version, self._standing_of(name, version))

        # Without a free thread, the next call tries again.
        with contextlib.suppress(RuntimeError):
            threading.Thread(target=read, daemon=True).start()

    def _report(self, name: str, version: str, standing: Optional[Standing]) -> None:
        """Reports each notice about a version once."""
        for event in events_of(name, version, standing):
            if event not in self._reported and len(self._reported) < _MAX_REPORTED:
                self._reported.add(event)
                self._say(event)

    def _standing_of(self, name: str, version: str) -> Optional[Standing]:
        record = self._repositories.peek(self._file_url(f"repos/{name}"))
        return standing_of(version, record, self._lists.peek(self._file_url(f"repos/{name}/versions")))

    def _file_url(self, path: str) -> str:
        return f"{self._url}/data/v1/{path}.json"

    def _read_rows(
        self, name: str, is_enough: Callable[[Sequence[VersionRow]], bool], call: Call
    ) -> Answer[Tuple[VersionRow, ...]]:
        """Reads the list of versions: the static file has all, the API has pages."""

        def get(place: str) -> Answer[Tuple[VersionRow, ...]]:
            first = self._lists.get(self._url + place, True, call)
            if not place.startswith("/api/"):
                return first
            rows = read_pages(first.value, lambda page: self._lists.get(f"{self._url}{place}?page={page}", True, call).value, is_enough)
            return Answer(rows, first.source, first.age)

        return read_either(get, f"repos/{name}/versions", lambda answer: is_enough(answer.value))

    def _read_either(
        self,
        cache: AnswerCache[Value],
        path: str,
        call: Call,
        changes: bool = True,
        is_enough: Callable[[Value], bool] = lambda _: True,
    ) -> Answer[Value]:
        """Reads the static file or, if it is missing or insufficient, asks the API."""
        return read_either(lambda place: cache.get(self._url + place, changes, call), path, lambda answer: is_enough(answer.value))


def _farther(a: str, b: str) -> str:
    """The source of a prompt from two responses: the more distant of the two."""
    return next((source for source in ("stale", "network", "disk") if source in (a, b)), "memory")
