"""Prints the response of a search, or a list of versions, as a table."""

import json
import os
import sys
import unicodedata

from program.terminal import clean, say
from program.work import load, save
from prompt_hub.trouble import PromptHubError

HEADS = {"search": ["NAME", "VERSION", "TITLE"], "versions": ["VERSION", "PUBLISHED", "BY", "CHANGELOG"]}


def print_table(kind, hub):
    """Prints the table. The header is for a person only, so that scripts find a result in the first word of the first
    line."""
    try:
        answer = load("answer")
        rows = [(search_row if kind == "search" else versions_row)(item) for item in answer["data"]]
        total = answer["meta"]["total"] if kind == "search" else len(rows)
        left_out = total - len(rows)
        matched = answer.get("meta", {}).get("matched") or {}
        corrected = [f"{cell(used)} for {cell(typed)}" for typed, used in (matched.get("corrected") or {}).items()]
        ignored = [cell(word) for word in matched.get("ignored") or []]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise PromptHubError("unavailable", f"{hub} did not return a list; is it a Prompt Hub?")
    write([HEADS[kind], *rows] if sys.stdout.isatty() and rows else rows)
    if corrected:
        say("searched " + ", ".join(corrected))
    if ignored:
        say("ignored words: " + ", ".join(ignored))
    if not rows:
        say("nothing found")
    elif left_out > 0:
        say(f"showing the best {len(rows)} of {total}; add words to narrow the search")


def join_pages(pages):
    """Writes the pages of a list of versions to the file `answer`, as one list."""
    lists = [load(f"versions.{page}") for page in range(1, int(pages) + 1)]
    # If a version was published meanwhile, the last one of a page is also the first one of the next.
    data = list({row["version"]: row for each in lists for row in each["data"]}.values())
    save("answer", json.dumps({"data": data, "meta": {"page": 1, "pages": 1, "total": len(data)}}))


def write(rows):
    """Writes the rows, with columns of the same width."""
    widths = [max(map(width, column)) for column in zip(*rows)]
    lines = ["  ".join(cell + " " * (w - width(cell)) for cell, w in zip(row, widths)).rstrip() for row in rows]
    try:
        sys.stdout.buffer.write("".join(line + "\n" for line in lines).encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError:
        say("cannot write to standard output")
        os._exit(1)


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
