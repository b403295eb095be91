"""The entries of a plan: prompts of the lock file in the current folder."""

from program.terminal import Refused
from prompt_hub.lock import LOCK, LockedDetails, LockedPrompt
from prompt_hub.publisher import Publisher
from prompt_hub.placed import read_lock_file
from prompt_hub.skills import SkillFile

# The fields of a lock entry that a plan contains.
FIELDS = ("range", "version", "sha256", "path", "files", "publisher")


def need_lock():
    """The lock."""
    lock = read_lock_file(LOCK)
    if lock is None:
        raise Refused(1, f"there is no {LOCK} here; hubcli add <owner>/<name> makes one")
    return lock


def summary(prompt):
    """A lock entry as it is in a plan; None for None."""
    if prompt is None:
        return None
    lists = {"files": [list(each) for each in prompt.files], "publisher": list(prompt.publisher) if prompt.publisher else None}
    return {**{field: getattr(prompt, field) for field in FIELDS}, **lists}


def to_locked(entry, details=LockedDetails((), {})):
    """The lock entry of an entry of a plan."""
    range_, version, sha256, path, files, publisher = (entry[field] for field in FIELDS)
    digests = tuple(SkillFile(*each) for each in files)
    return LockedPrompt(range_, version, sha256, path, details, digests, Publisher(*publisher) if publisher else None)


def is_to_write(entry):
    """Whether a plan writes a prompt's file; False while its version is not chosen."""
    if "version" not in entry:
        return False
    locked = entry["locked"]
    changed = locked is None or any(entry[key] != locked[key] for key in ("version", "sha256", "path"))
    return changed or entry.get("state", "missing") != "good"


def problem(name, kind, message, severity=None):
    """A problem, as in the JSON of a report."""
    return {"name": name, "problem": kind, **({} if severity is None else {"severity": severity}), "message": message}
