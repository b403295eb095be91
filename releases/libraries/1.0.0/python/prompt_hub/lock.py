"""Owns the lock file as text: reading it strictly and writing it so that every client writes the same bytes. docs/lock-file.md of the hub."""

from __future__ import annotations

import json
import re
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Dict, List, cast

from .ranges import is_label, is_range, is_version, satisfies
from .trouble import PromptHubError

FULL_NAME = re.compile(r"[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}/[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,63}")
_HUB = re.compile(r"https?://[!-\"$-~]+")
_MOST_PROMPTS = 1_000
_MOST_BYTES = 1_048_576


@dataclass
class LockedPrompt:
    """One prompt of a lock: what was asked for, the version in use, the SHA-256 of its content, and where that lies."""

    range: str
    version: str
    sha256: str
    path: str


@dataclass
class Lock:
    """What `prompts.lock` holds."""

    hub: str
    prompts: Dict[str, LockedPrompt] = field(default_factory=lambda: {})


def format_lock(lock: Lock) -> str:
    """Writes a lock: the same lock is the same bytes whichever client writes it."""
    prompts = {
        name: {"range": each.range, "version": each.version, "sha256": each.sha256, "path": each.path}
        for name, each in sorted(lock.prompts.items())
    }
    return json.dumps({"lockfile": 1, "hub": lock.hub, "prompts": prompts}, indent=2, ensure_ascii=False) + "\n"


def parse_lock(text: str) -> Lock:
    """Raises PromptHubError `integrity` unless the text is exactly what a client would write."""
    if len(text.encode("utf-8", "surrogatepass")) > _MOST_BYTES:
        raise _wrong(f"it is larger than {_MOST_BYTES} bytes")
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong("it is no JSON") from error
    data = _object(value, "expected lockfile, hub and prompts")
    if data.get("lockfile") != 1 or isinstance(data.get("lockfile"), bool):
        raise _wrong("it was made by a newer client")
    hub = data.get("hub")
    if not isinstance(hub, str) or not is_hub_address(hub):
        raise _wrong("hub: expected an http or https address without a final slash")
    prompts = _object(data.get("prompts"), "expected lockfile, hub and prompts")
    if len(prompts) > _MOST_PROMPTS:
        raise _wrong(f"it names more than {_MOST_PROMPTS} prompts")
    lock = Lock(hub, {name: _read_locked(name, each) for name, each in prompts.items()})
    _require_apart([each.path for each in lock.prompts.values()])
    if format_lock(lock) != text:
        raise _wrong("it was edited by hand or merged")
    return lock


def is_hub_address(text: str) -> bool:
    """Whether a text can be a lock's hub."""
    if len(text) > 2_000 or not _HUB.fullmatch(text) or text.endswith("/") or "?" in text:
        return False
    try:
        parts = urllib.parse.urlsplit(text)
        return bool(parts.hostname) and "@" not in parts.netloc and (parts.port or 1) > 0
    except ValueError:
        return False


def is_safe_path(path: str) -> bool:
    """Whether a path stays below the lock's folder on every system."""
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
        raise _wrong(f"{name!r} is no owner/name")
    data = _object(value, f"{name}: expected range, version, sha256 and path")
    range_, version, sha256, path = (data.get(key) for key in ("range", "version", "sha256", "path"))
    if not isinstance(range_, str) or not (is_range(range_) or is_label(range_)):
        raise _wrong(f"{name}: range is no range or label")
    if not isinstance(version, str) or not is_version(version):
        raise _wrong(f"{name}: version is no version")
    if is_range(range_) and not satisfies(version, range_):
        raise _wrong(f"{name}: {range_} does not allow {version}")
    if not isinstance(sha256, str) or not re.fullmatch("[0-9a-f]{64}", sha256):
        raise _wrong(f"{name}: sha256 is no SHA-256")
    if not isinstance(path, str) or not is_safe_path(path):
        raise _wrong(f"{name}: path leaves the folder or cannot be kept everywhere")
    return LockedPrompt(range_, version, sha256, path)


def _require_apart(paths: List[str]) -> None:
    """No two paths are one, in whatever case, and none lies inside another."""
    folded = [path.lower() for path in paths]
    seen = set(folded)
    if len(seen) < len(folded):
        raise _wrong("two prompts share a path")
    for path in seen:
        segments = path.split("/")
        if any("/".join(segments[:count]) in seen for count in range(1, len(segments))):
            raise _wrong(f"the path {path} lies inside another")


def _object(value: object, expected: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(expected)
    return cast(Dict[str, Any], value)


def _wrong(what: str) -> PromptHubError:
    return PromptHubError("integrity", f"prompts.lock: {what}. Restore it from git, or make it anew with hubcli.")
