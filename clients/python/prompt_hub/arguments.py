"""Parses the arguments of `PromptHub.get`: a name and an optional version, range or label."""

from __future__ import annotations

import re
from typing import Any, Optional, Tuple

from .lock import FULL_NAME
from .ranges import LATEST, is_label, is_range, is_version
from .trouble import PromptHubError

Wish = Optional[Tuple[str, str]]
"""`("version" | "range" | "label", text)`, or None for the latest."""
NOT_GIVEN: Any = object()
"""The default of an argument for which None is a value."""


def parse_arguments(
    name: str, version: Optional[str], range_: Optional[str], label: Optional[str]
) -> Tuple[str, Wish]:
    """Parses the arguments of `get`; raises PromptHubError `invalid_request` when they are invalid."""
    full_name, at, behind = name.partition("@")
    if not FULL_NAME.fullmatch(full_name):
        raise PromptHubError("invalid_request", f"expected owner/name, got {name[:120]!r}")
    given = [(kind, text) for kind, text in (("version", version), ("range", range_), ("label", label)) if text is not None]
    if at:
        given.append(("version" if is_version(behind) else "range" if is_range(behind) else "label", behind))
    if len(given) > 1:
        raise PromptHubError("invalid_request", f"{full_name}: give a version, a range or a label, not several")
    if not given:
        return full_name, None
    kind, text = given[0]
    if text == LATEST:
        return full_name, None
    if not {"version": is_version, "range": is_range, "label": is_label}[kind](text):
        raise PromptHubError("invalid_request", f"{full_name}: expected a {kind}, got {text[:60]!r}{_hint_for(text)}")
    return full_name, (kind, text)


def require_key(key: Optional[str]) -> None:
    """Raises PromptHubError `invalid_request` for what is no text."""
    try:
        (key or "").encode("utf-8")
    except (AttributeError, UnicodeEncodeError) as error:
        got = "one with lone surrogates" if isinstance(key, str) else type(key).__name__
        raise PromptHubError("invalid_request", f"key: expected a text, got {got}") from error


def _hint_for(text: str) -> str:
    """What to write instead of a version as in a git tag."""
    bare = re.sub("^([~^]?)[vV=]", r"\1", text)
    return f"; write {bare}" if bare != text and is_range(bare) else ""
