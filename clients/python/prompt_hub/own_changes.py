"""Notes what this process has changed on a hub, so that it uses no response from before the change."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import OrderedDict

_turn = threading.Lock()
_changes: "OrderedDict[str, float]" = OrderedDict()
"""When a prompt, or an owner's labels, were last changed, in seconds since 1970, by URL."""
_MAX_CHANGES = 10_000
"""Maximum number of changes that are remembered; beyond that, the oldest is forgotten."""


def note_change(hub: str, name: str) -> None:
    """`hub` is the hub's URL, without a trailing slash, and `name` is `owner/name`."""
    with _turn:
        for key in (f"{hub}/repos/{name}", f"{hub}/users/{name.partition('/')[0]}"):
            _changes[key] = time.time()
            _changes.move_to_end(key)
            if len(_changes) > _MAX_CHANGES:
                _changes.popitem(last=False)


def last_change(url: str) -> float:
    """When what a URL responds with was last changed by this process; 0 if it was not."""
    found = re.match(r"(.*)/(?:api|data)/v1/(repos/[^/]+/[^/.]+|users/[^/.]+)", url)
    return _changes.get(f"{found.group(1)}/{found.group(2)}", 0.0) if found else 0.0


def _forget_threads() -> None:
    """After a fork: the thread that holds the lock is in the other process."""
    global _turn
    _turn = threading.Lock()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
