"""The commands that compare the lock with the files and the hub: verify, outdated and audit."""

import json
import sys

from program.asking import hub_of
from program.project import need_lock
from program.resolving import entries_of, judge_included, list_changes, problem, resolve
from program.terminal import say
from prompt_hub.placed import find_difference, say_difference
from prompt_hub.review import AUDITED

HEAD = ["NAME", "LOCKED", "WANTED", "LATEST", "RANGE"]


def verify(as_json, online):
    """Compares the files with the lock, and with `online` also the lock with the hub."""
    lock = need_lock()
    entries, problems = entries_of(lock), []
    for entry in entries:
        difference = find_difference(".", entry.locked)
        if difference is not None:
            kind = "missing" if difference.kind == "missing" else "changed"
            problems.append(problem(entry.name, kind, say_difference(entry.locked, difference, "hubcli")))
    if online:
        problems += ask_about(lock, entries, "verify")
    report(entries, problems, as_json)


def audit(as_json, days):
    """Asks the hub about the locked versions and those that they include."""
    lock = need_lock()
    entries = entries_of(lock)
    problems = ask_about(lock, entries, "audit", int(days)) + judge_included(entries)
    report(entries, [each for each in problems if each["problem"] in AUDITED], as_json)


def ask_about(lock, entries, command, days=0):
    hub_of(lock)
    return [each for entry in entries for each in resolve(entry, command, days)]


def report(entries, problems, as_json):
    """Prints the problems; any problem exits with 4."""
    if as_json:
        print(json.dumps({"ok": not problems, "prompts": len(entries), "problems": problems}, indent=2))
    else:
        for each in problems:
            say(each["message"])
    if problems:
        sys.exit(4)


def outdated(as_json, days):
    """Lists newer versions; exits with 1 if there are any."""
    lock = need_lock()
    entries = entries_of(lock)
    problems = [each for each in ask_about(lock, entries, "outdated", int(days or "0")) if each["problem"] != "advisory"]
    rows = [each for each in entries if each.version != each.locked.version or each.latest not in (None, each.locked.version)]
    if as_json:
        print(json.dumps({"outdated": [describe(each) for each in rows], "problems": problems}, indent=2))
    else:
        table = [[each.name, each.locked.version, each.version, each.latest or "-", each.range] for each in rows]
        if sys.stdout.isatty() and table:
            table.insert(0, HEAD)
        widths = [max(map(len, column)) for column in zip(*table)]
        for row in table:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        for each in problems:
            say(f"warning: {each['message']}")
    if rows:
        sys.exit(1)


def describe(entry):
    versions = {"version": entry.locked.version, "wanted": entry.version, "latest": entry.latest}
    return {"name": entry.name, "range": entry.range, **versions, "path": entry.path, "changes": list_changes(entry)}
