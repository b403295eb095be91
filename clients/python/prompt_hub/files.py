"""Reads and writes the library's own files: atomically."""

from __future__ import annotations

import contextlib
import os
from typing import Optional


def read_if_there(path: str) -> Optional[bytes]:
    """The bytes of a file, or None if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write_whole(path: str, data: bytes) -> None:
    """Writes a file atomically."""
    temporary = os.path.join(os.path.dirname(path), f".prompt-hub.{os.urandom(16).hex()}")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
