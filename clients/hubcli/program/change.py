"""The commands that change the lock and its files: add, install, update and remove."""

import json
import re
import signal
import sys

from program.checks import SLUG, check_choice, check_days, check_name, parse_wish
from program.main import invalid
from program.project import connect, enter_project, open_project
from program.terminal import clean, write_text
from prompt_hub.agents import AGENTS
from prompt_hub.choosing import Addition
from prompt_hub.lock import FULL_NAME, LOCK
from prompt_hub.placed import read_lock_file
from prompt_hub.ranges import is_label
from prompt_hub.trouble import PromptHubError


def add(given):
    """Adds a prompt, or all of an owner's prompts at a label."""
    (word,) = given.take(1)
    output, kind, agent = check_path(given), check_choice(given, "--as", ("skill",)), given["--agent"]
    if agent is not None and agent not in AGENTS:
        names = list(AGENTS)
        raise invalid(f"--agent: expected {', '.join(names[:-1])} or {names[-1]}, got {agent or 'nothing'}; -o names any other folder")
    if re.search("/[*](@|$)", word):
        return add_all(given, word)
    name, wish = parse_wish(given, word)
    if agent is not None and output is not None:
        raise invalid("--agent and -o: expected one of them")
    locate = enter_project()
    path = locate(output) if output else None
    run(given, lambda project: project.add([Addition(name, wish, path, kind == "skill", agent)]))


def check_path(given):
    """The path of -o, or None."""
    path = given["-o"]
    if path is not None and (not path or path.startswith("-")):
        raise invalid(f"-o: expected a path (./-x for one that starts with a hyphen), got {path or 'nothing'}")
    return path


def add_all(given, word):
    """Adds all of an owner's prompts at a label, or nothing."""
    owner, _, label = word.partition("/*")
    label = label[1:]
    if not SLUG.fullmatch(owner) or len(owner) > 39 or not is_label(label):
        raise invalid(f"expected '<owner>/*@<label>', such as 'acme/*@production', got {word}")
    if given["-o"] or given["--as"] or given["--agent"]:
        raise invalid(f"{word}: expected no -o or --as beside it, because each prompt has a path of its own")
    enter_project()
    names = [row.full_name for row in connect(read_lock_file(LOCK)).list_labelled(owner, label)]
    if not names:
        raise PromptHubError("not_found", f"{owner} has no prompt with the label {label}")
    if not all(FULL_NAME.fullmatch(name) and name.startswith(f"{owner}/") for name in names) or len(set(names)) < len(names):
        raise PromptHubError("unavailable", "the hub did not return a list of prompts; is it a Prompt Hub?")
    run(given, lambda project: project.add([Addition(name, label) for name in names]))


def install(given):
    """Writes the locked versions whose files are missing or differ."""
    given.take(0)
    enter_project()
    run(given, lambda project: project.install(bool(given["--force"]), bool(given["--require-attestation"])))


def update(given):
    """Updates all prompts, or one, to the newest version in their range."""
    (name,) = given.take(0, 1)
    names = [] if name is None else [check_name(name)]
    days = check_days(given, "--min-age") or 0
    enter_project()
    errors = []

    def change(project):
        updated, error = project.update(names, days, bool(given["--accept-publisher"]))
        errors.append(error)
        return updated

    run(given, change)
    if errors[0] is not None:
        raise errors[0]


def remove(given):
    """Removes a prompt or one of its places from the lock, and deletes its files unless they were edited."""
    (name,) = given.take(1)
    check_name(name)
    output = check_path(given)
    locate = enter_project()
    run(given, lambda project: project.remove([name], locate(output) if output else None))


def run(given, command):
    """Runs a command, and prints what it has changed. A signal ends it, but not before its files are removed."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    changed = command(open_project())
    if given["--json"]:
        rows = [
            {"name": each.name, "from": each.before.version if each.before else None, "version": each.version, "paths": [path for path, _ in each.places]}
            for each in changed
        ]
        return write_text(json.dumps({"changed": rows}, indent=2) + "\n")
    for each in changed:
        was = each.before.version if each.before else each.version
        for path, _ in each.places:
            write_text(f"{each.name} {was if was == each.version else f'{was} -> {each.version}'} {clean(path)}\n")
