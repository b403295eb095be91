"""The command `prompt-hub`: adds to a lock, installs and verifies it, and generates types from it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Optional, Sequence

from .files import write_whole
from .hub import open_lock
from .lock import mend_ends
from .trouble import PromptHubError
from .typing_file import write_types
from .vendoring import add_to_lock, find_changed, find_changed_ends, install_lock

# The exit code of each error code, as in hubcli; any other error is 1.
_EXIT = {"not_found": 2, "refused": 4, "integrity": 4, "unavailable": 5}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(prog="prompt-hub", description="Prompts as dependencies.")
    parser.add_argument("--lock", default="prompts.lock", help="the lock file; default: prompts.lock")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="adds a prompt to the lock")
    add.add_argument("name", help="owner/name, or owner/name@range or label")
    add.add_argument("-o", "--output", help="path of its content")
    commands.add_parser("install", help="installs the locked versions")
    commands.add_parser("verify", help="compares the vendored files with the lock, offline")
    types = commands.add_parser("types", help="generates types for the locked prompts")
    types.add_argument("-o", "--output", default="prompt_values.py")
    given = parser.parse_args(arguments)
    try:
        print(_run(given))
        return 0
    except PromptHubError as error:
        print(f"prompt-hub: {error}", file=sys.stderr)
        return _EXIT.get(error.code, 1)
    except OSError as error:
        # A file system error happens before anything is changed, or the changes have been rolled back.
        print(f"prompt-hub: {error}; nothing was changed", file=sys.stderr)
        return 1


def _run(given: argparse.Namespace) -> str:
    lock_path: str = given.lock
    if given.command == "add":
        version = add_to_lock(lock_path, given.name, given.output, os.environ.get("HUB_URL"), _complain)
        return f"{given.name.partition('@')[0]} {version}"
    if given.command == "install":
        return f"{install_lock(lock_path)} written"
    lock = open_lock(lock_path)
    if given.command == "verify":
        changed = find_changed(lock_path, lock)
        if changed:
            names = ", ".join(changed)
            ends = find_changed_ends(lock_path, lock, changed)
            cause = f"Only the line endings differ: git changed them, as with core.autocrlf. {mend_ends(ends[0])}" if ends else ""
            raise PromptHubError("integrity", f"Not what prompts.lock says: {names}. {cause or 'Restore them: prompt-hub install'}")
        return f"{len(lock.prompts)} verified"
    text = write_types({name: each.details.variables for name, each in lock.prompts.items()})
    write_whole(given.output, text.encode("utf-8"))
    return f"{given.output}: {len(lock.prompts)} prompts"


def _complain(sentence: str) -> None:
    print(f"prompt-hub: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
