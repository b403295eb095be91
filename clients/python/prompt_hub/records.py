"""The types of the hub's responses, as far as this library reads them, and their validation."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar

from .publisher import Publisher
from .ranges import highest_in, is_range, is_version
from .skills import SkillFile, read_files, read_tools
from .split import LabelTarget, Split, choose_version
from .trouble import PromptHubError
from .variable import Variable, as_dict, as_list, as_text, read_variable, text_or_none

Value = TypeVar("Value")


_ADDRESS = re.compile(r"[a-z0-9-]{1,39}/[a-z0-9-]{1,64}@[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}")


class VersionRecord(NamedTuple):
    """One version; it never changes after publishing."""

    full_name: str
    version: str
    content: str
    content_sha256: str
    variables: Tuple[Variable, ...]
    parameters: Dict[str, Any]
    files: Tuple[SkillFile, ...] = ()
    """The files of an Agent Skill, without its SKILL.md."""
    publisher: Optional[Publisher] = None
    """The workflow that published it, as the hub says; None for a token or a person."""
    bundle_sha256: Optional[str] = None
    """The digest of the archive of a skill with other files."""
    included: Tuple[str, ...] = ()
    """The versions whose content it includes, each once, as in `acme/house-style@1.4.0`."""
    format: Optional[str] = None
    """`text` or `chat`; None in a record that does not say it."""
    allowed_tools: Tuple[str, ...] = ()
    """The tools that a skill asks to use without a question."""
    skill: Optional[str] = None
    """The description of an Agent Skill, which a lock does not have: then empty; None for any other prompt."""


class ModelStatus(NamedTuple):
    """What a provider has announced about a model."""

    model: str
    retires_at: str
    """The day, in UTC, from which it is no longer served, as in `2026-12-11`."""
    replaced_by: Optional[str]
    """The model that its provider recommends instead."""


class LabelledPrompt(NamedTuple):
    """A prompt at a label."""

    full_name: str
    version: str
    content_sha256: str


class VersionRow(NamedTuple):
    """A version in the list of versions."""

    version: str
    yanked: bool
    yank_reason: Optional[str]
    content_sha256: str
    available_at: Optional[str] = None
    """Since when readers can have it, as in `2026-11-20T10:00:00Z`."""
    model_status: Optional[ModelStatus] = None
    """When its model retires, if that is announced."""
    changelog: Optional[str] = None
    """What changed, from a page of the list; None in the file with all versions."""


class Change(NamedTuple):
    """What a version changes for callers of the version before."""

    version: str
    reasons: Tuple[str, ...]
    """Why it is a breaking change, such as `adds required variable lang`; empty if it is none."""


class Advisory(NamedTuple):
    """An advisory about some versions."""

    range: str
    severity: str
    message: str
    versions: Tuple[str, ...]
    """The affected versions."""


class RepositoryRecord(NamedTuple):
    """The current state of a prompt's repository. Unlike a version, it may change."""

    full_name: str
    status: str
    status_message: Optional[str]
    latest_version: Optional[str]
    labels: Dict[str, LabelTarget]
    replaced_by: Optional[str]
    """The recommended replacement."""
    moved_to: Optional[str]
    """The new location."""
    advisories: Tuple[Advisory, ...]
    latest: Optional[VersionRecord]
    """The full latest version, if the record contains it."""


def read_version_record(text: str, url: str) -> VersionRecord:
    """Parses a version's record, or the latest version in a repository's, and verifies its content.

    Raises PromptHubError `unavailable` when the text is invalid, because then something other than a hub has responded;
    `integrity` when the content does not match the record's own SHA-256.
    """
    return _read(text, url, _version)


def read_raw_record(text: str, url: str) -> Dict[str, Any]:
    """Parses a version's record, and leaves it as it is. Raises PromptHubError `unavailable` when the text is invalid."""
    return _read(text, url, as_dict)


def read_repository_record(text: str, url: str) -> RepositoryRecord:
    """Parses a repository's record and verifies the latest version in it. Raises PromptHubError like
    `read_version_record`."""
    return _read(text, url, _repository)


def read_version_list(text: str, url: str) -> Tuple[VersionRow, ...]:
    """Parses a list of versions. Raises PromptHubError `unavailable` when the text is invalid."""
    return _read(text, url, lambda data: tuple(_row(as_dict(each)) for each in as_list(data)))


def read_changes(text: str, url: str) -> Tuple[Change, ...]:
    """Parses the list of what versions change for callers. Raises PromptHubError `unavailable` when the text is invalid."""
    return _read(text, url, lambda data: tuple(_change(as_dict(each)) for each in as_list(data)))


def read_label_list(text: str, url: str) -> Tuple[LabelledPrompt, ...]:
    """Parses the list of an owner's prompts at a label. Raises PromptHubError `unavailable` when the text is invalid, or
    lacks some of the prompts."""
    fields = LabelledPrompt._fields
    rows = _read(text, url, lambda data: tuple(LabelledPrompt(*(as_text(as_dict(each)[key]) for key in fields)) for each in as_list(data)))
    if as_dict(as_dict(json.loads(text)).get("meta")).get("total") != len(rows):
        raise PromptHubError("unavailable", f"{url} does not list all prompts. Get them one by one.")
    return rows


