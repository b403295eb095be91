"""The types of the hub's responses, as far as this library reads them, and their validation."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Callable, Dict, Optional, Sequence, Tuple, TypeVar, Union, cast

from .trouble import PromptHubError

Scalar = Union[str, int, float, bool]
Value = TypeVar("Value")
_TYPES = ("string", "number", "integer", "boolean", "enum")
_VARIABLE_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True)
class Variable:
    """A declared variable of a prompt."""

    name: str
    description: str = ""
    type: str = "string"
    """`string`, `number`, `integer`, `boolean` or `enum`."""
    required: bool = True
    default: Optional[Scalar] = None
    options: Tuple[str, ...] = ()
    """The allowed values of an `enum`."""
    example: Optional[Scalar] = None


@dataclass(frozen=True)
class VersionRecord:
    """One version; it never changes after publishing."""

    full_name: str
    version: str
    content: str
    content_sha256: str
    variables: Tuple[Variable, ...]
    parameters: Dict[str, Any]


@dataclass(frozen=True)
class VersionRow:
    """A version in the list of versions."""

    version: str
    yanked: bool
    yank_reason: Optional[str]
    content_sha256: str


@dataclass(frozen=True)
class Advisory:
    """An advisory about some versions."""

    range: str
    severity: str
    message: str
    versions: Tuple[str, ...]
    """The affected versions."""


@dataclass(frozen=True)
class RepositoryRecord:
    """The current state of a prompt's repository. Unlike a version, it may change."""

    full_name: str
    status: str
    status_message: Optional[str]
    latest_version: Optional[str]
    labels: Dict[str, str]
    replaced_by: Optional[str]
    """The recommended replacement."""
    moved_to: Optional[str]
    """The new location."""
    advisories: Tuple[Advisory, ...]
    latest: Optional[VersionRecord]
    """The full latest version, if the record contains it."""


def read_version_record(text: str, url: str) -> VersionRecord:
    """Parses a version's record and verifies its content.

    Raises PromptHubError `unavailable` when the text is invalid, because then something other than a hub has responded;
    `integrity` when the content does not match the record's own SHA-256.
    """
    return _read(text, url, _version)


def read_repository_record(text: str, url: str) -> RepositoryRecord:
    """Parses a repository's record and verifies the latest version in it. Raises PromptHubError like
    `read_version_record`."""
    return _read(text, url, _repository)


def read_version_list(text: str, url: str) -> Tuple[VersionRow, ...]:
    """Parses a list of versions. Raises PromptHubError `unavailable` when the text is invalid."""
    return _read(text, url, lambda data: tuple(_row(_dict(each)) for each in _list(data)))


def _read(text: str, url: str, parse: Callable[[object], Value]) -> Value:
    """Parses the data in a response; `parse` raises KeyError or TypeError when it is invalid."""
    try:
        return parse(_dict(json.loads(text))["data"])
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise PromptHubError("unavailable", f"{url} did not return a Prompt Hub record.") from error


def _version(value: object) -> VersionRecord:
    data = _dict(value)
    record = VersionRecord(
        full_name=_text(data["full_name"]),
        version=_text(data["version"]),
        content=_text(data["content"]),
        content_sha256=_text(data["content_sha256"]),
        variables=tuple(read_variable(each) for each in _list(data["variables"])),
        parameters=_dict(data["parameters"]),
    )
    try:
        digest = sha256(record.content.encode("utf-8")).hexdigest()
    except UnicodeEncodeError:
        digest = ""
    if digest != record.content_sha256:
        what = f"{record.full_name}@{record.version}"
        raise PromptHubError("integrity", f"{what} has other bytes than its SHA-256 says.")
    return record


def _repository(value: object) -> RepositoryRecord:
    data = _dict(value)
    message, latest = data["status_message"], data["latest_version"]
    is_full = all(isinstance(data.get(key), str) for key in ("full_name", "latest_version", "content", "content_sha256"))
    return RepositoryRecord(
        full_name=_text(data["full_name"]),
        status=_text(data["status"]),
        status_message=_text_or_none(message),
        latest_version=_text_or_none(latest),
        labels={name: _text(version) for name, version in _dict(data["labels"]).items()},
        replaced_by=_text_or_none(data.get("replaced_by")),
        moved_to=_text_or_none(data.get("moved_to")),
        advisories=tuple(
            Advisory(
                _text(each["range"]),
                _text(each["severity"]),
                _text(each["message"]),
                tuple(_text(version) for version in _list(each["versions"])),
            )
            for each in map(_dict, _list(data.get("advisories", [])))
        ),
        latest=_version({**data, "version": latest}) if is_full and "variables" in data and "parameters" in data else None,
    )


def _row(data: Dict[str, Any]) -> VersionRow:
    return VersionRow(_text(data["version"]), data["yanked"] is True, data.get("yank_reason"), _text(data["content_sha256"]))


def read_variable(value: object) -> Variable:
    """Parses a variable in a hub's response or in a lock, adding the defaults of omitted fields; raises KeyError or
    TypeError when it is invalid."""
    data = _dict(value)
    name, kind, required = _text(data["name"]), _text(data.get("type", "string")), data.get("required", True)
    if not _VARIABLE_NAME.fullmatch(name) or kind not in _TYPES or not isinstance(required, bool):
        raise TypeError("no variable")
    return Variable(
        name=name,
        description=_text(data.get("description", "")),
        type=kind,
        required=required,
        default=_scalar(data.get("default")),
        options=tuple(_text(option) for option in _list(data.get("options", []))),
        example=_scalar(data.get("example")),
    )


def _scalar(value: object) -> Optional[Scalar]:
    if value is not None and not isinstance(value, (str, int, float, bool)):
        raise TypeError("no scalar")
    return value


def _dict(value: object) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return cast(Dict[str, Any], value)


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return cast("Sequence[Any]", value)


def _text_or_none(value: object) -> Optional[str]:
    return None if value is None else _text(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
