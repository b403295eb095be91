"""The types of the hub's responses, as far as this library reads them, and their validation."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence, Tuple, Union, cast

from .trouble import PromptHubError

Scalar = Union[str, int, float, bool]
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


@dataclass(frozen=True)
class RepositoryRecord:
    """The current state of a prompt's repository. Unlike a version, it may change."""

    full_name: str
    status: str
    status_message: Optional[str]
    latest_version: Optional[str]
    labels: Dict[str, str]
    advisories: Tuple[Advisory, ...]
    latest: Optional[VersionRecord]
    """The full latest version, if the record contains it."""


def read_version_record(text: str, url: str) -> VersionRecord:
    """Parses a version's record. Raises PromptHubError `unavailable` when the text is invalid, because then something
    other than a hub has responded."""
    data = _object(_data(text, url), url)
    try:
        return VersionRecord(
            full_name=_text(data["full_name"]),
            version=_text(data["version"]),
            content=_text(data["content"]),
            content_sha256=_text(data["content_sha256"]),
            variables=tuple(read_variable(each) for each in _list(data["variables"])),
            parameters=_dict(data["parameters"]),
        )
    except (KeyError, TypeError) as error:
        raise _no_record(url) from error


def read_repository_record(text: str, url: str) -> RepositoryRecord:
    """Parses a repository's record. Raises PromptHubError `unavailable` when the text is invalid."""
    data = _object(_data(text, url), url)
    try:
        message, latest = data["status_message"], data["latest_version"]
        return RepositoryRecord(
            full_name=_text(data["full_name"]),
            status=_text(data["status"]),
            status_message=None if message is None else _text(message),
            latest_version=None if latest is None else _text(latest),
            labels={name: _text(version) for name, version in _dict(data["labels"]).items()},
            advisories=tuple(
                Advisory(_text(each["range"]), _text(each["severity"]), _text(each["message"]))
                for each in map(_dict, _list(data.get("advisories", [])))
            ),
            latest=_latest(data),
        )
    except (KeyError, TypeError) as error:
        raise _no_record(url) from error


def read_version_list(text: str, url: str) -> Tuple[VersionRow, ...]:
    """Parses a list of versions. Raises PromptHubError `unavailable` when the text is invalid."""
    try:
        rows = [_dict(row) for row in _list(_data(text, url))]
        return tuple(
            VersionRow(_text(row["version"]), row["yanked"] is True, row.get("yank_reason"), _text(row["content_sha256"]))
            for row in rows
        )
    except (KeyError, TypeError) as error:
        raise _no_record(url) from error


def _latest(data: Dict[str, Any]) -> Optional[VersionRecord]:
    texts = [data.get(key) for key in ("full_name", "latest_version", "content", "content_sha256")]
    if not all(isinstance(text, str) for text in texts) or "variables" not in data or "parameters" not in data:
        return None
    name, version, content, digest = map(_text, texts)
    variables = tuple(read_variable(each) for each in _list(data["variables"]))
    return VersionRecord(name, version, content, digest, variables, _dict(data["parameters"]))


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


def _data(text: str, url: str) -> object:
    try:
        answer: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_record(url) from error
    return _object(answer, url).get("data")


def _object(value: object, url: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise _no_record(url)
    return cast(Dict[str, Any], value)


def _dict(value: object) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return cast(Dict[str, Any], value)


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return cast("Sequence[Any]", value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _no_record(url: str) -> PromptHubError:
    return PromptHubError("unavailable", f"{url} did not return a Prompt Hub record.")