def active_of(rows: Sequence[VersionRow]) -> List[str]:
    """The versions that were not yanked."""
    return [row.version for row in rows if not row.yanked]


def find_wanted(
    range_: str, labels: Mapping[str, LabelTarget], rows: Sequence[VersionRow], key: Optional[str] = None
) -> Optional[str]:
    """The version that a range or a label selects, for a caller with a key, or None. Never a yanked one."""
    active = active_of(rows)
    if is_range(range_):
        return highest_in(active, range_)
    target = labels.get(range_)
    version = None if target is None else choose_version(target, key)
    return version if version in active else None


def _read(text: str, url: str, parse: Callable[[object], Value]) -> Value:
    """Parses the data in a response; `parse` raises KeyError or TypeError when it is invalid."""
    try:
        return parse(as_dict(json.loads(text))["data"])
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise PromptHubError("unavailable", f"{url} did not return a Prompt Hub record.") from error


def _version(value: object) -> VersionRecord:
    data = as_dict(value)
    record = VersionRecord(
        full_name=as_text(data["full_name"]),
        version=as_text(data.get("version", data.get("latest_version"))),
        content=as_text(data["content"]),
        content_sha256=as_text(data["content_sha256"]),
        variables=tuple(read_variable(each) for each in as_list(data["variables"])),
        parameters=as_dict(data["parameters"]),
        files=tuple(read_files(as_list(data.get("files", [])))),
        publisher=publisher_of(data),
        bundle_sha256=text_or_none(data.get("bundle_sha256")),
        included=_included(as_list(data.get("includes", []))),
        format=data["format"] if data.get("format") in ("text", "chat") else None,
        allowed_tools=read_tools(data.get("skill")),
        skill=None if data.get("skill") is None else text_or_none(data["skill"].get("description")) or "",
    )
    try:
        digest = sha256(record.content.encode("utf-8")).hexdigest()
    except UnicodeEncodeError:
        digest = ""
    if digest != record.content_sha256:
        what = f"{record.full_name}@{record.version}"
        raise PromptHubError("integrity", f"{what} has other bytes than its SHA-256 says.")
    return record


def _included(includes: Sequence[Any]) -> Tuple[str, ...]:
    found = tuple(dict.fromkeys(f"{as_text(as_dict(each)['repository'])}@{as_text(as_dict(each)['version'])}" for each in includes))
    if not all(_ADDRESS.fullmatch(each) for each in found):
        raise TypeError("no address of a version")
    return found


def publisher_of(data: Dict[str, Any]) -> Optional[Publisher]:
    """The workflow that published a version, from its record; raises KeyError or TypeError when it is invalid."""
    if data.get("publisher") is None:
        return None
    publisher = as_dict(data["publisher"])
    attested = bool(as_list(data.get("attestations", [])))
    return Publisher(as_text(publisher["repository"]), as_text(publisher["workflow"]), attested)


def _repository(value: object) -> RepositoryRecord:
    data = as_dict(value)
    message, latest = data["status_message"], data["latest_version"]
    is_full = all(isinstance(data.get(key), str) for key in ("full_name", "latest_version", "content", "content_sha256"))
    return RepositoryRecord(
        full_name=as_text(data["full_name"]),
        status=as_text(data["status"]),
        status_message=text_or_none(message),
        latest_version=text_or_none(latest),
        labels={name: _target(as_dict(each)) for name, each in as_dict(data["labels"]).items()},
        replaced_by=text_or_none(data.get("replaced_by")),
        moved_to=text_or_none(data.get("moved_to")),
        advisories=tuple(
            Advisory(
                as_text(each["range"]),
                as_text(each["severity"]),
                as_text(each["message"]),
                tuple(as_text(version) for version in as_list(each["versions"])),
            )
            for each in map(as_dict, as_list(data.get("advisories", [])))
        ),
        latest=_version(data) if is_full and "variables" in data and "parameters" in data else None,
    )


def _target(data: Dict[str, Any]) -> LabelTarget:
    if data["split"] is None:
        return LabelTarget(as_text(data["version"]))
    split = as_dict(data["split"])
    version, salt, percent = as_text(split["version"]), as_text(split["salt"]), split["percent"]
    if not (isinstance(percent, int) and is_version(version) and re.fullmatch("[A-Za-z0-9]{16,64}", salt)):
        raise TypeError("no split")
    return LabelTarget(as_text(data["version"]), Split(version, percent, salt))


def _change(data: Dict[str, Any]) -> Change:
    if not is_version(as_text(data["to"])):
        raise TypeError("no version")
    return Change(as_text(data["to"]), tuple(as_text(each) for each in as_list(data.get("reasons", []))))


def _row(data: Dict[str, Any]) -> VersionRow:
    version, digest = as_text(data["version"]), as_text(data["content_sha256"])
    if not is_version(version) or not re.fullmatch("[0-9a-f]{64}", digest):
        raise TypeError("no version")
    available_at, model = text_or_none(data.get("available_at")), None
    if data.get("model_status") is not None:
        status = as_dict(data["model_status"])
        model = ModelStatus(as_text(status["model"]), as_text(status["retires_at"]), text_or_none(status.get("replaced_by")))
    reason, changelog = text_or_none(data.get("yank_reason")), text_or_none(data.get("changelog"))
    return VersionRow(version, data.get("yanked") is True, reason, digest, available_at, model, changelog)
