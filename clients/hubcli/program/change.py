"""The commands that change the lock and its files: add, install, update and remove."""

import json
import re
import signal
import sys

from program.asking import ANYTHING, ask, ask_file, ask_if_there, ask_list, hub_of
from program.pack import unpack_skill
from program.project import need_lock, skill_path
from program.resolving import Entry, entries_of, read, resolve
from program.terminal import Refused, clean, say
from prompt_hub.changing import NewPrompt, change_lock, remove_prompts
from prompt_hub.lock import FULL_NAME, LOCK, Lock, LockedDetails, LockedPrompt, details_of, format_lock, keepable_publisher, parse_lock, refuse_path
from prompt_hub.placed import find_difference, read_lock_file
from prompt_hub.publisher import refuse_publisher, refuse_unattested
from prompt_hub.ranges import is_label, is_range
from prompt_hub.records import read_label_list, read_version_list, read_version_record
from prompt_hub.replacing import NewFiles
from prompt_hub.skills import SKILL, SkillFile, find_content
from prompt_hub.trouble import PromptHubError
from prompt_hub.vendored import digest_of, read_vendored


def add(name, written, output, kind, agent):
    """Adds a prompt."""
    if written and not is_range(written) and not is_label(written):
        raise Refused(1, f"expected a range such as ^1.2 or a label's name after @, got {written}")
    lock = read_lock_file(LOCK)
    locked = lock.prompts.get(name) if lock else None
    # A locked skill stays one.
    is_skill = kind == "skill" or not output and locked is not None and bool(locked.files)
    path = output or (skill_path(name, agent, locked) if is_skill else f"prompts/{name}.md")
    if is_skill:
        path = path[:-1] if path.endswith("/") else path
        if path.split("/")[-1] != name.split("/")[1]:
            raise Refused(1, f"-o: expected a folder of the skill's name, such as .claude/skills/{name.split('/')[1]}, got {output}")
    change("add", lock, [plan_add(lock, Entry(name, locked, written, path, is_skill))])


def add_all(owner, label):
    """Adds all of an owner's prompts at a label."""
    lock = read_lock_file(LOCK)
    hub_of(lock)
    names = [row.full_name for row in read(read_label_list, ask_list(f"users/{owner}/labels/{label}"))]
    if not names:
        raise Refused(2, f"{owner} has no prompt with the label {label}")
    if any(not FULL_NAME.fullmatch(name) or not name.startswith(f"{owner}/") for name in names) or len(set(names)) < len(names):
        raise Refused(5, "the hub did not return a list of prompts; is it a Prompt Hub?")
    locked = lock.prompts if lock else {}
    change("add", lock, [plan_add(lock, Entry(name, locked.get(name), label, f"prompts/{name}.md", False)) for name in names])


def plan_add(lock, entry):
    """Checks the paths before any request, with a version that is not chosen yet."""
    refused = refuse_path(entry.path)
    if refused:
        raise Refused(1, f"-o: {entry.path} {refused}")
    trial = LockedPrompt("*", "0.0.0", "0" * 64, entry.path, LockedDetails((), {}))
    prompts = {**(lock.prompts if lock else {}), entry.name: trial}
    parse_lock(format_lock(Lock(lock.hub if lock else "https://hub", prompts)))
    read_vendored(".", f"{entry.path}/{SKILL}" if entry.is_skill else entry.path)
    return entry


def install(force, require_attestation):
    """Writes the locked versions whose files are missing or differ."""
    lock = need_lock()
    for entry in entries_of(lock) if require_attestation else ():
        refused = refuse_unattested(entry.what, entry.locked.publisher)
        if refused is not None:
            raise Refused(4, f"{refused}; nothing was changed")
    entries = [entry for entry in entries_of(lock) if find_difference(".", entry.locked) is not None]
    change("install", lock, entries, is_forced=bool(force))


def update(name, days, accept_publisher):
    """Updates all prompts, or one, to the newest version in their range."""
    lock = need_lock()
    entries = [entry for entry in entries_of(lock) if name in ("", entry.name)]
    if name and not entries:
        raise Refused(1, f"{name} is not in {LOCK}")
    change("update", lock, entries, int(days or "0"), accepts_publisher=bool(accept_publisher))


def remove(name):
    """Removes a prompt from the lock, and deletes its file unless it was edited."""
    need_lock()
    stop_cleanly()
    for _, prompt in remove_prompts(LOCK, [name], say):
        print(name, prompt.version, clean(prompt.path))


