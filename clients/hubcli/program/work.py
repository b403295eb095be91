"""The work folder: responses that the shell has fetched, and the files through which the steps communicate."""

import json
import os
import sys

FOLDER = sys.argv[1]


def in_work(name):
    """The path of a file in the work folder."""
    return os.path.join(FOLDER, name)


def read_bytes(name):
    """The bytes of a file in the work folder."""
    with open(in_work(name), "rb") as file:
        return file.read()


def read_text(name):
    """The text of a file in the work folder. What is not UTF-8 is replaced, and then matches no digest."""
    return read_bytes(name).decode("utf-8", "replace")


def load(name):
    """The JSON in a file of the work folder."""
    return json.loads(read_bytes(name))


def save(name, data):
    """Writes a text or bytes to a file in the work folder."""
    with open(in_work(name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
