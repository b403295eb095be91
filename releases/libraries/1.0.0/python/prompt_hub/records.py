"""Owns the shapes of what a hub answers, as far as this library reads them, and the check that an answer has them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence, Tuple, Union, cast

from .trouble import PromptHubError

Scalar = Union[str, int, float, bool]


@dataclass(frozen=True)
class Variable:
    """A placeholder of a prompt as its author declared it."""

    name: str
    description: str = ""
    type: str = "string"
    """`string`, `number`, `integer`, `boolean` or `enum`."""
    required: bool = True
    default: Optional[Scalar] = None
    options: Tuple[str, ...] = ()
    """What an `enum` may be."""
    example: Optional[Scalar] = None


@dataclass(frozen=True)
class VersionRecord:
    """One version: it never changes once it is published."""

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
    """A warning of a maintainer about some versions."""

    range: str
    severity: str
    message: str


@dataclass(frozen=True)
class RepositoryRecord:
    """What may change of a repository."""

    full_name: str
    status: str
    status_message: Optional[str]
    latest_version: Optional[str]
    labels: Dict[str, str]
    advisories: Tuple[Advisory, ...]
    latest: Optional[VersionRecord]
    """The latest version whole, where the hub sends it."""


def read_version_record(text: str, url: str) -> VersionRecord:
    """Raises PromptHubError `unavailable` when the text is no version record: whoever answered is no hub."""
    data = _object(_data(text, url), url)
    try:
        return VersionRecord(
            full_name=_text(data["full_name"]),
            version=_text(data["version"]),
            content=_text(data["content"]),
            content_sha256=_text(data["content_sha256"]),
            variables=tuple(_variable(each) for each in _list(data["variables"])),
            parameters=_dict(data["parameters"]),
        )
    except (KeyError, TypeError) as error:
        raise _no_record(url) from error


def read_repository_record(text: str, url: str) -> RepositoryRecord:
    """Raises PromptHubError `unavailable` when the text is no repository record."""
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
    """Raises PromptHubError `unavailable` when the text is no list of versions."""
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
    variables = tuple(_variable(each) for each in _list(data["variables"]))
    return VersionRecord(name, version, content, digest, variables, _dict(data["parameters"]))


def _variable(value: object) -> Variable:
    data = _dict(value)
    return Variable(
        name=_text(data["name"]),
        description=_text(data.get("description", "")),
        type=_text(data.get("type", "string")),
        required=data.get("required") is not False,
        default=data.get("default"),
        options=tuple(_text(option) for option in _list(data.get("options", []))),
        example=data.get("example"),
    )


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
    return PromptHubError("unavailable", f"{url} did not answer with a record of a Prompt Hub.")
