"""Writes the planned files and the lock, and removes prompts."""

import signal
import sys

from program.project import FIELDS, is_to_write, need_lock, summary
from program.skill import format_skill
from program.terminal import Refused, clean, say
from program.work import load
from prompt_hub.changing import NewFile, change_lock, remove_prompts
from prompt_hub.git_attributes import ATTRIBUTES, plan_attributes
from prompt_hub.lock import LOCK, LockedPrompt, details_of
from prompt_hub.variable import read_variable
from prompt_hub.review import is_skill_path
from prompt_hub.vendored import delete_vendored, digest_of


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


def stop_cleanly():
    """A signal ends the step, but not before its files are removed."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def write(hub):
    """Writes the planned files and the lock."""
    plan = load("plan")
    entries = plan["entries"]
    found = {at: read_record(at, entry) for at, entry in enumerate(entries) if is_to_write(entry)}
    advice = None

    def change(lock):
        nonlocal advice
        for at, entry in enumerate(entries):
            there = lock.prompts.get(entry["name"])
            if summary(there) != entry["locked"]:
                raise Refused(1, f"{LOCK} was changed in the meantime; run this again")
            if plan["command"] != "install":
                details = found[at][1] if at in found else there.details
                lock.prompts[entry["name"]] = LockedPrompt(*(entry[field] for field in FIELDS), details)
        files = [NewFile(entries[at]["path"], data, lambda at=at: entries[at].get("known", [])) for at, (data, _) in found.items()]
        if plan["command"] == "add":
            attributes, advice = plan_attributes(LOCK, [entries[0]["path"]])
            if attributes is not None:
                files.append(NewFile(ATTRIBUTES, attributes.encode(), None))
        return files

    stop_cleanly()
    change_lock(LOCK, hub, change, plan["is_forced"], "hubcli")
    if advice is not None:
        say(advice)
    for entry in entries:
        if entry["locked"] and entry["locked"]["path"] != entry["path"]:
            if not delete_vendored(".", entry["locked"]["path"], entry["locked"]["sha256"]):
                say(f"{entry['locked']['path']} was changed by hand and stays")
    for problem in plan["problems"]:
        say(f"warning: {problem['message']}")
    for at in found:
        entry = entries[at]
        was = entry["locked"]["version"] if entry["locked"] else entry["version"]
        print(entry["name"], was if was == entry["version"] else f"{was} -> {entry['version']}", clean(entry["path"]))


def remove(name):
    """Removes a prompt from the lock, and deletes its file unless it was edited."""
    need_lock()
    stop_cleanly()
    for _, prompt in remove_prompts(LOCK, [name], say):
        print(name, prompt.version, clean(prompt.path))
