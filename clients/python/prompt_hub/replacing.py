"""Replaces files and the folders of skills next to a lock: all of them or none. A folder is written beside the old one
and takes its place in one step where the system can do that. docs/lock-file.md"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import signal
import threading
import time
from types import FrameType
from typing import Any, BinaryIO, Dict, Generator, List, NamedTuple, Optional, Sequence, Tuple, Union

from .trouble import PromptHubError
from .vendored import BINARY, native, open_folder, read_vendored

_MAX_WAIT = 5.0
# Of renameat2 on Linux and of renameatx_np on macOS: both swap two paths. With absolute paths the folders are ignored.
_SWAP = 2
_NO_FOLDER = -100


# Windows has no SIGHUP.
_SIGNALS = [getattr(signal, name) for name in ("SIGHUP", "SIGINT", "SIGTERM") if hasattr(signal, name)]


@contextlib.contextmanager
def uninterrupted() -> Generator[None, None, None]:
    """Holds back signals such as Ctrl-C, so that they leave nothing half-written. Blocking them in this thread would not:
    the system then gives them to another thread, such as one with a request, and Python still interrupts this one.
    https://docs.python.org/3/library/signal.html#signals-and-threads"""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: List[Tuple[int, Optional[FrameType]]] = []
    before: Dict[int, Any] = {}
    try:
        for number in _SIGNALS:
            # Python cannot put back a handler that it did not set.
            if signal.getsignal(number) is not None:
                before[number] = signal.signal(number, lambda given, frame: held.append((given, frame)))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number, frame in held[:1]:
            if callable(before[number]):
                before[number](number, frame)
            else:
                os.kill(os.getpid(), number)


class NewFiles(NamedTuple):
    """A file to write next to a lock, or all files of a folder."""

    path: str
    files: Sequence[Tuple[str, bytes]]
    """The path of each file in the folder, and its bytes; only one with an empty path if it is no folder."""

    @property
    def is_folder(self) -> bool:
        """Whether the path is that of a folder."""
        return self.files[0][0] != ""


