"""Asks the hub. Only the shell sends requests: the program writes what it needs to a pipe, one line for each request, and
reads a line with the outcome from standard input; the response is then in the file `answer`."""

import os
import sys

from program.work import read_bytes

JSON = "application/json"
ANYTHING = "-"


def hub_of(lock):
    """The URL of the hub: HUB_URL, or that of the lock if there is one. It must be known before anything is asked."""
    return _send(f"hub {lock.hub if lock else '-'} -")


def ask(path, media=JSON):
    """A response of the hub. Without one, the shell reports why and the program ends."""
    _send(f"must {media} {path}")
    return read_bytes("answer")


def ask_if_there(path, media=JSON):
    """The same; None if the hub does not have it."""
    return read_bytes("answer") if _send(f"may {media} {path}") == "there" else None


def ask_file(path, last=ask):
    """The response of a path in the API. The static file comes first, because it has no rate limit, although it may be
    older than the last publish. `last` asks the API."""
    found = ask_if_there(f"/data/v1/{path}.json")
    return last(f"/api/v1/{path}") if found is None else found


def ask_newest(path):
    """The response of a path in the API; None if there is none, as on a mirror without an API."""
    return read_bytes("answer") if _send(f"try {JSON} /api/v1/{path}") == "there" else None


def ask_list(path):
    """The response of a path in the API, or of its file on a mirror, which has no API."""
    _send(f"list {JSON} {path}")
    return read_bytes("answer")


def _send(line):
    try:
        os.write(3, f"{line}\n".encode())
    except BrokenPipeError:
        sys.exit(1)
    said = sys.stdin.readline()
    if not said:
        # The shell has reported why there is no response.
        sys.exit(1)
    return said.strip()
