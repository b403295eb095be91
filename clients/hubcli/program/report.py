"""The commands that compare the lock with the files and the hub: verify, outdated and audit."""

import json
import sys

from program.asking import open_project
from program.table import write
from program.terminal import say
from prompt_hub.lock import LOCK
from prompt_hub.placed import open_lock
from prompt_hub.ranges import numbers_of

HEAD = ["NAME", "LOCKED", "WANTED", "LATEST", "RANGE"]


def verify(as_json, online):
    """Compares the files with the lock, and with `online` also the lock with the hub."""
    project = open_project()
    report(project.compare() + (find_audited(project.review()) if online else []), as_json)


def audit(as_json, days):
    """Asks the hub about the locked versions and those that they include."""
    report(find_audited(open_project().review(within_days=int(days))), as_json)


def find_audited(reviewed):
    return [(each.name, problem) for each in reviewed for problem in each.audited()]


def report(problems, as_json):
    """Prints the problems; any problem exits with 4."""
    if as_json:
        count = len(open_lock(LOCK).prompts)
        print(json.dumps({"ok": not problems, "prompts": count, "problems": [describe(*each) for each in problems]}, indent=2))
    else:
        for _, problem in problems:
            say(problem.message)
    if problems:
        sys.exit(4)


def outdated(as_json, days):
    """Lists newer versions; exits with 1 if there are any."""
    reviewed = open_project().review(int(days or "0"))
    problems = [(each.name, problem) for each in reviewed for problem in each.problems if problem.kind != "advisory"]
    old = [each for each in reviewed if each.is_outdated]
    if as_json:
        rows = [list_row(each) for each in old]
        print(json.dumps({"outdated": rows, "problems": [describe(*each) for each in problems]}, indent=2))
    else:
        table = [[each.name, each.locked.version, each.wanted, each.latest or "-", each.locked.range] for each in old]
        write([HEAD, *table] if sys.stdout.isatty() and table else table)
        for sentence in [problem.message for _, problem in problems] + [each for row in old for each in row.describe_breaking()]:
            say(f"warning: {sentence}")
    if old:
        sys.exit(1)


def describe(name, problem):
    """A problem, as in the JSON of a report."""
    severity = {} if problem.severity is None else {"severity": problem.severity}
    return {"name": name, "problem": problem.kind, **severity, "message": problem.message}


def list_row(each):
    """A prompt with newer versions, and the changelogs of those that an update would take."""
    locked, after, to = each.locked, numbers_of(each.locked.version), numbers_of(each.wanted)
    reasons = {each.version: list(each.reasons) for each in each.breaking}
    changes = [
        {"version": row.version, "changelog": row.changelog or "", "yanked": row.yanked, "breaking": reasons.get(row.version, [])}
        for row in each.rows
        if after < numbers_of(row.version) <= to
    ]
    versions = {"version": locked.version, "wanted": each.wanted, "latest": each.latest}
    return {"name": each.name, "range": locked.range, **versions, "paths": [place.path for place in locked.places], "changes": changes}