class Turn:
    """The open file that replaces the lock."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.is_spent = False
        """Whether it has replaced the lock."""


@contextlib.contextmanager
def take_turn(lock_path: str) -> Generator[Turn, None, None]:
    """Waits until no other run changes the lock, and locks out other runs. Raises PromptHubError `invalid_request` after
    waiting in vain."""
    path, ends_at = f"{lock_path}.new", time.monotonic() + _MAX_WAIT
    turn: Optional[Turn] = None
    try:
        while turn is None:
            try:
                with uninterrupted():
                    turn = Turn(open(path, "xb"))
            except FileExistsError as error:
                if time.monotonic() > ends_at:
                    advice = "If no other run is active, delete that file"
                    message = f"another run is active: {os.path.basename(path)} exists; nothing was changed. {advice}"
                    raise PromptHubError("invalid_request", message) from error
                time.sleep(0.05)
        yield turn
    finally:
        with uninterrupted():
            if turn is not None:
                _end(turn, path)


def _end(turn: Turn, path: str) -> None:
    # Closing a file on a full disk fails a second time.
    with contextlib.suppress(OSError):
        turn.file.close()
    # Once it has replaced the lock, the file is another run's.
    if not turn.is_spent:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def replace_files(lock_path: str, new: Sequence[NewFiles], turn: Turn, text: str, is_changed: bool) -> None:
    """Writes files, folders and the lock: all of them or none. `turn` is from `take_turn`; `is_changed` is whether the
    lock is replaced."""
    root = os.path.dirname(lock_path) or "."
    made: List[str] = []
    staged: List[Union[_File, _Folder]] = []
    done: List[Union[_File, _Folder]] = []
    try:
        for each in new:
            staged.append(_Folder(root, each.path) if each.is_folder else _File(root, each.path))
            staged[-1].write(each.files, made)
        _write_all(turn.file, text.encode())
        for target in staged:
            target.put()
            done.append(target)
        if is_changed:
            os.replace(f"{lock_path}.new", lock_path)
            turn.is_spent = True
    except BaseException:
        for target in reversed(done):
            target.undo()
        for target in reversed(staged):
            target.drop()
        for path in reversed(made):
            with contextlib.suppress(OSError):
                os.rmdir(path)
        raise
    for target in staged:
        target.drop()


class _File:
    """A file that is written beside its path."""

    def __init__(self, root: str, path: str) -> None:
        self._root, self._path = root, path
        self._written: List[str] = []

    def write(self, files: Sequence[Tuple[str, bytes]], made: List[str]) -> None:
        """Writes the file, and a copy of the one that it replaces."""
        before = read_vendored(self._root, self._path, None)
        for data in (files[0][1], *([] if before is None else [before])):
            with _need_folder(self._root, self._path, made) as (prefix, fd):
                name = f".prompt-hub.{os.urandom(16).hex()}"
                file = os.open(prefix + name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | BINARY, 0o666, dir_fd=fd)
                self._written.append(name)
                _write_all(open(file, "wb"), data)

    def put(self) -> None:
        """Puts the file in place."""
        self._rename(self._written[0])

    def undo(self) -> None:
        """Puts the replaced file back."""
        if len(self._written) > 1:
            self._rename(self._written[1])
        else:
            delete_file(self._root, self._path)

    def drop(self) -> None:
        """Deletes what is left beside the path."""
        parent = self._path.split("/")[:-1]
        for name in self._written:
            with contextlib.suppress(OSError):
                delete_file(self._root, "/".join((*parent, name)))

    def _rename(self, name: str) -> None:
        with _need_folder(self._root, self._path) as (prefix, fd):
            os.replace(prefix + name, prefix + native(self._path).split("/")[-1], src_dir_fd=fd, dst_dir_fd=fd)


class _Folder:
    """A folder that is written beside its path. The replaced one stays beside it until the end."""

    def __init__(self, root: str, path: str) -> None:
        self._root, self._path = root, path
        self._place, self._new, self._old = _beside(root, path)
        self._kept: Optional[str] = None
        """Where the replaced folder is until the end."""

    def write(self, files: Sequence[Tuple[str, bytes]], made: List[str]) -> None:
        """Writes the folder. What a run left that was killed is deleted."""
        with _need_folder(self._root, self._path, made):
            restore_folder(self._root, self._path)
        os.mkdir(self._new)
        for path, data in files:
            place = os.path.join(self._new, *path.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            # What begins with #! is a script.
            _write_all(open(place, "xb", opener=_open_script if data.startswith(b"#!") else None), data)

    def put(self) -> None:
        """Puts the folder in place."""
        if not os.path.lexists(self._place):
            os.replace(self._new, self._place)
        elif _swap(self._new, self._place):
            self._kept = self._new
        else:
            os.replace(self._place, self._old)
            self._kept = self._old
            try:
                os.replace(self._new, self._place)
            except BaseException:
                os.replace(self._old, self._place)
                raise

    def undo(self) -> None:
        """Puts the replaced folder back."""
        if self._kept == self._new:
            _swap(self._new, self._place)
            return
        os.replace(self._place, self._new)
        if self._kept is not None:
            os.replace(self._kept, self._place)

    def drop(self) -> None:
        """Deletes what is left beside the path."""
        for place in (self._new, self._old):
            shutil.rmtree(place, ignore_errors=True)


def _beside(root: str, path: str) -> Tuple[str, str, str]:
    """The place of a folder, and of the new and the old one beside it."""
    *parents, name = native(path).split("/")
    parent = os.path.abspath(os.path.join(root, *parents))
    return os.path.join(parent, name), os.path.join(parent, f".prompt-hub.new.{name}"), os.path.join(parent, f".prompt-hub.old.{name}")


def restore_folder(root: str, path: str) -> None:
    """Undoes what a killed run did to a folder: deletes what it wrote beside it, and puts back the old folder if no other
    is in its place."""
    place, new, old = _beside(root, path)
    if os.path.isdir(old) and not os.path.lexists(place):
        os.replace(old, place)
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)


def delete_folder(root: str, path: str) -> None:
    """Deletes a folder that has a place in a lock."""
    place, _, old = _beside(root, path)
    with _need_folder(root, path):
        os.replace(place, old)
    shutil.rmtree(old)


def delete_file(root: str, path: str) -> None:
    """Deletes a file without following symbolic links."""
    with _need_folder(root, path) as (prefix, fd):
        os.unlink(prefix + native(path).split("/")[-1], dir_fd=fd)


def _swap(a: str, b: str) -> bool:
    """Swaps two folders in one step, so that a killed run leaves the one or the other; False if the system cannot."""
    if os.name != "posix":
        return False
    system = ctypes.CDLL(None)
    swap = getattr(system, "renameat2", None) or getattr(system, "renameatx_np", None)
    return swap is not None and swap(_NO_FOLDER, os.fsencode(a), _NO_FOLDER, os.fsencode(b), _SWAP) == 0


@contextlib.contextmanager
def _need_folder(
    root: str, path: str, made: Optional[List[str]] = None
) -> Generator[Tuple[str, Optional[int]], None, None]:
    with open_folder(root, path, made) as folder:
        if folder is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        yield folder


def _open_script(path: str, flags: int) -> int:
    return os.open(path, flags, 0o777)


def _write_all(file: BinaryIO, data: bytes) -> None:
    with file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
