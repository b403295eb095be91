"""The text of the lock file: parses it strictly and formats it so that every client writes the same bytes.
docs/lock-file.md"""

from __future__ import annotations

import json
import re
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, cast

from .filling import spell
from .ranges import is_label, is_range, is_version, satisfies
from .records import Variable, read_variable
from .trouble import PromptHubError

FULL_NAME = re.compile(r"[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}/[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,63}")
_HUB = re.compile(r"https?://[!-\"$-~]+")
_INDEX = re.compile("0|[1-9][0-9]{0,9}")
# What git writes around the sides of a conflict.
_CONFLICT = re.compile("(?:<{7}|={7}|>{7})(?: |\r?$)")
# The number of the format. Clients that know another format do not read it.
_FORMAT = 1
_MAX_PROMPTS = 1_000
_MAX_BYTES = 16_777_216
_MAX_DEPTH = 32


@dataclass(frozen=True)
class LockedDetails:
    """The parts of a version in a lock besides its digest, so that it can be used without a hub."""

    variables: Tuple[Variable, ...]
    parameters: Mapping[str, Any]


@dataclass
class LockedPrompt:
    """One prompt of a lock: the requested range or label, the locked version, the SHA-256 of its content, and its
    path."""

    range: str
    version: str
    sha256: str
    path: str
    details: LockedDetails
    """The inputs of filling."""


@dataclass
class Lock:
    """The contents of `prompts.lock`."""

    hub: str
    prompts: Dict[str, LockedPrompt] = field(default_factory=lambda: {})


def format_lock(lock: Lock) -> str:
    """Formats a lock. Every client writes the same bytes for the same lock."""
    prompts = {name: _locked_data(each) for name, each in sorted(lock.prompts.items())}
    return _write_json({"lockfile": _FORMAT, "hub": lock.hub, "prompts": prompts}, "") + "\n"


def _locked_data(each: LockedPrompt) -> Dict[str, object]:
    return {
        "range": each.range,
        "version": each.version,
        "sha256": each.sha256,
        "path": each.path,
        "variables": [_variable_data(variable) for variable in each.details.variables],
        "parameters": each.details.parameters,
    }


def _variable_data(variable: Variable) -> Dict[str, object]:
    return {
        "name": variable.name,
        "description": variable.description,
        "type": variable.type,
        "required": variable.required,
        "default": variable.default,
        "options": list(variable.options),
        "example": variable.example,
    }


def _write_json(value: object, indent: str) -> str:
    """A value as `JSON.stringify(value, null, 2)` writes it in JavaScript."""
    inner = indent + "  "
    if isinstance(value, dict):
        data = cast(Dict[str, object], value)
        lines = [f"{inner}{_write_json(key, inner)}: {_write_json(data[key], inner)}" for key in _in_order(data)]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}" if lines else "{}"
    if isinstance(value, list):
        lines = [inner + _write_json(each, inner) for each in cast(List[object], value)]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]" if lines else "[]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return spell(value) or "null"
    return json.dumps(value, ensure_ascii=False)


def _in_order(data: Mapping[str, object]) -> List[str]:
    """Keys in JavaScript's order: integer keys come first."""
    indexes = [key for key in data if _INDEX.fullmatch(key) and int(key) < 2**32 - 1]
    return sorted(indexes, key=int) + [key for key in data if key not in indexes]


def _is_keepable(value: object, depth: int = _MAX_DEPTH) -> bool:
    """Whether every client stores a value as the same bytes: no lone surrogates, only JSON numbers, not nested too
    deeply."""
    if isinstance(value, str):
        return not re.search("[\ud800-\udfff]", value)
    if isinstance(value, (int, float)):
        return isinstance(value, bool) or spell(value) is not None
    if isinstance(value, dict):
        data = cast(Dict[str, object], value)
        return depth > 0 and all(_is_keepable(key) and _is_keepable(each, depth - 1) for key, each in data.items())
    if isinstance(value, list):
        return depth > 0 and all(_is_keepable(each, depth - 1) for each in cast(List[object], value))
    return value is None


def details_of(variables: Sequence[Variable], parameters: object) -> Optional[LockedDetails]:
    """The parts of a version's record that a lock stores; None when they are invalid."""
    if not isinstance(parameters, dict):
        return None
    data = cast(Dict[str, Any], parameters)
    if not _is_keepable(data):
        return None
    if not all(_is_keepable(_variable_data(variable)) for variable in variables):
        return None
    return LockedDetails(tuple(variables), data)


def attributes_line(path: str) -> str:
    """The line of a .gitattributes that protects a file. Characters with a meaning in patterns are replaced by a
    wildcard."""
    pattern = "prompts/**" if path.startswith("prompts/") else re.sub(r'[ *?\["]', "?", path)
    return f"/{pattern} -text"


def mend_ends(path: str) -> str:
    """What to do about a file whose line endings git has changed."""
    return f'Put "{attributes_line(path)}" into .gitattributes, delete the file and run: git checkout -- {path}'


