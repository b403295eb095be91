"""Reads prompts under a lock: only those in it, from vendored files if they exist, with every byte verified."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

from .cache import AnswerCache, CacheSettings
from .lock import Lock, LockedPrompt
from .ranges import satisfies
from .records import VersionRecord, read_version_record
from .trouble import PromptHubError
from .vendored import find_exact, read_vendored


class LockReader:
    """Locked prompts."""

    def __init__(self, url: str, lock: Lock, folder: str, settings: CacheSettings) -> None:
        """`folder` is the one that contains the lock."""
        self._url = url
        self._lock = lock
        self._folder = folder
        self._versions: AnswerCache[VersionRecord] = AnswerCache(read_version_record, settings)
        self._vendored: Dict[str, str] = {}

    def get(self, name: str, wish: Optional[Tuple[str, str]]) -> Tuple[VersionRecord, str]:
        """Returns the record and its source.

        Raises PromptHubError `not_locked` or `integrity`, and without a vendored file the errors of a request.
        """
        locked = self._lock.prompts.get(name)
        if locked is None:
            raise PromptHubError("not_locked", f"{name} is not in prompts.lock. Add it: hubcli add {name}")
        _require_granted(name, wish, locked)
        content = self._read_vendored(name, locked)
        if content is None:
            answer = self._versions.get(f"{self._url}/data/v1/repos/{name}/versions/{locked.version}.json", False)
            _require_same(name, locked, answer.value)
            return answer.value, answer.source
        details = locked.details
        return VersionRecord(name, locked.version, content, locked.sha256, details.variables, dict(details.parameters)), "lock"

    def _read_vendored(self, name: str, locked: LockedPrompt) -> Optional[str]:
        known = self._vendored.get(locked.sha256)
        if known is not None:
            return known
        data = read_vendored(self._folder, locked.path)
        if data is None:
            return None
        exact = find_exact(data, locked.sha256)
        if exact is None:
            what = f"{locked.path}, the vendored {name}, has other bytes than prompts.lock says"
            raise PromptHubError("integrity", f"{what}. Restore it: prompt-hub install --force")
        text = exact.decode("utf-8")
        self._vendored[locked.sha256] = text
        return text


def _require_granted(name: str, wish: Optional[Tuple[str, str]], locked: LockedPrompt) -> None:
    """Requires that the requested version matches the lock. Only the lock chooses versions, so any other request is
    rejected and not ignored."""
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
        raise PromptHubError("not_locked", f"{has}, which does not match the request.")


def _require_same(name: str, locked: LockedPrompt, record: VersionRecord) -> None:
    if record.content_sha256 != locked.sha256:
        raise PromptHubError("integrity", f"{name}@{locked.version}: the hub has other bytes than prompts.lock.")
