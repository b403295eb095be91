"""Decides to which hub the token for reads is sent, and remembers which hubs have asked for one."""

from __future__ import annotations

import os
import re
from typing import Optional, Set, Tuple

from .address import HUB_URL
from .exchange import is_loopback, origin_of
from .trouble import PromptHubError

_asked: Set[Tuple[str, str, Optional[int]]] = set()
"""The origins of the hubs that have asked for a token while this process runs."""


def has_asked(url: str) -> bool:
    """Whether the hub of a URL has asked for a token."""
    return origin_of(url) in _asked


def note_asked(url: str) -> None:
    """Notes that the hub of a URL has asked for a token."""
    origin = origin_of(url)
    if origin is not None:
        _asked.add(origin)


def read_token_for(hub: str, url: Optional[str] = None, token: Optional[str] = None) -> Optional[str]:
    """The token for reads of a hub; default: HUB_TOKEN.

    It is sent only over https or to this machine itself, and only to a hub that the program (`url`), HUB_URL or this
    library names: anybody may have written the URL in a lock. Raises PromptHubError `invalid_request` for a token with
    invalid characters.
    """
    token = os.environ.get("HUB_TOKEN") if token is None else token
    if not token:
        return None
    require_token(token, hub)
    origin = origin_of(hub)
    named = [origin_of(each) for each in (url, os.environ.get("HUB_URL"), HUB_URL) if each]
    if origin is None or origin not in named:
        return None
    return token if origin[0] == "https" or is_loopback(origin[1]) else None


def require_token(token: str, hub: str) -> None:
    """Raises PromptHubError `invalid_request` for an empty token, or one with invalid characters."""
    # Without a type checker, a variable of the environment that is not set may be given as None.
    if not token:
        raise PromptHubError("invalid_request", f"token: expected a token; create one at {hub}/settings")
    if re.fullmatch(r"[A-Za-z0-9_.~+/=-]+", token) is None:
        raise PromptHubError("invalid_request", "token: expected a token, without spaces and line breaks")
