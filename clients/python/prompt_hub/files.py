"""Reads and writes files: atomically, and without following symbolic links."""

from __future__ import annotations

import hashlib
import os
import uuid
from dataclasses import dataclass
from typing import List, Optional, Sequence

from .trouble import PromptHubError


def read_if_there(path: str) -> Optional[bytes]:
    """The bytes of a file, or None if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write_temporary(path: str, data: bytes) -> str:
    """Writes and syncs a temporary file next to a path, and returns its path; a rename puts the whole file in place at
    once."""
    temporary = os.path.join(os.path.dirname(path), f".prompt-hub.{uuid.uuid4()}")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        remove_if_there(temporary)
        raise
    return temporary


def write_whole(path: str, data: bytes) -> None:
    """Writes a file atomically."""
    temporary = write_temporary(path, data)
    try:
        put_all([Staged(path, temporary)])
    except BaseException:
        remove_if_there(temporary)
        raise


@dataclass
class Staged:
    """A written temporary file, to be renamed."""

    place: str
    temporary: str
    before: Optional[str] = None
    """A copy of the existing file."""


def put_all(staged: Sequence[Staged]) -> None:
    """Puts all files in place: if one fails, the previous ones are restored."""
    done: List[Staged] = []
    try:
        for each in staged:
            os.replace(each.temporary, each.place)
            done.append(each)
    except BaseException:
        for each in reversed(done):
            if each.before is None:
                remove_if_there(each.place)
            else:
                os.replace(each.before, each.place)
        raise


def make_folders(folder: str, made: List[str]) -> None:
    """Creates a folder and its parents; `made` collects the created ones, outermost first."""
    if os.path.lexists(folder):
        return
    make_folders(os.path.dirname(folder), made)
    os.mkdir(folder)
    made.append(folder)


def remove_if_there(path: str) -> None:
    """Removes a file that may not exist."""
    try:
        os.remove(path)
    except OSError:
        pass


def read_vendored(folder: str, path: str) -> Optional[bytes]:
    """Reads a file of a lock below its folder; raises PromptHubError `integrity` when a part of its path is a symbolic
    link."""
    _require_no_link(folder, path)
    return read_if_there(os.path.join(folder, *path.split("/")))


def find_exact(data: bytes, sha256: str) -> Optional[bytes]:
    """The bytes with a digest in a file: the file itself or, because editors and formatters change that, the file
    without its last line ending or with one more. None if it differs in anything else."""
    others = [data, data + b"\n"]
    if data.endswith(b"\n"):
        others.append(data[:-1])
    if data.endswith(b"\r\n"):
        others.append(data[:-2])
    return next((each for each in others if hashlib.sha256(each).hexdigest() == sha256), None)


def _require_no_link(folder: str, path: str) -> None:
    """Raises PromptHubError `integrity` when a part of the path is a symbolic link, which could lead anywhere."""
    reached = folder
    for segment in path.split("/"):
        reached = os.path.join(reached, segment)
        if os.path.islink(reached):
            raise PromptHubError("integrity", f"{path} is reached through a symbolic link; replace it with a file.")
