"""Reads the files of a lock, below its folder and without following symbolic links. docs/lock-file.md"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from typing import Generator, List, NamedTuple, Optional

from .trouble import PromptHubError

MAX_CONTENT_BYTES = 1_048_576
"""No version is larger, so no more of a file is compared."""
# Windows can neither open folders nor refuse links while opening, so there each part of a path is checked by itself.
_OPENS_FOLDERS = os.open in os.supports_dir_fd
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)
"""The flag with which Windows keeps line endings."""


def native(path: str) -> str:
    """A path for the file system, on which its bytes are UTF-8 whatever the locale says, as for the other clients."""
    return os.fsdecode(path.encode("utf-8", "surrogateescape"))


def portable(path: str) -> str:
    """A path of the file system or a command line, as a lock has it."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")


class Folder(NamedTuple):
    """An open folder: what precedes the name of a file in it, and the `dir_fd` for its name."""

    prefix: str
    fd: Optional[int]


@contextlib.contextmanager
def open_folder(root: str, path: str, made: Optional[List[str]] = None) -> Generator[Optional[Folder], None, None]:
    """Opens the folder of a path; None if it does not exist. With the list `made`, creates missing folders and adds
    them to it. Raises PromptHubError `integrity` for a symbolic link."""
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY) if _OPENS_FOLDERS else None
    prefix, reached = "" if fd is not None else root + os.sep, ""
    try:
        for segment in native(path).split("/")[:-1]:
            reached += segment + "/"
            try:
                if made is not None:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(prefix + segment, dir_fd=fd)
                        made.append(os.path.join(root, *reached.split("/")[:-1]))
                if fd is None:
                    _require_folder(prefix + segment)
                    prefix += segment + os.sep
                else:
                    inner = os.open(segment, os.O_RDONLY | os.O_DIRECTORY | _NO_LINKS, dir_fd=fd)
                    os.close(fd)
                    fd = inner
            except FileNotFoundError:
                yield None
                return
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
                    message = f"{path}: {reached} is not a folder, or is a symbolic link"
                    raise PromptHubError("integrity", message) from error
                raise
        yield Folder(prefix, fd)
    finally:
        if fd is not None:
            os.close(fd)


def _require_folder(path: str) -> None:
    if os.path.islink(path) or not stat.S_ISDIR(os.stat(path).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


def read_vendored(root: str, path: str, largest: Optional[int] = MAX_CONTENT_BYTES) -> Optional[bytes]:
    """The bytes of a file, at most one more than the limit if there is one; None if it does not exist. Raises
    PromptHubError `integrity` for anything but a regular file that is reached without symbolic links."""
    with open_folder(root, path) as folder:
        if folder is None:
            return None
        name = folder.prefix + native(path).split("/")[-1]
        if folder.fd is None and os.path.islink(name):
            raise _linked(path)
        try:
            file = os.open(name, os.O_RDONLY | _NO_LINKS | _AT_ONCE | BINARY, dir_fd=folder.fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise _linked(path) from error
            raise
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise PromptHubError("integrity", f"{path} is not a regular file")
        with open(file, "rb") as opened:
            return opened.read() if largest is None else opened.read(largest + 1)


def _linked(path: str) -> PromptHubError:
    return PromptHubError("integrity", f"{path} is a symbolic link; replace it with a file")


def find_exact(data: bytes, sha256: str) -> Optional[bytes]:
    """The bytes with a digest in a file: the file itself or, because editors and formatters change that, the file
    without its last line ending or with one more. None if it differs in anything else."""
    others = [data, data + b"\n"]
    if data.endswith(b"\n"):
        others.append(data[:-1])
    if data.endswith(b"\r\n"):
        others.append(data[:-2])
    return next((each for each in others if digest_of(each) == sha256), None)


def differs_in_ends(data: bytes, sha256: str) -> bool:
    """Whether a file has the bytes with a digest except for its line endings, which git changes with core.autocrlf."""
    plain = data.replace(b"\r\n", b"\n")
    return sha256 in (digest_of(plain), digest_of(plain.replace(b"\n", b"\r\n")))


def digest_of(data: bytes) -> str:
    """The SHA-256 of some bytes, in hex."""
    return hashlib.sha256(data).hexdigest()
