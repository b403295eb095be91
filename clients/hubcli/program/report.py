"""Prints the result of verify, audit and outdated."""

import json
import sys

from program.terminal import say
from program.work import load
from prompt_hub.review import AUDITED

SHOWN = ("name", "range", "version", "wanted", "latest", "path", "changes")
HEAD = ["NAME", "LOCKED", "WANTED", "LATEST", "RANGE"]


def report(as_json):
    """Prints the result; problems exit with 4, and newer versions with 1."""
    plan = load("plan")
    command, problems = plan["command"], plan["problems"]
    if command == "outdated":
        report_outdated(plan["entries"], [each for each in problems if each["problem"] != "advisory"], as_json == "1")
        return
    if command == "audit":
        problems = [each for each in problems if each["problem"] in AUDITED]
    if as_json == "1":
        print(json.dumps({"ok": not problems, "prompts": plan["count"], "problems": problems}, indent=2))
    else:
        for each in problems:
            say(each["message"])
    if problems:
        sys.exit(4)


def report_outdated(entries, problems, as_json):
    rows = [entry for entry in entries if entry["version"] != entry["locked"]["version"] or entry["latest"] not in (None, entry["locked"]["version"])]
    if as_json:
        shown = [{**{key: entry[key] for key in SHOWN}, "version": entry["locked"]["version"]} for entry in rows]
        print(json.dumps({"outdated": shown, "problems": problems}, indent=2))
    else:
        table = [[entry["name"], entry["locked"]["version"], entry["wanted"], entry["latest"] or "-", entry["range"]] for entry in rows]
        if sys.stdout.isatty() and table:
            table.insert(0, HEAD)
        widths = [max(map(len, column)) for column in zip(*table)]
        for row in table:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        for each in problems:
            say(f"warning: {each['message']}")
    if rows:
        sys.exit(1)
