"""Changes the lock file and the files of prompts: all of them or none."""

import contextlib
import signal
import sys

from program.project import FIELDS, is_to_write, need_lock, read_lock, summary
from program.skill import format_skill
from program.terminal import Refused, clean, say
from program.work import load
from prompt_hub import vendored
from prompt_hub.git_attributes import ATTRIBUTES, plan_attributes
from prompt_hub.lock import LOCK, Lock, LockedPrompt, details_of, format_lock, parse_lock
from prompt_hub.variable import read_variable
from prompt_hub.review import is_skill_path
from prompt_hub.vendored import delete_vendored, digest_of, find_exact, read_vendored, replace_files


def read_record(at, entry):
    """The file of a version, and what a lock stores about it."""
    try:
        record = load(f"version.{at}")["data"]
        content = record["content"].encode()
        variables = [read_variable(each) for each in record["variables"]]
        details = details_of(variables, record["parameters"])
        skill = format_skill(entry, record["skill"], content, variables) if is_skill_path(entry["path"]) and record.get("skill") else None
        if details is None:
            raise ValueError
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Refused(5, "the hub did not return a version; is it a Prompt Hub?")
    if entry.get("is_skill") and digest_of(content) == entry["sha256"]:
        if skill is None:
            raise Refused(2, f"{entry['name']} {entry['version']} is not an Agent Skill; nothing was changed")
        entry["sha256"] = digest_of(skill)
    for data in (content, skill):
        if data is not None and digest_of(data) == entry["sha256"]:
            return data, details
    raise Refused(4, f"the hub sent other bytes for {entry['name']} {entry['version']} than its SHA-256 says; nothing was changed")


def check_replaceable(entry):
    """Replaces only files that nobody has edited."""
    there = read_vendored(".", entry["path"])
    known = [entry["sha256"], *entry.get("known", []), *([entry["locked"]["sha256"]] if entry["locked"] else [])]
    if there is not None and all(find_exact(there, each) is None for each in known):
        advice = ", or replace it: hubcli install --force" if entry["locked"] else ""
        raise Refused(1, f"{entry['path']} was changed by hand, or is another file; move it away first{advice}. Nothing was changed")


@contextlib.contextmanager
def take_turn():
    """The turn to change the lock. A signal ends the step, but not before its files are removed."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    with vendored.take_turn(LOCK) as turn:
        yield turn


def write(hub):
    """Writes the planned files and the lock."""
    plan = load("plan")
    entries = plan["entries"]
    found = {at: read_record(at, entry) for at, entry in enumerate(entries) if is_to_write(entry)}
    advice = None
    with take_turn() as turn:
        lock = read_lock() or Lock(hub, {})
        before = format_lock(lock)
        for at, entry in enumerate(entries):
            there = lock.prompts.get(entry["name"])
            if summary(there) != entry["locked"]:
                raise Refused(1, f"{LOCK} was changed in the meantime; run this again")
            if plan["command"] != "install":
                details = found[at][1] if at in found else there.details
                lock.prompts[entry["name"]] = LockedPrompt(*(entry[field] for field in FIELDS), details)
        text = format_lock(lock)
        parse_lock(text)
        for at in found:
            if not plan["is_forced"]:
                check_replaceable(entries[at])
        files = [(entries[at]["path"], data) for at, (data, _) in found.items()]
        if plan["command"] == "add":
            attributes, advice = plan_attributes(LOCK, [entries[0]["path"]])
            if attributes is not None:
                files.append((ATTRIBUTES, attributes.encode()))
        replace_files(LOCK, files, turn, text, text != before)
    if advice is not None:
        say(advice)
    for entry in entries:
        if entry["locked"] and entry["locked"]["path"] != entry["path"]:
            delete(entry["locked"]["path"], entry["locked"]["sha256"])
    for problem in plan["problems"]:
        say(f"warning: {problem['message']}")
    for at in found:
        entry = entries[at]
        was = entry["locked"]["version"] if entry["locked"] else entry["version"]
        print(entry["name"], was if was == entry["version"] else f"{was} -> {entry['version']}", clean(entry["path"]))


def remove(name):
    """Removes a prompt from the lock, and deletes its file unless it was edited."""
    with take_turn() as turn:
        lock = need_lock()
        if name not in lock.prompts:
            raise Refused(1, f"{name} is not in {LOCK}")
        prompt = lock.prompts.pop(name)
        read_vendored(".", prompt.path)
        replace_files(LOCK, [], turn, format_lock(lock), True)
    delete(prompt.path, prompt.sha256)
    print(name, prompt.version, clean(prompt.path))


def delete(path, sha256):
    if not delete_vendored(".", path, sha256):
        say(f"{path} was changed by hand and stays")
