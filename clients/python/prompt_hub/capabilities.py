"""Asks a hub what a version can do that the locked one cannot, and stops at what a project denies. docs/lock-file.md"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from .trouble import PromptHubError
from .variable import as_dict, as_list, as_text

DENIABLE = (
    *("network", "shell", "interpreter", "install", "download-and-run", "encoded", "outside-folder", "secrets"),
    *("fetches-instructions", "hides", "agent-settings", "sends-data", "prerequisite", "permissions", "danger"),
)
"""What can be denied: the kinds of capability, and `danger` for the unusual ones of every kind."""
_MAX_NAMED = 3


class DenyOptions(NamedTuple):
    """What an update or addition stops at, beside what the lock denies, and in spite of what it goes on."""

    deny: Tuple[str, ...] = ()
    allow: Tuple[str, ...] = ()


class _Added(NamedTuple):
    added: Sequence[Tuple[str, str, str]]
    """The kind, severity and text of each."""
    summary: str


def review_added(
    ask: Callable[[str], bytes], name: str, version: str, before: Optional[str], denied: Sequence[str], options: DenyOptions
) -> str:
    """What a version can do that another cannot, in words; empty if that is nothing, or if the hub does not say and nothing
    is denied.

    `ask` returns the response of a path on the hub. `before` is the locked version; without one, all that the version can do
    is new. `denied` are the kinds in the lock. Raises PromptHubError `integrity` for a denied capability, or if the hub does
    not say.
    """
    stops = [kind for kind in dict.fromkeys([*denied, *options.deny]) if kind not in options.allow]
    if not stops and before is None:
        return ""
    path = f"/api/v1/repos/{name}/versions/{version}/capabilities"
    try:
        found = _read_added(ask(path if before is None else f"{path}?from={before}"))
    except PromptHubError as error:
        if stops and error.code != "not_found":
            raise
        found = None
    if not stops:
        return found.summary if found else ""
    what = f"{name} {version}"
    if found is None:
        raise PromptHubError(
            "integrity", f"the hub does not say what {what} can do, and {', '.join(stops)} is denied; nothing was changed"
        )
    refused = [
        each
        for each in found.added
        if (each[0] in stops or (each[1] == "danger" and "danger" in stops)) and each[0] not in options.allow
    ]
    if refused:
        raise PromptHubError("integrity", f"{_say_denied(what, before, refused)}; nothing was changed")
    return found.summary


def _say_denied(what: str, before: Optional[str], refused: Sequence[Tuple[str, str, str]]) -> str:
    named = ", ".join(f"{kind} ({text})" for kind, _, text in refused[:_MAX_NAMED])
    more = f" and {len(refused) - _MAX_NAMED} more" if len(refused) > _MAX_NAMED else ""
    kinds = ",".join(dict.fromkeys(kind for kind, _, _ in refused))
    why = "can do what is denied" if before is None else f"can do what {before} cannot"
    return f"{what} {why}: {named}{more}. If that is right, use --allow {kinds}"


def _read_added(data: bytes) -> Optional[_Added]:
    try:
        value: object = as_dict(json.loads(data.decode("utf-8", "replace"))).get("data")
        # Without a version to compare with, the response is the list itself.
        given: Dict[str, Any] = {"added": value} if isinstance(value, list) else as_dict(value)
        rows = [as_dict(row) for row in as_list(given.get("added"))]
        found = [(as_text(row["kind"]), as_text(row["severity"]), as_text(row["text"])) for row in rows]
        summary: object = given.get("summary")
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    return _Added(found, summary if isinstance(summary, str) else "")
