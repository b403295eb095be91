"""The command `prompt-hub`: changes, installs, verifies and compares a lock, and generates types from it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import List, NoReturn, Optional, Sequence

from .changing import remove_prompts
from .files import read_if_there, write_whole
from .hub import open_lock
from .lifetime import WITHIN_DAYS, parse_days
from .placed import find_difference, say_difference
from .trouble import PromptHubError
from .typing_file import is_types_file, write_types
from .updating import Reviewed, review_lock, update_lock
from .vendored import portable
from .vendoring import add_to_lock, install_lock

# The exit code of each error code, as in hubcli; any other error is 1.
_EXIT = {"not_found": 2, "refused": 4, "integrity": 4, "unavailable": 5}
_TYPES = "prompt_values.py"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command and returns its exit code."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        # A path that the locale cannot print must not end the command after its work.
        reconfigure(errors="backslashreplace")
    given = _parser().parse_args(arguments)
    try:
        return _run(given)
    except PromptHubError as error:
        _complain(str(error))
        return 3 if error.status in (401, 403) else _EXIT.get(error.code, 1)
    except OSError as error:
        # A file system error happens before anything is changed, or the changes have been rolled back.
        _complain(f"{error}; nothing was changed")
        return 1


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        # Not 2, which says that the hub does not have something.
        self.exit(1, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="prompt-hub", description="Prompts as dependencies.")
    parser.add_argument("--lock", default="prompts.lock", help="the lock file; default: prompts.lock")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="adds prompts to the lock, and their files")
    add.add_argument("names", nargs="+", metavar="name", help="owner/name, or owner/name@range or label")
    add.add_argument("-o", "--output", type=portable, help="path of the content, for one prompt")
    install = commands.add_parser("install", help="installs the locked versions")
    install.add_argument("--force", action="store_true", help="replaces files that were changed by hand")
    install.add_argument("--require-attestation", action="store_true", help="refuses a lock in which a version has none")
    commands.add_parser("verify", help="compares the vendored files with the lock, offline")
    outdated = commands.add_parser("outdated", help="lists prompts that have newer versions; exits with 1 if there are any")
    update = commands.add_parser("update", help="updates prompts to the newest version in their range")
    update.add_argument("names", nargs="*", metavar="owner/name", help="default: all")
    update.add_argument("--accept-publisher", action="store_true", help="takes versions of another workflow too")
    for command in (outdated, update):
        command.add_argument("--min-age", default="0d", metavar="days", help="only versions that have been out for this long: 7d")
    remove = commands.add_parser("remove", help="removes prompts from the lock, and their files")
    remove.add_argument("names", nargs="+", metavar="owner/name")
    audit = commands.add_parser("audit", help="fails if a locked version was yanked, has an advisory, or names a model that retires")
    audit.add_argument("--within", default=f"{WITHIN_DAYS}d", metavar="days", help="how long before a model retires; default: %(default)s")
    types = commands.add_parser("types", help="generates types for the locked prompts")
    types.add_argument("-o", "--output", default=_TYPES)
    types.add_argument("--check", action="store_true", help="only compares the file")
    return parser


def _run(given: argparse.Namespace) -> int:
    lock_path: str = given.lock
    if given.command == "add":
        names: List[str] = given.names
        versions = add_to_lock(lock_path, names, given.output, os.environ.get("HUB_URL"), _complain)
        for name, version in zip(names, versions):
            print(f"{name.partition('@')[0]} {version}")
    elif given.command == "install":
        print(f"{install_lock(lock_path, given.force, given.require_attestation)} written")
    elif given.command == "update":
        _update(lock_path, given.names, parse_days(given.min_age, "--min-age"), given.accept_publisher)
    elif given.command == "remove":
        open_lock(lock_path)
        for name, locked in remove_prompts(lock_path, given.names, _complain):
            print(f"{name} {locked.version} {locked.path}")
    elif given.command == "outdated":
        return _show_outdated(review_lock(lock_path, (), parse_days(given.min_age, "--min-age")))
    elif given.command == "audit":
        return _show_audit(review_lock(lock_path, within_days=parse_days(given.within, "--within")))
    elif given.command == "verify":
        return _verify(lock_path)
    else:
        count = _types(lock_path, given.output, given.check)
        print(f"{given.output}: {count} prompts")
    return 0


def _update(lock_path: str, names: Sequence[str], min_age_days: int, accept_publisher: bool) -> None:
    for each in update_lock(lock_path, names, min_age_days, accept_publisher):
        for problem in each.problems:
            _complain(f"warning: {problem.message}")
        if each.wanted != each.locked.version:
            print(f"{each.name} {each.locked.version} -> {each.wanted} {each.locked.path}")


def _show_outdated(reviewed: Sequence[Reviewed]) -> int:
    """Prints a table; 1 if anything is outdated, as npm does."""
    for each in reviewed:
        for problem in each.problems:
            if problem.kind != "advisory":
                _complain(f"warning: {problem.message}")
    old = [each for each in reviewed if each.is_outdated]
    for each in old:
        print("  ".join((each.name, each.locked.version, each.wanted, each.latest or "-", each.locked.range)))
    return 1 if old else 0


def _show_audit(reviewed: Sequence[Reviewed]) -> int:
    problems = [message for each in reviewed for message in each.audited()]
    for problem in problems:
        _complain(problem)
    if problems:
        return _EXIT["integrity"]
    print(f"{len(reviewed)} audited")
    return 0


def _verify(lock_path: str) -> int:
    lock = open_lock(lock_path)
    folder = os.path.dirname(os.path.abspath(lock_path))
    found = [(locked, find_difference(folder, locked)) for locked in lock.prompts.values()]
    problems = [say_difference(locked, each, "prompt-hub") for locked, each in found if each is not None]
    for problem in problems:
        _complain(problem)
    if problems:
        return _EXIT["integrity"]
    there = read_if_there(_TYPES)
    if there is not None and is_types_file(there):
        _types(lock_path, _TYPES, True)
    print(f"{len(lock.prompts)} verified")
    return 0


def _types(lock_path: str, output: str, is_check: bool) -> int:
    lock = open_lock(lock_path)
    text = write_types({name: each.details.variables for name, each in lock.prompts.items()}).encode("utf-8")
    if not is_check:
        write_whole(output, text)
    elif read_if_there(output) != text:
        again = "prompt-hub types" if output == _TYPES else f"prompt-hub types -o {output}"
        raise PromptHubError("integrity", f"{output} does not match prompts.lock. Generate it again: {again}")
    return len(lock.prompts)


def _complain(sentence: str) -> None:
    print(f"prompt-hub: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
