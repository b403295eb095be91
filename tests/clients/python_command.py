"""A command line of the Python library for tests: what its modules do with a lock. hubcli is the command that people use."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from typing import List, NoReturn, Optional, Sequence

from prompt_hub.address import HUB_URL
from prompt_hub.agents import AGENTS
from prompt_hub.arguments import parse_arguments
from prompt_hub.files import read_if_there, write_whole
from prompt_hub.lifetime import WITHIN_DAYS, parse_days
from prompt_hub.lock import Lock, require_hub_url
from prompt_hub.placed import open_lock
from prompt_hub.choosing import Addition
from prompt_hub.project import Project
from prompt_hub.read_token import read_token_for
from prompt_hub.requests import RequestSettings, ask_bytes
from prompt_hub.reviewing import Reviewed
from prompt_hub.source import Source
from prompt_hub.trouble import PromptHubError
from prompt_hub.typing_file import TYPES, is_types_file, write_types
from prompt_hub.vendored import portable


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
        return error.exit_code
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
    add.add_argument("-o", "--output", type=portable, help="adds this path, for one prompt")
    add.add_argument("--as", dest="kind", choices=["skill"], help="adds an Agent Skill with all its files")
    add.add_argument("--agent", choices=sorted(AGENTS), help="adds the skill to the folder of this agent")
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
    remove.add_argument("-o", "--output", type=portable, help="removes only this path")
    audit = commands.add_parser("audit", help="fails if a locked version was yanked, has an advisory, or names a model that retires")
    audit.add_argument("--within", default=f"{WITHIN_DAYS}d", metavar="days", help="how long before a model retires; default: %(default)s")
    types = commands.add_parser("types", help="generates types for the locked prompts")
    types.add_argument("-o", "--output", default=TYPES)
    types.add_argument("--check", action="store_true", help="only compares the file")
    return parser


def open_project(lock_path: str, url: Optional[str] = None) -> Project:
    """The project of a lock. `url` is the hub of a new one."""

    def connect(lock: Optional[Lock]) -> Source:
        hub = require_hub_url(lock.hub if lock is not None else url or HUB_URL)
        return Source(hub, functools.partial(ask_bytes, RequestSettings(token=read_token_for(hub))))

    return Project(lock_path, connect, _complain, "prompt-hub")


def _run(given: argparse.Namespace) -> int:
    lock_path: str = given.lock
    project = open_project(lock_path, os.environ.get("HUB_URL"))
    if given.command == "add":
        for added in project.add(_additions(given)):
            print(f"{added.name} {added.version}")
    elif given.command == "install":
        print(f"{len(project.install(given.force, given.require_attestation))} written")
    elif given.command == "update":
        updated, error = project.update(given.names, parse_days(given.min_age, "--min-age"), given.accept_publisher)
        for each in updated:
            if each.before is not None and each.version != each.before.version:
                for path, _ in each.places:
                    print(f"{each.name} {each.before.version} -> {each.version} {path}")
        if error is not None:
            raise error
    elif given.command == "remove":
        for each in project.remove(given.names, given.output):
            for path, _ in each.places:
                print(f"{each.name} {each.version} {path}")
    elif given.command == "outdated":
        return _show_outdated(project.review(parse_days(given.min_age, "--min-age")))
    elif given.command == "audit":
        reviewed = project.review(within_days=parse_days(given.within, "--within"))
        return _report([each.message for every in reviewed for each in every.audited()], f"{len(reviewed)} audited")
    elif given.command == "verify":
        problems = [problem.message for _, problem in project.compare()]
        there = read_if_there(TYPES)
        if not problems and there is not None and is_types_file(there):
            _types(lock_path, TYPES, True)
        return _report(problems, f"{len(open_lock(lock_path).prompts)} verified")
    else:
        count = _types(lock_path, given.output, given.check)
        print(f"{given.output}: {count} prompts")
    return 0


def _additions(given: argparse.Namespace) -> List[Addition]:
    if given.output is not None and len(given.names) > 1:
        raise PromptHubError("invalid_request", "-o: expected one prompt, because each needs a path of its own")
    if given.output is not None and given.agent is not None:
        raise PromptHubError("invalid_request", "--agent and -o: expected one of them")
    parsed = [parse_arguments(name, None, None, None) for name in given.names]
    return [Addition(name, "" if wish is None else wish[1], given.output, given.kind == "skill", given.agent) for name, wish in parsed]


def _show_outdated(reviewed: Sequence[Reviewed]) -> int:
    """Prints a table; 1 if anything is outdated, as npm does."""
    for each in reviewed:
        for problem in each.problems:
            if problem.kind != "advisory":
                _complain(f"warning: {problem.message}")
    old = [each for each in reviewed if each.is_outdated]
    for each in old:
        print("  ".join((each.name, each.locked.version, each.wanted, each.latest or "-", each.locked.range)))
        for sentence in each.describe_breaking():
            _complain(f"warning: {sentence}")
    return 1 if old else 0


def _report(problems: Sequence[str], done: str) -> int:
    """Prints the problems or, if there are none, what was done."""
    for problem in problems:
        _complain(problem)
    if problems:
        return 4
    print(done)
    return 0


def _types(lock_path: str, output: str, is_check: bool) -> int:
    lock = open_lock(lock_path)
    text = write_types({name: each.details.variables for name, each in lock.prompts.items()}).encode("utf-8")
    if not is_check:
        write_whole(output, text)
    elif read_if_there(output) != text:
        again = "prompt-hub types" if output == TYPES else f"prompt-hub types -o {output}"
        raise PromptHubError("integrity", f"{output} does not match prompts.lock. Generate it again: {again}")
    return len(lock.prompts)


def _complain(sentence: str) -> None:
    print(f"prompt-hub: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
