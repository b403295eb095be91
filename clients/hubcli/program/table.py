"""Prints tables."""

import json
import sys
import unicodedata

from program.terminal import clean, write_text


def write(head, rows, given):
    """Prints rows, with columns of the same width. The header is for a person or --header, so that scripts find a result in
    the first line."""
    table = [head, *rows] if rows and (given["--header"] or sys.stdout.isatty()) else rows
    widths = [max(map(width, column)) for column in zip(*table)]
    lines = ["  ".join(cell + " " * (w - width(cell)) for cell, w in zip(row, widths)).rstrip() for row in table]
    write_text("".join(line + "\n" for line in lines))


def search_row(repo):
    title, status = cell(repo.get("title")), cell(repo.get("status"))
    shown = title if status in ("", "active") else f"{title} ({status})"
    return [cell(repo["full_name"]), cell(repo.get("latest_version")), shown]


def versions_row(version):
    note = cell(version.get("changelog"))
    if version.get("yanked") is True:
        reason = cell(version.get("yank_reason"))
        note = f"[yanked: {reason}] {note}" if reason else f"[yanked] {note}"
    return [cell(version["version"]), cell(version.get("published_at"))[:10], cell(version.get("published_by")), note]


def cell(value):
    """The text of a value, on one line."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return " ".join(clean(text).split())


def width(text):
    """The number of columns of a text in a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
