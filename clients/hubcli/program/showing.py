"""The command that shows a version: info."""

import json

from program.hub import Hub, may_be_mirror
from program.reading import choose
from program.table import cell, write
from program.terminal import write_text
from prompt_hub.trouble import PromptHubError


def info(given):
    """Shows a version, and what it can do."""
    hub = Hub()
    record = choose(given).find(hub)
    name, version = record.full_name, record.version
    found = read_capabilities(hub, name, version)
    if given["--json"]:
        whole = hub.read_json(f"/data/v1/repos/{name}/versions/{version}.json")
        return write_text(json.dumps({"version": whole.get("data"), "capabilities": found}) + "\n")
    variables = [each.name if each.required else f"{each.name} (optional)" for each in record.variables]
    lines = [
        ("variables", ", ".join(variables)),
        ("files", str(len(record.files)) if record.files else ""),
        ("includes", ", ".join(record.included)),
        ("asks for", cell(", ".join(record.allowed_tools))),
        ("publisher", cell(f"{record.publisher.repository}, {record.publisher}") if record.publisher else ""),
        ("sha256", record.content_sha256),
    ]
    write_text(f"{name} {version}\n" + "".join(f"{key}: {value}\n" for key, value in lines if value))
    if not found:
        return write_text("can do: " + ("the hub does not say\n" if found is None else "nothing that the hub's rules find\n"))
    write_text("can do:\n")
    write(["SEVERITY", "KIND", "WHAT", "PLACE"], [capability_row(each) for each in found], given)


def read_capabilities(hub, name, version):
    """What a version can do, the most unusual first; None if the hub does not say. A static mirror has files alone."""
    try:
        found = hub.read_json(f"/api/v1/repos/{name}/versions/{version}/capabilities")
    except PromptHubError as error:
        if not may_be_mirror(error):
            raise
        try:
            found = hub.read_json(f"/data/v1/repos/{name}/capabilities/{version}.json")
        except PromptHubError:
            return None
    rows = found.get("data")
    if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
        return None
    ranks = {"danger": 0, "notice": 1}
    return sorted(rows, key=lambda each: ranks.get(cell(each.get("severity")), 2))


def capability_row(each):
    place = cell(each.get("path"))
    line = each.get("line")
    return [*(cell(each.get(key)) for key in ("severity", "kind", "text")), f"{place}:{line}" if line else place]
