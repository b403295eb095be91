"""The commands that compare the lock with the files and the hub: verify, outdated and audit."""

import json

from program.checks import check_days
from program.project import enter_project, open_project
from program.table import write
from program.terminal import say, write_text
from program.typing_files import require_own_types
from prompt_hub.lifetime import WITHIN_DAYS
from prompt_hub.lock import LOCK
from prompt_hub.placed import open_lock
from prompt_hub.ranges import numbers_of

HEAD = ["NAME", "LOCKED", "WANTED", "LATEST", "RANGE"]


def verify(given):
    """Compares the files with the lock, and with --online also the lock with the hub."""
    given.take(0)
    enter_project()
    project = open_project()
    problems = project.compare() + (find_audited(project.review()) if given["--online"] else [])
    report(problems, given["--json"])
    require_own_types()


def audit(given):
    """Asks the hub about the locked versions and those that they include."""
    given.take(0)
    days = check_days(given, "--within")
    enter_project()
    report(find_audited(open_project().review(within_days=WITHIN_DAYS if days is None else days)), given["--json"])


def find_audited(reviewed):
    return [(each.name, problem) for each in reviewed for problem in each.audited()]


def report(problems, as_json):
    """Prints the problems; any problem exits with 4."""
    if as_json:
        count = len(open_lock(LOCK).prompts)
        found = {"ok": not problems, "prompts": count, "problems": [describe(*each) for each in problems]}
        write_text(json.dumps(found, indent=2) + "\n")
    else:
        for _, problem in problems:
            say(problem.message)
    if problems:
        raise SystemExit(4)


def outdated(given):
    """Lists newer versions; exits with 1 if there are any."""
    given.take(0)
    days = check_days(given, "--min-age") or 0
    enter_project()
    reviewed = open_project().review(days)
    problems = [(each.name, problem) for each in reviewed for problem in each.problems if problem.kind != "advisory"]
    old = [each for each in reviewed if each.is_outdated]
    if given["--json"]:
        rows = [list_row(each) for each in old]
        found = {"outdated": rows, "problems": [describe(*each) for each in problems]}
        write_text(json.dumps(found, indent=2) + "\n")
    else:
        table = [[each.name, each.locked.version, each.wanted, each.latest or "-", each.locked.range] for each in old]
        write(HEAD, table, given)
        for sentence in [problem.message for _, problem in problems] + [each for row in old for each in row.describe_breaking()]:
            say(f"warning: {sentence}")
    if old:
        raise SystemExit(1)


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
