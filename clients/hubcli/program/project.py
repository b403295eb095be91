"""The lock and the files of the project in the current folder."""

from program.terminal import Refused
from prompt_hub.changing import read_lock_file
from prompt_hub.lock import LOCK, mend_ends
from prompt_hub.vendored import differs_in_ends

# The fields of a lock entry that a plan contains.
FIELDS = ("range", "version", "sha256", "path")


def need_lock():
    """The lock."""
    lock = read_lock_file(LOCK)
    if lock is None:
        raise Refused(1, f"there is no {LOCK} here; hubcli add <owner>/<name> makes one")
    return lock


def summary(prompt):
    """A lock entry as it is in a plan; None for None."""
    return None if prompt is None else {field: getattr(prompt, field) for field in FIELDS}


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


def say_ends(path, data, sha256):
    """Explains how to restore a file that differs only in line endings; empty for any other file."""
    if not differs_in_ends(data, sha256):
        return ""
    return f" only in its line endings: git changed them, as with core.autocrlf. {mend_ends(path)}"
