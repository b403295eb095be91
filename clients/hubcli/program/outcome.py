"""Reads the output of a test runner, and writes the report of a result."""

import json
import sys

from program.work import save
from prompt_hub.outcome import MAX_OUTPUT_BYTES, read_outcome
from prompt_hub.trouble import PromptHubError


def outcome(path, model, url):
    """Writes the body of a report to the file `report`, and what is printed about it to `said`."""
    if path == "-":
        data = sys.stdin.buffer.read(MAX_OUTPUT_BYTES + 1)
    else:
        with open(path, "rb") as file:
            data = file.read(MAX_OUTPUT_BYTES + 1)
    try:
        found = read_outcome(data)
    except PromptHubError as error:
        raise PromptHubError("invalid_request", f"{'standard input' if path == '-' else path}: {error}") from None
    fields = found.fields()
    if model:
        fields["model"] = model
    if url:
        fields["url"] = url
    save("report", json.dumps(fields))
    skipped = f", {found.skipped} skipped" if found.skipped else ""
    save("said", f"{found.passed} passed, {found.failed} failed{skipped}")
