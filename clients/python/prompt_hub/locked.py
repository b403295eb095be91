"""Reads prompts under a lock: only those in it, from vendored files if they exist, with every byte verified."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

from .arguments import Wish
from .cache import AnswerCache, CacheSettings, Call
from .lock import Lock, LockedPrompt
from .placed import read_content, read_file
from .prompt import Found
from .ranges import satisfies
from .records import VersionRecord, read_version_record
from .skill_reader import read_skill_file
from .skills import SKILL, SkillFile
from .source import read_either
from .split import LabelTarget, Split, choose_version
from .trouble import PromptHubError


class LockReader:
    """Locked prompts."""

    def __init__(self, url: str, lock: Lock, folder: str, settings: CacheSettings) -> None:
        """`folder` is the one that contains the lock."""
        self._url = url
        self._lock = lock
        self._folder = folder
        self._versions: AnswerCache[VersionRecord] = AnswerCache(read_version_record, settings)
        self._requests = settings.requests
        self._vendored: Dict[str, str] = {}

    def get(self, name: str, wish: Wish, call: Call, key: Optional[str] = None) -> Found:
        """Gets the locked version. `key` chooses the version of a label; the second one is not in the project, so it is read
        from the hub once.

        Raises PromptHubError `not_locked` or `integrity`, and without a vendored file the errors of a request.
        """
        locked = self._lock.prompts.get(name)
        if locked is None:
            raise PromptHubError("not_locked", f"{name} is not in prompts.lock. Add it: hubcli add {name}")
        _require_granted(name, wish, locked)
        label = wish[1] if wish is not None and wish[0] == "label" else None
        split = locked.split
        if split is not None and choose_version(LabelTarget(locked.version, Split(*split[:3])), key) == split.version:
            return self._read_exactly(name, split.version, split.sha256, label, call)
        content = self._read_vendored(name, locked)
        if content is None:
            return self._read_exactly(name, locked.version, locked.sha256, label, call)
        details = locked.details
        files = tuple(file for file in _files_of(locked) if file.path != SKILL)
        variables, parameters = details.variables, dict(details.parameters)
        record = VersionRecord(name, locked.version, content, locked.sha256, variables, parameters, files, locked.publisher)
        record = record._replace(skill="" if _files_of(locked) else None)
        return Found(record, "lock", 0.0, None, label)

    def _read_exactly(self, name: str, version: str, sha256: str, label: Optional[str], call: Call) -> Found:
        answer = read_either(lambda place: self._versions.get(self._url + place, False, call), f"repos/{name}/versions/{version}")
        if answer.value.content_sha256 != sha256:
            raise PromptHubError("integrity", f"{name}@{version}: the hub has other bytes than prompts.lock.")
        return Found(answer.value, answer.source, 0.0, None, label)

    def read_file(self, name: str, version: str, file: SkillFile) -> bytes:
        """Reads a file of a locked skill: the one in the project or, if there is none, that of the hub. Raises
        PromptHubError `integrity` for other bytes."""
        locked = self._lock.prompts[name]
        is_there = version == locked.version and file in _files_of(locked)
        there = read_file(self._folder, locked, file.path) if is_there else None
        return read_skill_file(self._url, self._requests, name, version, file) if there is None else there

    def _read_vendored(self, name: str, locked: LockedPrompt) -> Optional[str]:
        known = self._vendored.get(locked.sha256)
        if known is not None:
            return known
        data = read_content(self._folder, locked)
        if data is None:
            return None
        text = data.decode("utf-8")
        self._vendored[locked.sha256] = text
        return text


def _files_of(locked: LockedPrompt) -> Tuple[SkillFile, ...]:
    """The files of a skill, which are the same at each of its places except for the name in SKILL.md."""
    return next((place.files for place in locked.places if place.files), ())


def _require_granted(name: str, wish: Wish, locked: LockedPrompt) -> None:
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
