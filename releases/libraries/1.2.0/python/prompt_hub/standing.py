"""Notices about a prompt (deprecated, yanked, advisories): fetched in the background, and reported to the program
once."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence, Set, Tuple

from .cache import AnswerCache
from .ranges import satisfies
from .records import Advisory, RepositoryRecord, VersionRow
from .trouble import PromptHubError

_MAX_WARNED = 10_000


@dataclass(frozen=True)
class Standing:
    """The current notices: why the prompt is deprecated, why this version was yanked, advisories about it."""

    deprecated: Optional[str]
    yanked: Optional[str]
    advisories: Tuple[Advisory, ...]


@dataclass(frozen=True)
class Event:
    """Something that a program may want to log: a response that was not fresh, or a notice about a prompt.

    `type` is `stale`, `fallback`, `deprecated`, `yanked`, `advisory` or `variables_unknown`; `subject` is what it is
    about.
    """

    type: str
    subject: str
    message: str


class StandingWatch:
    """Derives notices from the cached records, and reports those about the prompts in use."""

    def __init__(
        self,
        url: str,
        repositories: AnswerCache[RepositoryRecord],
        lists: AnswerCache[Tuple[VersionRow, ...]],
        say: Callable[[Event], None],
    ) -> None:
        self._url = url
        self._repositories = repositories
        self._lists = lists
        self._say = say
        self._said: Set[Event] = set()

    def ask(self, name: str, version: str, unasked: Sequence[str]) -> None:
        """Reports notices about a version once the unread records (`record`, `list`) have arrived.

        The caller does not wait for them, and nothing is reported if they are unavailable.
        """
        record_url, list_url = self._record_url(name), self._list_url(name)
        has_record = "record" not in unasked or self._repositories.is_fresh(record_url)
        has_list = "list" not in unasked or self._lists.is_fresh(list_url)
        if has_record and has_list:
            self._tell(name, version)
            return

        def look() -> None:
            try:
                if not has_record:
                    self._repositories.get(record_url, True)
                if not has_list:
                    self._lists.get(list_url, True)
            except PromptHubError:
                return  # The prompt was got all the same, and the next call asks again.
            self._tell(name, version)

        threading.Thread(target=look, daemon=True).start()

    def of(self, name: str, version: str) -> Optional[Standing]:
        """The notices about a version; None while no record of its prompt is cached."""
        record = self._repositories.peek(self._record_url(name))
        rows = self._lists.peek(self._list_url(name))
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

    def _record_url(self, name: str) -> str:
        return f"{self._url}/data/v1/repos/{name}.json"

    def _list_url(self, name: str) -> str:
        return f"{self._url}/data/v1/repos/{name}/versions.json"

    def _tell(self, name: str, version: str) -> None:
        standing = self.of(name, version)
        if standing is None:
            return
        events: List[Event] = []
        if standing.deprecated is not None:
            events.append(Event("deprecated", name, standing.deprecated))
        if standing.yanked is not None:
            events.append(Event("yanked", f"{name}@{version}", standing.yanked))
        events += [Event("advisory", f"{name}@{version}", f"{each.severity}: {each.message}") for each in standing.advisories]
        for event in events:
            if event not in self._said and len(self._said) < _MAX_WARNED:
                self._said.add(event)
                self._say(event)
