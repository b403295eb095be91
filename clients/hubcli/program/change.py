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
from prompt_hub.attested import SignatureOptions
from prompt_hub.capabilities import DENIABLE, DenyOptions
from prompt_hub.choosing import Addition
from prompt_hub.lock import FULL_NAME, LOCK
from prompt_hub.placed import read_lock_file
from prompt_hub.ranges import is_label
from prompt_hub.trouble import PromptHubError


def add(given):
    """Adds prompts, or all of an owner's prompts at a label: all of them or none."""
    if not given.words:
        given.refuse()
    output, kind, agent = check_path(given), check_choice(given, "--as", ("skill",)), given["--agent"]
    if agent is not None and agent not in AGENTS:
        names = list(AGENTS)
        raise invalid(f"--agent: expected {', '.join(names[:-1])} or {names[-1]}, got {agent or 'nothing'}; -o names any other folder")
    wanted = [parse_all(given, word) if re.search("/[*](@|$)", word) else parse_wish(given, word) for word in given.words]
    if output is not None and len(wanted) > 1:
        raise invalid("-o: expected one prompt, because each needs a path of its own")
    keeps_permissions = bool(given["--keep-permissions"])
    if keeps_permissions and kind is None and agent is None:
        raise invalid("--keep-permissions: expected --as skill or --agent beside it, because only a skill asks for permissions")
    if agent is not None and output is not None:
        raise invalid("--agent and -o: expected one of them")
    locate = enter_project()
    path = locate(output) if output else None
    additions = []
    for name, wish in wanted:
        names = [name] if "/" in name else list_labelled(name, wish)
        additions += [Addition(each, wish, path, kind == "skill", agent, keeps_permissions) for each in names]
    denying = check_denying(given)
    run(given, lambda project: project.add(additions, denying))


def check_denying(given):
    """What stops an addition or update."""
    return DenyOptions(*(check_kinds(given, option) for option in ("--deny", "--allow")))


def check_kinds(given, option):
    """The kinds of capability in the value of an option."""
    if given[option] is None:
        return ()
    kinds = given[option].split(",")
    unknown = next((kind for kind in kinds if kind not in DENIABLE), None)
    if unknown is not None:
        raise invalid(f"{option}: expected {', '.join(DENIABLE)}, got {unknown or 'nothing'}")
    return tuple(kinds)


def check_path(given):
    """The path of -o, or None."""
    path = given["-o"]
    if path is not None and (not path or path.startswith("-")):
        raise invalid(f"-o: expected a path (./-x for one that starts with a hyphen), got {path or 'nothing'}")
    return path


def parse_all(given, word):
    """The owner and the label of an addition of all prompts."""
    owner, _, label = word.partition("/*")
    label = label[1:]
    if not SLUG.fullmatch(owner) or len(owner) > 39 or not is_label(label):
        raise invalid(f"expected '<owner>/*@<label>', such as 'acme/*@production', got {word}")
    if given["-o"] or given["--as"] or given["--agent"]:
        raise invalid(f"{word}: expected no -o or --as beside it, because each prompt has a path of its own")
    return owner, label


def list_labelled(owner, label):
    """The names of an owner's prompts at a label."""
    names = [row.full_name for row in connect(read_lock_file(LOCK)).list_labelled(owner, label)]
    if not names:
        raise PromptHubError("not_found", f"{owner} has no prompt with the label {label}")
    if not all(FULL_NAME.fullmatch(name) and name.startswith(f"{owner}/") for name in names) or len(set(names)) < len(names):
        raise PromptHubError("unavailable", "the hub did not return a list of prompts; is it a Prompt Hub?")
    return names


def install(given):
    """Writes the locked versions whose files are missing or differ."""
    given.take(0)
    checks = check_signatures(given, enter_project())
    run(given, lambda project: project.install(bool(given["--force"]), bool(given["--require-attestation"]), checks))


def check_signatures(given, locate):
    """What is checked of signatures."""
    root = given["--trusted-root"]
    if root == "":
        raise invalid("--trusted-root: expected a path, got nothing")
    return SignatureOptions(root and locate(root), bool(given["--skip-signatures"]))


def update(given):
    """Updates all prompts, or those named, to the newest version in their range."""
    names = [check_name(name) for name in given.words]
    days, denying = check_days(given, "--min-age") or 0, check_denying(given)
    checks = check_signatures(given, enter_project())
    errors = []

    def change(project):
        updated, error = project.update(names, days, bool(given["--accept-publisher"]), denying, checks)
        errors.append(error)
        return updated

    run(given, change)
    if errors[0] is not None:
        raise errors[0]


def remove(given):
    """Removes prompts or one of their places from the lock, and deletes their files unless they were edited."""
    if not given.words:
        given.refuse()
    names = [check_name(name) for name in given.words]
    output = check_path(given)
    locate = enter_project()
    run(given, lambda project: project.remove(names, locate(output) if output else None))


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
