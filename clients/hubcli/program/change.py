"""Writes the planned files and the lock, and removes prompts."""

import signal
import sys

from program.pack import unpack_skill
from program.project import is_to_write, need_lock, summary, to_locked
from program.terminal import Refused, clean, say
from program.work import load, read_bytes
from prompt_hub.changing import NewPrompt, change_lock, remove_prompts
from prompt_hub.lock import LOCK, details_of, keepable_publisher
from prompt_hub.publisher import refuse_publisher
from prompt_hub.records import read_version_record
from prompt_hub.replacing import NewFiles
from prompt_hub.skills import SKILL, find_content
from prompt_hub.trouble import PromptHubError
from prompt_hub.vendored import digest_of


def check_publisher(entry, publisher, plan):
    """Refuses a version of another workflow than the lock has, and puts the publisher into the entry."""
    what = f"{entry['name']} {entry['version']}"
    locked = to_locked(entry["locked"]).publisher if entry["locked"] else None
    if plan["command"] == "update" and not plan["accepts_publisher"]:
        refused = refuse_publisher(what, locked, publisher)
        if refused is not None:
            raise Refused(4, f"{refused}; nothing was changed")
    if plan["command"] == "install" and publisher != locked:
        raise Refused(4, f"the hub names another publisher of {what} than {LOCK} does; nothing was changed")
    entry["publisher"] = list(publisher) if publisher else None


def read_prompt(at, entry, plan):
    """The files of a version, and what a lock stores about it."""
    what = f"{entry['name']} {entry['version']}"
    try:
        record = read_version_record(read_bytes(f"version.{at}").decode(), "the hub")
        details = details_of(record.variables, record.parameters)
    except (OSError, ValueError, PromptHubError) as error:
        if isinstance(error, PromptHubError) and error.code == "integrity":
            raise refuse_bytes(what)
        details = None
    if details is None:
        raise Refused(5, "the hub did not return a version; is it a Prompt Hub?")
    if (record.full_name, record.version, record.content_sha256) != (entry["name"], entry["version"], entry["sha256"]):
        raise refuse_bytes(what)
    check_publisher(entry, keepable_publisher(record.publisher), plan)
    if not entry["is_skill"]:
        return [("", record.content.encode())], details
    files = read_skill(at, record)
    digests = sorted((path, digest_of(data)) for path, data in files.items())
    is_same = entry["locked"] and entry["locked"]["version"] == entry["version"] and entry["locked"]["files"]
    if digests != sorted(map(tuple, entry["locked"]["files"] if is_same else digests)):
        raise refuse_bytes(what)
    entry["files"] = [list(each) for each in digests]
    return sorted(files.items()), details


def read_skill(at, record):
    """All files of a skill, each compared with its digest in the record."""
    what = f"{record.full_name} {record.version}"
    try:
        archive = read_bytes(f"archive.{at}")
        if digest_of(archive) != load(f"version.{at}")["data"]["bundle_sha256"]:
            raise ValueError
        files = unpack_skill(archive)
    except FileNotFoundError:
        files = {SKILL: read_bytes(f"skill.{at}")}
    except ValueError:
        raise refuse_bytes(what)
    found = {path: digest_of(data) for path, data in files.items() if path != SKILL}
    if found != dict(record.files) or find_content(files.get(SKILL, b""), record.content_sha256) is None:
        raise refuse_bytes(what)
    return files


def refuse_bytes(what):
    return Refused(4, f"the hub sent other bytes for {what} than its SHA-256 says; nothing was changed")


def stop_cleanly():
    """A signal ends the step, but not before its files are removed."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def write(hub):
    """Writes the planned files and the lock."""
    plan = load("plan")
    entries = plan["entries"]
    found = {at: read_prompt(at, entry, plan) for at, entry in enumerate(entries) if is_to_write(entry)}

    def change(lock):
        for at, entry in enumerate(entries):
            there = lock.prompts.get(entry["name"])
            if summary(there) != entry["locked"]:
                raise Refused(1, f"{LOCK} was changed in the meantime; run this again")
            if plan["command"] != "install":
                lock.prompts[entry["name"]] = to_locked(entry, found[at][1] if at in found else there.details)
        return [
            NewPrompt(NewFiles(entries[at]["path"], files), lambda at=at: entries[at].get("known", []))
            for at, (files, _) in found.items()
        ]

    stop_cleanly()
    change_lock(LOCK, hub, change, say, plan["is_forced"], "hubcli")
    for each in plan["problems"]:
        say(f"warning: {each['message']}")
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
