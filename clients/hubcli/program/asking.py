"""Opens the project in the current folder, and asks the hub. Only the shell sends requests: the program writes what it
needs to a pipe, one line for each request, and reads a line with the exit code from standard input; the response is then
in the file `answer`, or the message in the file `refusal`."""

import os
import sys

from program.terminal import say
from program.work import read_bytes, read_text
from prompt_hub.lock import LOCK
from prompt_hub.project import Project
from prompt_hub.source import Source
from prompt_hub.trouble import PromptHubError

CODES = {"2": "not_found", "3": "refused", "4": "refused", "5": "unavailable"}


def open_project():
    """The project in the current folder."""
    return Project(LOCK, connect, say, "hubcli")


def connect(lock):
    """The hub: that of HUB_URL, or of the lock if there is one."""
    hub = _send(f"hub {lock.hub if lock else ''}")
    return Source(hub, lambda url: _ask(url[len(hub) :]))


def _ask(path):
    code = _send(f"get {path}")
    if code == "0":
        return read_bytes("answer")
    message = read_text("refusal").strip()
    status = 403 if code == "3" else None
    raise PromptHubError(CODES.get(code, "invalid_request"), message.partition("hubcli: ")[2], status=status)


def _send(line):
    os.write(3, f"{line}\n".encode())
    said = sys.stdin.readline()
    if not said:
        # The shell has reported why there is no response.
        sys.exit(1)
    return said.strip()
