"""The commands that change what is published: label, yank, unyank, deprecate, readme, edit and result. A change is safe to
repeat: the same change again changes nothing."""

import re

from program.checks import SLUG, check_name, check_owner, check_readable, check_version
from program.hub import Hub
from program.main import invalid
from program.packing import read_bounded
from program.terminal import note, say, write_text
from prompt_hub.guard import is_worse, say_why, score_in
from prompt_hub.moves import find_last_move
from prompt_hub.outcome import MAX_OUTPUT_BYTES, read_outcome
from prompt_hub.ranges import is_label
from prompt_hub.records import read_repository_record
from prompt_hub.review import explain_none
from prompt_hub.trouble import PromptHubError

MAX_FILE_BYTES = 1048576


def change(given, method, name, rest, body, said):
    """Sends a change of a prompt, and prints what was changed."""
    send(given, method, f"/api/v1/repos/{name}{rest}", body, f"{name} {said}")


def send(given, method, place, body, said):
    hub = Hub()
    hub.take_token()
    text, answer = hub.send(method, place, body, token=hub.token)
    data = answer.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("unchanged"), bool):
        raise PromptHubError("unavailable", f"{hub.url} accepted the change, but did not respond like a hub")
    if data["unchanged"]:
        note("unchanged: nothing to do")
    write_text(text if given["--json"] else f"{said}\n")


def label(given):
    """Points a label at a version, offers a second one to a share of callers, undoes the last change, or removes it."""
    if len(given.words) > 2 and "=" in given.words[2]:
        return label_together(given)
    share, reason = given["--split"], given["--reason"]
    if len([each for each in (given["--remove"], given["--undo"], share) if each]) > 1:
        raise invalid("--remove, --undo and --split: expected one of them")
    name, word, *rest = given.take(2 if given["--remove"] or given["--undo"] or (share and len(given.words) < 3) else 3)
    check_name(name)
    if not is_label(word):
        raise invalid(f"expected a label such as production, got {word or 'nothing'}")
    said = {} if reason is None else {"reason": text_of(reason, "--reason")}
    if given["--remove"]:
        return change(given, "DELETE", name, f"/labels/{word}", said or None, f"{word} removed")
    if given["--undo"]:
        if said:
            raise invalid("--reason: expected no --undo beside it")
        return undo(given, name, word)
    body = {**said}
    if share is not None:
        match = re.fullmatch(r"([0-9]+[.][0-9]+[.][0-9]+)=([0-9]{1,2})", share)
        if match is None:
            raise invalid(f"--split: expected a version and 1 to 99 percent, such as 1.5.0=10, got {share or 'nothing'}; to give it to everybody, move the label")
        body["split"] = {"version": match[1], "percent": int(match[2])}
    if not rest:
        rest = [read_first(name, word)]
        body["expected"] = rest[0]
    body["version"] = check_version(rest[0])
    change(given, "PUT", name, f"/labels/{word}", body, f"{word} {say_target(body)}")


def label_together(given):
    """Points a label of several prompts at versions, all of them or none."""
    if any(given[option] for option in ("--remove", "--undo", "--split")):
        given.refuse()
    owner, word, *pairs = given.words
    check_owner(owner, "owner")
    if not is_label(word):
        raise invalid(f"expected a label such as production, got {word or 'nothing'}")
    versions = {}
    for pair in pairs:
        match = re.fullmatch(r"([a-z0-9-]+)=([0-9]+[.][0-9]+[.][0-9]+)", pair)
        if match is None:
            raise invalid(f"expected <name>=<x.y.z>, such as code-review=1.2.0, got {pair}")
        if match[1] in versions:
            raise invalid(f"{match[1]}: expected one version, got two")
        versions[match[1]] = match[2]
    reason = given["--reason"]
    body = {"versions": versions, **({} if reason is None else {"reason": text_of(reason, "--reason")})}
    said = "\n".join(f"{owner}/{name} {word} {version}" for name, version in versions.items())
    send(given, "PUT", f"/api/v1/users/{owner}/labels/{word}", body, said)


def undo(given, name, word):
    """Makes a label what it was before its last change."""
    hub = Hub()
    hub.take_token()
    place = f"/api/v1/repos/{name}/activity"
    before, now = find_last_move(word, hub.read(place).data.decode("utf-8", "replace"), hub.url + place)
    if before is None:
        return change(given, "DELETE", name, f"/labels/{word}", {"expected": now}, f"{word} removed")
    change(given, "PUT", name, f"/labels/{word}", {**before, "expected": now}, f"{word} {say_target(before)}")


def read_first(name, word):
    """The version that a label points at."""
    hub = Hub()
    place = f"/api/v1/repos/{name}"
    labels = read_repository_record(hub.read(place).data.decode("utf-8", "replace"), hub.url + place).labels
    if word not in labels:
        raise PromptHubError("not_found", explain_none(name, word, labels, ()))
    return labels[word].version


def say_target(target):
    split = target.get("split")
    return target["version"] + (f", {split['version']} for {split['percent']} %" if split else "")


def yank(given):
    """Yanks a version."""
    name, version, reason = given.take(3)
    check_name(name)
    check_version(version)
    if not reason:
        raise invalid("expected a reason, got nothing")
    change(given, "PUT", name, f"/versions/{version}/yank", {"reason": text_of(reason, "the reason")}, f"{version} yanked")


