"""The command that writes prompts in the formats of other tools: one, or all of an owner."""

import hashlib
import os
import re

from program.checks import SLUG, check_owner
from program.hub import Hub, is_silent
from program.main import invalid
from program.reading import check_output, choose, digest_of, mismatch, write_output
from program.terminal import say, write_text
from prompt_hub.files import write_whole
from prompt_hub.lock import FULL_NAME
from prompt_hub.ranges import is_label, is_version
from prompt_hub.trouble import PromptHubError

# A name without a folder, which no system treats specially.
FILE_NAME = re.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
SKILL = "SKILL.md"


def export(given):
    """Writes a prompt, or all prompts of an owner, in another format."""
    style = given["--to"]
    if style is None:
        raise invalid(f"expected --to; usage: {given.commands.usage('export')}")
    if not SLUG.fullmatch(style):
        raise invalid(f"--to: expected a format such as dotprompt, got {style or 'nothing'}")
    if len(given.words) == 1 and SLUG.fullmatch(given.words[0]):
        return export_owner(given, style)
    wanted = choose(given)
    path = check_output(given["-o"]) if given["-o"] is not None else None
    hub = Hub()
    found = wanted.find(hub)
    answer = read_export(hub, wanted.name, found.version, style)
    lost = answer.headers.get("Export-Lost")
    if lost:
        say(f"{style} has no place for: {lost}")
    text = answer.data.decode("utf-8", "surrogateescape")
    if path is None:
        write_text(text)
    else:
        write_output(path, text)


def export_owner(given, style):
    """Writes each prompt of an owner to a folder. What a format cannot represent is reported, and the others are written."""
    owner, folder, label = check_owner(given.words[0], "owner"), given["-o"], given["--label"]
    if given["--version"] or given["--at"]:
        raise invalid("expected no --version or --at beside an owner")
    if label is not None and not is_label(label):
        raise invalid(f"--label: expected a name such as production, got {label or 'nothing'}")
    if not folder:
        raise invalid(f"-o: expected a folder for the prompts of {owner}")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise invalid(f"-o: {folder} is not a folder")
    hub = Hub()
    written = refused = 0
    losses = {}
    for name, version in list_prompts(hub, owner, label, style == "skill"):
        try:
            answer = read_export(hub, name, version, style)
        except PromptHubError as error:
            if error.status != 422:
                raise
            say(f"{name}: {error}")
            refused += 1
            continue
        found = re.search('filename="([^"]*)"', answer.headers.get("Content-Disposition") or "")
        if found is None or not FILE_NAME.fullmatch(found.group(1)):
            raise PromptHubError("unavailable", f"{hub.url} did not name the file; is it a Prompt Hub?")
        # The folder of a skill has its name.
        place = os.path.join(folder, name[len(owner) + 1 :]) if found.group(1) == SKILL else folder
        os.makedirs(place, exist_ok=True)
        write_whole(os.path.join(place, found.group(1)), answer.data)
        lost = answer.headers.get("Export-Lost")
        if lost:
            losses[lost] = losses.get(lost, 0) + 1
        written += 1
    if written + refused == 0:
        raise PromptHubError("not_found", f"{owner} has no such prompts on {hub.url}")
    for lost, count in losses.items():
        say(f"{style} has no place for: {lost} ({count} of {written})")
    write_text(f"{written} written to {folder}{f', {refused} refused' if refused else ''}\n")
    if refused:
        raise SystemExit(4)


def read_export(hub, name, version, style):
    """A version in another format."""
    try:
        answer = hub.read(f"/api/v1/repos/{name}/versions/{version}/export/{style}")
    except PromptHubError as error:
        if error.code == "not_found" and is_silent(error):
            raise PromptHubError("not_found", f"{hub.url} is a static mirror and has no exports") from None
        raise
    if answer.headers.get("X-Prompt-Version") != version:
        raise PromptHubError("unavailable", f"{hub.url} did not return an export; is it a Prompt Hub?")
    digest = digest_of(answer.headers)
    if digest is not None and hashlib.sha256(answer.data).digest() != digest:
        raise mismatch(name, version, hub)
    return answer


def list_prompts(hub, owner, label, are_skills):
    """The prompts of an owner at a label, or their latest versions."""
    answer = hub.read_json(f"/api/v1/users/{owner}{'' if label is None else f'/labels/{label}'}")
    listed = []
    try:
        rows = answer["data"] if label is not None else answer["data"]["repos"]
        for row in rows:
            name, version = row["full_name"], row["version"] if label is not None else row["latest_version"]
            if version is None or (are_skills and row.get("kind", "skill") != "skill"):
                continue
            if not FULL_NAME.fullmatch(name) or not name.startswith(f"{owner}/") or not is_version(version):
                raise ValueError
            listed.append((name, version))
    except (LookupError, TypeError, ValueError, AttributeError):
        raise PromptHubError("unavailable", f"{hub.url} did not return a list of prompts; is it a Prompt Hub?") from None
    return listed
