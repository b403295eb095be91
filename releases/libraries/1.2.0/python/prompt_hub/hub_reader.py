"""Reads prompts from a hub without a lock: resolves the requested version, and chooses the addresses to read."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence, Tuple, TypeVar

from .cache import Answer, AnswerCache, CacheSettings
from .prompt import Prompt, prompt_of
from .question import Wish
from .ranges import highest_in
from .records import RepositoryRecord, VersionRecord, VersionRow, read_repository_record, read_version_list
from .standing import Event, StandingWatch
from .trouble import PromptHubError
from .verify import require_record

Value = TypeVar("Value")


class HubReader:
    """The prompts of a hub."""

    def __init__(
        self,
        url: str,
        read_version: Callable[[str, str], VersionRecord],
        settings: CacheSettings,
        say: Callable[[Event], None],
    ) -> None:
        """`url` is the hub's address, without a final slash; `read_version` reads and verifies a version's record."""
        self._url = url
        self._versions: AnswerCache[VersionRecord] = AnswerCache(read_version, settings)
        self._repositories: AnswerCache[RepositoryRecord] = AnswerCache(_read_checked_repository, settings)
        self._lists: AnswerCache[Tuple[VersionRow, ...]] = AnswerCache(read_version_list, settings)
        self._standing = StandingWatch(url, self._repositories, self._lists, say)

    def get(self, name: str, wish: Wish) -> Prompt:
        """Gets the requested version; None means the latest.

        Raises PromptHubError `not_found` when there is no such prompt, version or label, `integrity` when the response
        does not match, or the error of the request.
        """
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
            # The record contains the full latest version, so the most common call takes one request.
            return self._prompt_from(name, latest, record.source, record.age, ())
        wanted = record.value.latest_version if label is None else record.value.labels.get(label)
        if wanted is None:
            known = ", ".join(record.value.labels) or "none"
            what = "no active version" if label is None else f"no label {label}; it has {known}"
            raise PromptHubError("not_found", f"{name} has {what}.")
        return self._read_version(name, wanted, (record.source, record.age), ())

    def list_versions(self, name: str) -> Sequence[VersionRow]:
        """The versions of a prompt, highest first, including yanked ones, which are marked."""
        return self._read_either(self._lists, f"repos/{name}/versions.json", f"repos/{name}/versions", lambda _: True).value

    def _read_version(
        self, name: str, version: str, found: Optional[Tuple[str, float]], unasked: Sequence[str]
    ) -> Prompt:
        """Reads a version's record.

        `found` says where its number was read; None when the caller gave it, because then it cannot change. `unasked`
        names the unread records that may contain notices about the version: whether it was yanked, or an advisory.
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
        return prompt_of(record, source, age, self._standing.of(name, record.version))

    def _read_either(
        self,
        cache: AnswerCache[Value],
        file: str,
        address: str,
        is_enough: Callable[[Value], bool],
        changes: bool = True,
    ) -> Answer[Value]:
        """Reads the static file first, because every mirror has it and it has no rate limit.

        If the file is missing or insufficient, the API is asked: it also knows publishes since the last build.
        """
        answer: Optional[Answer[Value]] = None
        refusal: Optional[PromptHubError] = None
        try:
            answer = cache.get(f"{self._url}/data/v1/{file}", changes)
            if is_enough(answer.value):
                return answer
        except PromptHubError as error:
            if error.code != "not_found":
                raise
            refusal = error
        try:
            return cache.get(f"{self._url}/api/v1/{address}", changes)
        except PromptHubError as error:
            # A mirror has no API, so there the file, or its absence, is the answer.
            if answer is not None:
                return answer
            raise error if error.code == "not_found" or refusal is None else refusal from None


def _read_checked_repository(text: str, url: str) -> RepositoryRecord:
    record = read_repository_record(text, url)
    if record.latest is not None:
        require_record(record.latest)
    return record


def _farther(a: str, b: str) -> str:
    """The source of a prompt from two responses: the more distant of the two."""
    return next((source for source in ("stale", "network", "disk") if source in (a, b)), "memory")


def _active(rows: Sequence[VersionRow]) -> List[str]:
    return [row.version for row in rows if not row.yanked]
