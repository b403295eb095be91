"""Packs the folder of an Agent Skill, and attestations, into an archive that a hub takes."""

import gzip
import io
import os
import re
import tarfile

from program.main import invalid
from program.terminal import say
from prompt_hub.skills import SKILL, refuse_files

MAX_FILES = 500
MAX_FILE_BYTES = 2000000
MAX_FILES_BYTES = 8000000
MAX_ATTESTATIONS = 5
MAX_ATTESTATION_BYTES = 65536
MAIN = (SKILL, "prompt.md")
# What systems, git and other programs leave in a folder; no skill has it.
JUNK = re.compile(r"(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|\.git(?:ignore|attributes|keep)?|node_modules|__pycache__)", re.IGNORECASE | re.DOTALL)
ADVICE = "delete it, or publish a copy of the folder without it"


def pack(folder):
    """The archive of a folder."""
    problems = []
    paths = sorted(list_files(folder, "", problems))
    main = [path for path in paths if path in MAIN]
    if len(main) != 1:
        problems.append(f"{folder}: expected {'either ' if main else ''}{' or '.join(MAIN)} in it, got {'both' if main else 'neither'}")
    others = [path for path in paths if path not in MAIN]
    if len(others) > MAX_FILES:
        problems.append(f"{folder} has {len(others)} files; expected at most {MAX_FILES} beside {SKILL}")
    inner = [path for path in others if path.split("/")[-1].lower() == SKILL.lower()]
    for path in inner:
        reason = "the hub writes it from the content, and agents read one in any folder as a skill of its own"
        problems.append(f"{folder}/{path}: expected no {SKILL}: {reason}; {ADVICE}")
    refused = refuse_files([SKILL, *(path for path in others if path not in inner)])
    if refused:
        problems.append(f"{folder} {refused}; rename it: letters, digits, _, - and dots, not at the start")
    refuse_all(problems)
    stream, total = io.BytesIO(), 0
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in paths:
            data = read_file(folder, path, problems)
            total += 0 if path in MAIN else len(data)
            if total > MAX_FILES_BYTES:
                problems.append(f"{folder}: the files have more than {MAX_FILES_BYTES} bytes together")
                break
            add_member(tar, path, data)
    refuse_all(problems)
    return gzip.compress(stream.getvalue())


def sign(data, is_archive, paths):
    """The archive of a packed folder or a prompt file, and of attestations."""
    if len(paths) > MAX_ATTESTATIONS:
        raise invalid(f"--attestation: expected at most {MAX_ATTESTATIONS}, got {len(paths)}")
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        if is_archive:
            with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))) as packed:
                for member in packed:
                    tar.addfile(member, packed.extractfile(member))
        else:
            add_member(tar, "prompt.md", data)
        for number, path in enumerate(paths, 1):
            add_member(tar, f".attestations/{number}.sigstore.json", read_bounded(path, MAX_ATTESTATION_BYTES, path))
    return gzip.compress(stream.getvalue())


def read_bounded(path, limit, shown):
    """The bytes of a file, or of standard input for 0, within a limit."""
    with open(path, "rb", closefd=path != 0) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise invalid(f"{shown} is larger than {limit} bytes")
    return data


def add_member(tar, path, data):
    member = tarfile.TarInfo(path)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


def list_files(folder, before, problems):
    """The paths of all files below a folder. What a hub does not take is added to the problems."""
    try:
        with os.scandir(os.path.join(folder, *before.split("/"))) as scanned:
            entries = list(scanned)
    except OSError:
        problems.append(f"cannot read {os.path.join(folder, before)}")
        return
    for entry in entries:
        path = before + entry.name
        if JUNK.fullmatch(entry.name):
            say(f"{folder}/{path} is left out")
        elif entry.is_symlink():
            problems.append(f"{folder}/{path} is a link; put a copy of its target in its place, or {ADVICE}")
        elif entry.name.startswith("."):
            problems.append(f"{folder}/{path} is a dot file, which no skill has; {ADVICE}")
        elif entry.is_dir():
            yield from list_files(folder, f"{path}/", problems)
        elif entry.is_file():
            yield path
        else:
            problems.append(f"{folder}/{path} is not a regular file; {ADVICE}")


def read_file(folder, path, problems):
    """The bytes of a file, within the limit. Why it cannot be read is added to the problems."""
    try:
        with open(os.path.join(folder, *path.split("/")), "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError:
        problems.append(f"cannot read {folder}/{path}")
        return b""
    if len(data) > MAX_FILE_BYTES and path not in MAIN:
        problems.append(f"{folder}/{path} has more than {MAX_FILE_BYTES} bytes, so no skill may have it")
    return data


def refuse_all(problems):
    """Names all problems, and fails with the last one."""
    for problem in problems[:-1]:
        say(problem)
    if problems:
        raise invalid(problems[-1])
