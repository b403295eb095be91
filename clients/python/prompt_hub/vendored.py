"""Reads and replaces the files of a lock, below its folder and without following symbolic links: all of them or none.
docs/lock-file.md"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import time
from typing import BinaryIO, Callable, Generator, List, NamedTuple, Optional, Sequence, Tuple

from .trouble import PromptHubError

MAX_CONTENT_BYTES = 1_048_576
"""No version is larger, so no more of a file is compared."""
_MAX_WAIT = 5.0
# Windows can neither open folders nor refuse links while opening, so there each part of a path is checked by itself.
_OPENS_FOLDERS = os.open in os.supports_dir_fd
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


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
        for segment in path.split("/")[:-1]:
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
        name = folder.prefix + path.split("/")[-1]
        if folder.fd is None and os.path.islink(name):
            raise _linked(path)
        try:
            file = os.open(name, os.O_RDONLY | _NO_LINKS | _AT_ONCE | _BINARY, dir_fd=folder.fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise _linked(path) from error
            raise
        with open(file, "rb") as opened:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise PromptHubError("integrity", f"{path} is not a regular file")
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


@contextlib.contextmanager
def take_turn(lock_path: str) -> Generator[BinaryIO, None, None]:
    """Waits until no other run changes the lock, and locks out other runs. Yields the open file that replaces the lock;
    it is deleted unless it is renamed. Raises PromptHubError `invalid_request` after waiting in vain."""
    path, ends_at = f"{lock_path}.new", time.monotonic() + _MAX_WAIT
    while True:
        try:
            file = open(path, "xb")
            break
        except FileExistsError as error:
            if time.monotonic() > ends_at:
                advice = "If no other run is active, delete that file"
                message = f"another run is active: {os.path.basename(path)} exists; nothing was changed. {advice}"
                raise PromptHubError("invalid_request", message) from error
            time.sleep(0.05)
    try:
        yield file
    finally:
        # Closing a file on a full disk fails a second time.
        with contextlib.suppress(OSError):
            file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def replace_files(
    lock_path: str, files: Sequence[Tuple[str, bytes]], turn: BinaryIO, text: str, is_changed: bool
) -> None:
    """Writes files and the lock: all of them or none. `turn` is from `take_turn`; `is_changed` is whether the lock is
    replaced."""
    root = os.path.dirname(lock_path) or "."
    made: List[str] = []
    left: List[str] = []
    staged: List[Tuple[str, str, Optional[str]]] = []
    done: List[Tuple[str, Optional[str]]] = []

    def write_beside(path: str, data: bytes) -> str:
        with open_folder(root, path, made) as folder:
            if folder is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            name = f".prompt-hub.{os.urandom(16).hex()}"
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY
            file = os.open(folder.prefix + name, flags, 0o666, dir_fd=folder.fd)
            left.append("/".join((*path.split("/")[:-1], name)))
            _write_all(open(file, "wb"), data)
        return name

    try:
        for path, data in files:
            before = read_vendored(root, path, None)
            staged.append((path, write_beside(path, data), None if before is None else write_beside(path, before)))
        _write_all(turn, text.encode())
        for path, name, backup in staged:
            _rename(root, path, name)
            done.append((path, backup))
        if is_changed:
            os.replace(f"{lock_path}.new", lock_path)
    except BaseException:
        for path, backup in reversed(done):
            _remove(root, path) if backup is None else _rename(root, path, backup)
        _drop(left, lambda path: _remove(root, path))
        _drop(made, os.rmdir)
        raise
    _drop(left, lambda path: _remove(root, path))


def _write_all(file: BinaryIO, data: bytes) -> None:
    with file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _rename(root: str, path: str, name: str) -> None:
    """Puts a file in the same folder in place of another."""
    with open_folder(root, path) as folder:
        if folder is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        target = folder.prefix + path.split("/")[-1]
        os.replace(folder.prefix + name, target, src_dir_fd=folder.fd, dst_dir_fd=folder.fd)


def _remove(root: str, path: str) -> None:
    with open_folder(root, path) as folder:
        if folder is not None:
            os.unlink(folder.prefix + path.split("/")[-1], dir_fd=folder.fd)


def _drop(paths: Sequence[str], take_away: Callable[[str], None]) -> None:
    for path in reversed(paths):
        with contextlib.suppress(OSError):
            take_away(path)


def delete_vendored(root: str, path: str, sha256: str) -> bool:
    """Deletes a prompt's file, and the folders below the lock's that become empty. False for an edited file, which
    stays."""
    data = read_vendored(root, path)
    if data is None:
        return True
    if find_exact(data, sha256) is None:
        return False
    _remove(root, path)
    parents = path.split("/")[:-1]
    with contextlib.suppress(OSError):  # Until one contains other files.
        while parents:
            os.rmdir(os.path.join(root, *parents))
            parents.pop()
    return True