def parse_lock(text: str) -> Lock:
    """Parses a lock. Raises PromptHubError `integrity` unless it is exactly what a client would write, so that manual
    edits are rejected."""
    if len(text.encode("utf-8", "surrogatepass")) > _MAX_BYTES:
        raise _wrong(f"it is larger than {_MAX_BYTES} bytes")
    conflict = next((at for at, line in enumerate(text.split("\n"), 1) if _CONFLICT.match(line)), None)
    if conflict is not None:
        advice = "Take one side (git checkout --ours prompts.lock, or --theirs), then add the other side's prompts again."
        raise PromptHubError("integrity", f"prompts.lock has a merge conflict in line {conflict}. {advice}")
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong("it is not JSON") from error
    data = _object(value, "expected lockfile, hub and prompts")
    lockfile: object = data.get("lockfile")
    if not isinstance(lockfile, int) or isinstance(lockfile, bool):
        raise _wrong("expected lockfile, hub and prompts")
    if lockfile != _FORMAT:
        newer = f"it was made by a newer client (lockfile {lockfile}). This one knows {_FORMAT}; update it."
        raise PromptHubError("integrity", f"prompts.lock: {newer}")
    hub = data.get("hub")
    if not isinstance(hub, str) or not is_hub_url(hub):
        raise _wrong("hub: expected an http or https URL without a trailing slash")
    prompts = _object(data.get("prompts"), "expected lockfile, hub and prompts")
    if len(prompts) > _MAX_PROMPTS:
        raise _wrong(f"it names more than {_MAX_PROMPTS} prompts")
    lock = Lock(hub, {name: _read_locked(name, each) for name, each in prompts.items()})
    _require_apart([each.path for each in lock.prompts.values()])
    written = format_lock(lock)
    if written != text and text.replace("\r\n", "\n") == written:
        cause = f"git changed its line endings, as with core.autocrlf. {mend_ends('prompts.lock')}"
        raise PromptHubError("integrity", f"prompts.lock: {cause}")
    if written != text:
        raise _wrong("it was edited by hand or merged")
    return lock


def is_hub_url(text: str) -> bool:
    """Whether a string is a valid URL of a hub: http or https, without a trailing slash, query or user name, at most
    2,000 characters long."""
    if len(text) > 2_000 or not _HUB.fullmatch(text) or text.endswith("/") or "?" in text:
        return False
    try:
        parts = urllib.parse.urlsplit(text)
        return bool(parts.hostname) and "@" not in parts.netloc and (parts.port or 1) > 0
    except ValueError:
        return False


def is_safe_path(path: str) -> bool:
    """Whether a path with forward slashes stays below the lock's folder and is valid on every system: at most 1,024
    bytes, 255 per segment."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return False
    if size > 1_024 or re.search("[\\\\:\x00-\x1f\x7f-\x9f]", path):
        return False
    if path.lower() in ("prompts.lock", "prompts.lock.new"):
        return False
    return all(
        segment not in ("", ".", "..") and segment.lower() != ".git" and len(segment.encode()) <= 255
        for segment in path.split("/")
    )


def _read_locked(name: str, value: object) -> LockedPrompt:
    if not FULL_NAME.fullmatch(name):
        raise _wrong(f"{name!r} is not owner/name")
    data = _object(value, f"{name}: expected range, version, sha256 and path")
    range_, version, sha256, path = (data.get(key) for key in ("range", "version", "sha256", "path"))
    if not isinstance(range_, str) or not (is_range(range_) or is_label(range_)):
        raise _wrong(f"{name}: range is not a range or label")
    if not isinstance(version, str) or not is_version(version):
        raise _wrong(f"{name}: version is not a version")
    if is_range(range_) and not satisfies(version, range_):
        raise _wrong(f"{name}: {range_} does not allow {version}")
    if not isinstance(sha256, str) or not re.fullmatch("[0-9a-f]{64}", sha256):
        raise _wrong(f"{name}: sha256 is not a SHA-256")
    if not isinstance(path, str) or not is_safe_path(path):
        raise _wrong(f"{name}: path leaves the folder or is not valid on every system")
    try:
        details = details_of([read_variable(each) for each in data["variables"]], data["parameters"])
    except (KeyError, TypeError):
        details = None
    if details is None:
        raise _wrong(f"{name}: invalid variables or parameters")
    return LockedPrompt(range_, version, sha256, path, details)


def _require_apart(paths: List[str]) -> None:
    """No two paths are equal, ignoring case, and none is inside another."""
    # With a slash at the end, a path and everything inside it are neighbours in the sorted list.
    folders = sorted(path.lower() + "/" for path in paths)
    for outer, inner in zip(folders, folders[1:]):
        if inner.startswith(outer):
            raise _wrong(f"two prompts share the path {inner[:-1]}, or it is inside another")


def _object(value: object, expected: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(expected)
    return cast(Dict[str, Any], value)


def _wrong(what: str) -> PromptHubError:
    return PromptHubError("integrity", f"prompts.lock: {what}. Restore it from git, or recreate it with hubcli.")