def unyank(given):
    """Undoes a yank."""
    name, version = given.take(2)
    check_name(name)
    change(given, "DELETE", name, f"/versions/{check_version(version)}/yank", None, f"{version} restored")


def deprecate(given):
    """Marks a prompt as deprecated, or as active again."""
    other = given["--replaced-by"]
    if other is not None and not re.fullmatch("[a-z0-9-]+/[a-z0-9-]+", other):
        raise invalid(f"--replaced-by: expected <owner>/<name>, got {other or 'nothing'}")
    if given["--undo"]:
        (name,) = given.take(1)
        body = {"status": "active", "status_message": None, "replaced_by": None}
        return change(given, "PATCH", check_name(name), "", body, "active")
    name, message = given.take(2)
    body = {"status": "deprecated", "status_message": text_of(message, "the message")}
    body.update({} if other is None else {"replaced_by": other})
    change(given, "PATCH", check_name(name), "", body, "deprecated")


def readme(given):
    """Replaces the readme."""
    name, path = given.take(2)
    check_name(name)
    if path != "-":
        check_readable(path)
    shown = "standard input" if path == "-" else path
    try:
        text = read_bounded(0 if path == "-" else path, MAX_FILE_BYTES, shown).decode()
    except UnicodeDecodeError:
        raise invalid(f"{shown} is not text in UTF-8") from None
    change(given, "PATCH", name, "", {"readme": text}, "readme changed")


def edit(given):
    """Changes fields of a prompt."""
    (name,) = given.take(1)
    check_name(name)
    body = {}
    for option in ("--title", "--description", "--license"):
        if given[option] is not None:
            body[option[2:]] = text_of(given[option], option)
    if body.get("license") == "":
        body["license"] = None
    tags = given["--tags"]
    if tags is not None:
        if re.search("[^a-z0-9,-]", tags):
            raise invalid(f"--tags: expected tags of a-z, 0-9 and hyphens, with commas between them, got {tags}")
        body["tags"] = [tag for tag in tags.split(",") if tag]
    if not body:
        raise invalid(f"expected something to change; usage: {given.commands.usage('edit')}")
    change(given, "PATCH", name, "", body, "changed")


def result(given):
    """Reports the result of a test suite, or removes it."""
    words = given.take(3) if given["--remove"] else given.take(4)
    name, version, suite = words[:3]
    check_name(name)
    check_version(version)
    if not SLUG.fullmatch(suite) or len(suite) > 64:
        raise invalid(f"expected a test suite such as quality, got {suite or 'nothing'}")
    rest = f"/versions/{version}/results/{suite}"
    word, threshold = given["--guard"], given["--threshold"] or "0"
    if word is not None and (given["--remove"] or not is_label(word)):
        raise invalid(f"--guard: expected a label such as production, and no --remove, got {word or 'nothing'}")
    if not re.fullmatch(r"0([.][0-9]{1,6})?|1", threshold):
        raise invalid(f"--threshold: expected a number from 0 to 1, such as 0.05, got {threshold}")
    if given["--remove"]:
        return change(given, "DELETE", name, rest, None, f"{version} {suite} removed")
    for option in ("--model", "--url"):
        if given[option] == "":
            raise invalid(f"{option}: expected a value, got nothing")
    path = words[3]
    if path != "-":
        check_readable(path)
    # Nothing is read without a token, because standard input may still be written.
    Hub().take_token()
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            found = read_outcome(file.read(MAX_OUTPUT_BYTES + 1))
    except PromptHubError as error:
        raise invalid(f"{'standard input' if path == '-' else path}: {error}") from None
    body = found.fields()
    body.update({key: given[f"--{key}"] for key in ("model", "url") if given[f"--{key}"] is not None})
    skipped = f", {found.skipped} skipped" if found.skipped else ""
    change(given, "PUT", name, rest, body, f"{version} {suite}: {found.passed} passed, {found.failed} failed{skipped}")
    if word is not None:
        guard(given, name, word, suite, float(threshold))


def guard(given, name, word, suite, threshold):
    """Ends the split of a label if its second version is worse than the first in a test suite."""
    hub = Hub()
    hub.take_token()

    def read(place):
        return hub.read(place).data.decode("utf-8", "replace"), hub.url + place

    target = read_repository_record(*read(f"/api/v1/repos/{name}")).labels.get(word)
    if target is None or target.split is None:
        return say(f"{word}: nothing was changed: it has no second version")
    texts = [read(f"/api/v1/repos/{name}/versions/{version}/results") for version in target.versions]
    first, second = scores = tuple(score_in(text, suite, url) for text, url in texts)
    if not is_worse(scores, threshold):
        said = "there is nothing to compare" if None in scores else f"{second:g}, and {first:g} of the first"
        return say(f"{word}: nothing was changed: {said}")
    now = {"version": target.version, "split": {"version": target.split.version, "percent": target.split.percent}}
    why = say_why(suite, target, scores)
    body = {"version": target.version, "reason": why, "expected": now}
    hub.send("PUT", f"/api/v1/repos/{name}/labels/{word}", body, token=hub.token)
    say(f"{word}: the split was ended: {why}")


def text_of(word, subject):
    """The text of a word."""
    try:
        word.encode()
    except UnicodeEncodeError:
        raise invalid(f"{subject}: expected text in UTF-8") from None
    return word