def change(command, lock, entries, days=0, is_forced=False, accepts_publisher=False):
    """Chooses the versions, fetches them, and writes all of them and the lock, or nothing."""
    hub = hub_of(lock)
    problems = []
    for entry in entries if command != "install" else ():
        problems += resolve(entry, command, days)
    found = [(entry, *fetch(entry, command, accepts_publisher)) for entry in entries if command != "update" or is_to_write(entry)]

    def change_prompts(now):
        for entry in entries:
            if now.prompts.get(entry.name) != entry.locked:
                raise Refused(1, f"{LOCK} was changed in the meantime; run this again")
        if command != "install":
            now.prompts.update((entry.name, locked) for entry, locked, _ in found)
        return [NewPrompt(NewFiles(entry.path, files), lambda entry=entry: list_known(entry)) for entry, _, files in found]

    # Without a change, the folder may be read-only, or another run's.
    if found:
        stop_cleanly()
        change_lock(LOCK, hub, change_prompts, say, is_forced, "hubcli")
    for each in problems:
        say(f"warning: {each['message']}")
    for entry, _, _ in found:
        was = entry.locked.version if entry.locked else entry.version
        print(entry.name, was if was == entry.version else f"{was} -> {entry.version}", clean(entry.path))


def is_to_write(entry):
    """Whether an update changes a prompt or restores its files."""
    locked = entry.locked
    return (entry.version, entry.sha256) != (locked.version, locked.sha256) or find_difference(".", locked) is not None


def list_known(entry):
    """The digests of all versions of a prompt."""
    rows = entry.rows or read(read_version_list, ask_file(f"repos/{entry.name}/versions"))
    return [row.content_sha256 for row in rows]


def stop_cleanly():
    """A signal ends the step, but not before its files are removed."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def fetch(entry, command, accepts_publisher):
    """The new lock entry of a prompt, and its files."""
    answer = ask_file(f"repos/{entry.name}/versions/{entry.version}")
    try:
        record = read_version_record(answer.decode(), "the hub")
        details = details_of(record.variables, record.parameters)
    except (ValueError, PromptHubError) as error:
        if isinstance(error, PromptHubError) and error.code == "integrity":
            raise refuse_bytes(entry)
        details = None
    if details is None:
        raise Refused(5, "the hub did not return a version; is it a Prompt Hub?")
    if (record.full_name, record.version, record.content_sha256) != (entry.name, entry.version, entry.sha256):
        raise refuse_bytes(entry)
    publisher = keepable_publisher(record.publisher)
    check_publisher(entry, publisher, command, accepts_publisher)
    files = read_skill(entry, record, json.loads(answer)["data"]) if entry.is_skill else {"": record.content.encode()}
    digests = tuple(SkillFile(path, digest_of(data)) for path, data in sorted(files.items())) if entry.is_skill else ()
    locked = entry.locked
    if locked and locked.version == entry.version and locked.files and entry.is_skill and digests != tuple(sorted(locked.files)):
        raise refuse_bytes(entry)
    new = LockedPrompt(entry.range, entry.version, entry.sha256, entry.path, details, digests, publisher)
    return new, sorted(files.items())


def check_publisher(entry, publisher, command, accepts_publisher):
    """Refuses a version of another workflow than the lock has."""
    locked = entry.locked.publisher if entry.locked else None
    refused = refuse_publisher(entry.what, locked, publisher) if command == "update" and not accepts_publisher else None
    if refused is not None:
        raise Refused(4, f"{refused}; nothing was changed")
    if command == "install" and publisher != locked:
        raise Refused(4, f"the hub names another publisher of {entry.what} than {LOCK} does; nothing was changed")


def read_skill(entry, record, data):
    """All files of a skill, each compared with its digest in the record: those of its archive or, if it has no other
    files, its SKILL.md."""
    name, version, bundle = entry.name, entry.version, data.get("bundle_sha256")
    if not data.get("skill"):
        raise Refused(2, f"{entry.what} is not an Agent Skill; nothing was changed")
    if bundle is None:
        places = f"/data/v1/repos/{name}/skills/{version}.md", f"/{name}/v/{version}/SKILL.md"
    elif re.fullmatch("[0-9a-f]{64}", str(bundle)):
        places = f"/data/v1/repos/{name}/blobs/{bundle}.bin", f"/api/v1/repos/{name}/versions/{version}/archive"
    else:
        raise Refused(5, "the hub did not return a version; is it a Prompt Hub?")
    found = ask_if_there(places[0], ANYTHING)
    found = ask(places[1], ANYTHING) if found is None else found
    try:
        if bundle is not None and digest_of(found) != bundle:
            raise ValueError
        files = {SKILL: found} if bundle is None else unpack_skill(found)
    except ValueError:
        raise refuse_bytes(entry)
    others = {path: digest_of(each) for path, each in files.items() if path != SKILL}
    if others != dict(record.files) or find_content(files.get(SKILL, b""), record.content_sha256) is None:
        raise refuse_bytes(entry)
    return files


def refuse_bytes(entry):
    return Refused(4, f"the hub sent other bytes for {entry.what} than its SHA-256 says; nothing was changed")
