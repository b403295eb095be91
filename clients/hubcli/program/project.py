"""The project of the current folder: the one whose lock is here or in the nearest folder above."""

import os

from program.hub import Hub
from program.terminal import say
from prompt_hub.lock import LOCK
from prompt_hub.project import Project
from prompt_hub.source import Source


def enter_project():
    """Goes to the folder of the lock, and names it if it is not this one; returns the function that finds a path that the
    user gave, from there. Without a lock, stays here. A repository ends the search."""
    here = folder = os.getcwd()
    while not os.path.exists(os.path.join(folder, LOCK)):
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return str
        folder = above
    if folder != here:
        say(f"using {os.path.join(folder, LOCK)}")
        os.chdir(folder)
    return lambda path: os.path.relpath(os.path.join(here, path), folder) + ("/" if path.endswith("/") else "")


def open_project():
    """The project whose folder is the current one."""
    return Project(LOCK, connect, say, "hubcli")


def connect(lock):
    """The hub: that of HUB_URL, or of the lock if there is one."""
    hub = Hub(lock.hub if lock else None)
    return Source(hub.url, hub.ask_url)
