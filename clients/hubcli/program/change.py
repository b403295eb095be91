"""The commands that change the lock and its files: add, install, update and remove."""

import signal
import sys

from program.asking import connect, open_project
from program.terminal import clean
from prompt_hub.lock import FULL_NAME, LOCK
from prompt_hub.placed import read_lock_file
from prompt_hub.choosing import Addition
from prompt_hub.ranges import is_label, is_range
from prompt_hub.trouble import PromptHubError


def add(name, written, output, kind, agent):
    """Adds a prompt."""
    if written and not is_range(written) and not is_label(written):
        raise PromptHubError("invalid_request", f"expected a range such as ^1.2 or a label's name after @, got {written}")
    change(lambda project: project.add([Addition(name, written, output or None, kind == "skill", agent or None)]))


def add_all(owner, label):
    """Adds all of an owner's prompts at a label."""
    names = [row.full_name for row in connect(read_lock_file(LOCK)).list_labelled(owner, label)]
    if not names:
        raise PromptHubError("not_found", f"{owner} has no prompt with the label {label}")
    if not all(FULL_NAME.fullmatch(name) and name.startswith(f"{owner}/") for name in names) or len(set(names)) < len(names):
        raise PromptHubError("unavailable", "the hub did not return a list of prompts; is it a Prompt Hub?")
    change(lambda project: project.add([Addition(name, label) for name in names]))


def install(force, require_attestation):
    """Writes the locked versions whose files are missing or differ."""
    change(lambda project: project.install(bool(force), bool(require_attestation)))


def update(name, days, accept_publisher):
    """Updates all prompts, or one, to the newest version in their range."""
    change(lambda project: project.update([name] if name else (), int(days or "0"), bool(accept_publisher)))


def remove(name, path):
    """Removes a prompt or one of its places from the lock, and deletes its files unless they were edited."""
    change(lambda project: project.remove([name], path or None))


def change(command):
    """Runs a command, and prints what it has changed. A signal ends it, but not before its files are removed."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    for each in command(open_project()):
        was = each.before.version if each.before else each.version
        for path, _ in each.places:
            print(each.name, was if was == each.version else f"{was} -> {each.version}", clean(path))
