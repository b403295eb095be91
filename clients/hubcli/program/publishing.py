"""The commands that publish prompt files and folders of skills, or check them: push and check. One request for each file;
everything is read before anything is sent."""

import json
import os
import subprocess
import unicodedata
import urllib.parse

from program.checks import check_bump, check_choice, check_name, check_owner, check_readable
from program.hub import Hub
from program.main import invalid
from program.packing import pack, read_bounded, refuse_all, sign
from program.terminal import clean, note, say, write_text
from prompt_hub.lock import FULL_NAME
from prompt_hub.ranges import is_label, is_version
from prompt_hub.skills import SKILL
from prompt_hub.trouble import PromptHubError

MAX_FILE_BYTES = 1048576
MAX_CHANGELOG = 500
MARKDOWN, ARCHIVE = "text/markdown", "application/gzip"
MISSING = ("title: ", "description: ", "tags: ", "license: ")


class Publication:
    """A file or folder, the prompt that it is, and what became of it."""

    def __init__(self, place, name):
        self.place = place
        self.name = name
        self.data = b""
        self.media_type = MARKDOWN
        self.query = {}
        self.text = ""
        self.answer = None
        self.error = None


def push(given):
    """Publishes one prompt, or many."""
    publications, problems, changelog, bump, is_one = read_words(given)
    check_bump(bump)
    style = check_choice(given, "--format", ("text", "chat"))
    attestations = [check_readable(path, "--attestation") for path in given["--attestation"] or ()]
    if attestations and not is_one:
        raise invalid("--attestation: expected one prompt")
    hub, is_dry = Hub(), given["--dry-run"]
    # A dry run of one prompt says what publishing with this token would do; of many, what anybody would be told.
    if is_one or not is_dry:
        hub.take_token()
    labels = given["--label"] or ()
    if not all(is_label(label) for label in labels):
        raise invalid("--label: expected a name such as production")
    options = {"labels": ",".join(labels) or None, "format": style, "skill": given["--skill"], "compose": "true" if given["--compose"] else None}
    if is_one and is_dry:
        options["dry_run"] = "true"
    for each in publications:
        try:
            refuse_part(each.place, given["--raw"])
            read_file(each, given, given["--raw"] or style or given["--skill"] is not None)
            if attestations:
                each.data, each.media_type = sign(each.data, each.media_type == ARCHIVE, attestations), ARCHIVE
            words = changelog if changelog is not None else last_subject(each.place)
            each.query = query_of(given, bump, {"changelog": words, **options})
        except PromptHubError as error:
            problems.append(str(error))
    refuse_all(problems)
    send_all(hub, publications, "check" if is_dry and not is_one else "versions")
    if is_one:
        return show_one(hub, publications[0], given)
    for each in publications:
        show(each, given, describe_dry if is_dry else describe)
    finish(publications, given)


def check(given):
    """Says what publishing would do."""
    if not given.words:
        given.refuse()
    bump = check_bump(given["--bump"] if given["--bump"] is not None else "auto")
    publications, problems = name_all(given.words, given["--owner"], given)
    hub = Hub()
    for each in publications:
        try:
            read_file(each, given)
            each.query = query_of(given, bump, {})
        except PromptHubError as error:
            problems.append(str(error))
    refuse_all(problems)
    send_all(hub, publications, "check")
    for each in publications:
        show(each, given, describe_check)
    finish(publications, given)


def read_words(given):
    """The publications, the problems of those without a name, the changelog or None, the bump, and whether it is the form
    for one prompt."""
    words, bump = given.words, given["--bump"]
    is_name = bool(words) and given["--owner"] is None and "/" in words[0] and FULL_NAME.fullmatch(words[0])
    is_there = bool(words) and os.path.exists(words[0])
    if not words:
        given.refuse()
    if not is_name or (len(words) == 1 and is_there):
        if len(words) > 1 and not is_there and given["--owner"] is None:
            check_name(words[0])
        return (*name_all(words, given["--owner"], given), given["-m"], "auto" if bump is None else bump, False)
    if len(words) not in (2, 3, 4):
        given.refuse()
    if is_there and os.path.exists(words[1]) and (len(words) == 2 or (len(words) == 3 and os.path.exists(words[2]))):
        raise invalid(f"{words[0]} is the name of a prompt, and a file here; to publish all of these files, pass --owner")
    name, place, changelog, number = words + [None] * (4 - len(words))
    if changelog is not None and given["-m"] is not None or number is not None and bump is not None:
        raise invalid(f"push {name} {place}: expected the changelog and the bump after the file, or -m and --bump")
    changelog = given["-m"] if changelog is None else changelog
    bump = bump if number is None else number
    return [Publication(place, name)], [], changelog, "auto" if bump is None else bump, True


def name_all(places, owner, given):
    """Names each file as the publish action names it: its name without what follows its last dot, or the folder's name.
    Returns the publications, and the problems of those without a name."""
    if owner is not None:
        check_owner(owner, "--owner")
    if "-" in places:
        raise invalid(f"standard input has no name; use: hubcli {given.command} <owner>/<name> -")
    publications, problems, seen = [], [], {}
    for place in dict.fromkeys(places):
        try:
            publication = Publication(place, name_of(place, owner))
            if publication.name in seen:
                raise invalid(f"{seen[publication.name]} and {place} would both be the prompt {publication.name}; rename one")
            seen[publication.name] = place
            publications.append(publication)
        except PromptHubError as error:
            problems.append(str(error))
    return publications, problems


def name_of(place, owner):
    if any(unicodedata.category(c) == "Cc" for c in place):
        raise invalid(f"the name of {clean(place)} contains a control character; rename the file")
    if not os.path.exists(place):
        raise invalid(f"there is no file {place or 'without a name'}")
    path = os.path.abspath(place)
    folder, name = os.path.split(path)
    if not os.path.isdir(path):
        refuse_part(place, False)
        name = name.rpartition(".")[0] or name
    full_name = f"{owner or os.path.basename(folder)}/{name}"
    if not FULL_NAME.fullmatch(full_name):
        shape = "expected lower-case letters, digits and single hyphens, and an owner as its folder or in --owner"
        raise invalid(f"{place} would be the prompt {full_name}: {shape}")
    return full_name


def refuse_part(place, is_raw):
    """Fails for one file of a skill: without its folder, the version would have no other files."""
    if os.path.basename(place) == SKILL and not os.path.isdir(place) and not is_raw:
        folder = os.path.dirname(place) or "."
        raise invalid(f"{place} is one file of a skill; push the folder {folder}, or the file as a plain prompt with --raw")


def read_file(each, given, is_text=False):
    """Reads a file, a folder or standard input. With --raw, content that could begin with front matter follows empty front
    matter."""
    place = each.place
    if place != "-" and os.path.isdir(place):
        if is_text:
            raise invalid(f"{place} is a folder: expected no --raw, --format or --skill; its SKILL.md has the description")
        each.data, each.media_type = pack(place), ARCHIVE
        return
    if place != "-":
        check_readable(place)
    each.data = read_bounded(0 if place == "-" else place, MAX_FILE_BYTES, "standard input" if place == "-" else place)
    if given["--raw"] and each.data.startswith((b"---", b"\xef\xbb\xbf---")):
        each.data = b"---\n---\n" + each.data


def last_subject(place):
    """The subject of the last commit that touched a file; None without git or such a commit."""
    if place == "-":
        return None
    path = os.path.abspath(place)
    command = ["git", "--literal-pathspecs", "log", "-1", "--format=%s", "--", path]
    # git and what it may start do not get the token.
    environment = {key: value for key, value in os.environ.items() if key != "HUB_TOKEN"}
    try:
        said = subprocess.run(command, cwd=os.path.dirname(path), env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    subject = said.stdout.decode("utf-8", "replace").strip()
    # git allows a tab there, and a changelog does not.
    return "".join(" " if unicodedata.category(c) == "Cc" else c for c in subject)[:MAX_CHANGELOG] or None


def query_of(given, bump, fields):
    """The fields beside a body that is no JSON."""
    allowed = None if given["--allow-breaking"] else "false"
    every = {"bump": bump, "allow_breaking": allowed, **fields}
    return {key: value for key, value in every.items() if value is not None}


def send_all(hub, publications, route):
    """Sends all. What the hub rejects does not keep the others from being sent; any other trouble would meet them, too."""
    for at, each in enumerate(publications):
        place = f"/api/v1/repos/{each.name}/{route}?{urllib.parse.urlencode(each.query, errors='surrogateescape')}"
        token = hub.token if route == "versions" else None
        try:
            each.text, answer = hub.send("POST", place, each.data, each.media_type, token, token is not None)
            each.answer = read_published(hub, each.name, answer, route)
        except PromptHubError as error:
            each.error = error
            left = len(publications) - at - 1
            if error.code == "unavailable" or error.status == 401:
                if left:
                    say(f"{'one more was' if left == 1 else f'{left} more were'} not sent")
                return


def read_published(hub, name, answer, route="versions"):
    """What a hub says about a publish or a check."""
    data = answer.get("data")
    if isinstance(data, dict) and isinstance(version_of(data), str) and is_version(version_of(data)):
        return data
    if route == "check":
        raise PromptHubError("unavailable", f"{hub.url} did not return a check; is it a Prompt Hub?")
    raise PromptHubError("unavailable", f"{hub.url} accepted it, but its response has no version; see: hubcli versions {name}")


def version_of(answer):
    """The version that was published, or would be."""
    return answer.get("version", answer.get("would_be"))


def list_of(value):
    """The texts in a list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def warnings_of(answer):
    found = answer.get("warnings")
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict) and each.get("message"):
            line = each.get("line")
            yield f"{each['message']}{f' (line {line})' if isinstance(line, int) else ''}"


def describe(answer):
    """What became of a publish."""
    has_commit = isinstance(answer.get("commit"), dict)
    state = f" (unchanged{', except for its details' if has_commit else ''})" if answer.get("unchanged") is True else ""
    return f" {clean(answer.get('url', ''))}{' (breaking)' if answer.get('breaking') is True else ''}{state}"


def describe_dry(answer):
    """What a publish would do."""
    if answer.get("unchanged") is True:
        fields = list_of(answer.get("fields"))
        return f" is unchanged{', except for ' + ', '.join(fields) if fields else ''}"
    return f"{' (breaking)' if answer.get('breaking') is True else ''} would be published"


def describe_check(answer):
    """What a check says."""
    changes = answer.get("changes") if isinstance(answer.get("changes"), dict) else {}
    if answer.get("unchanged") is True and not list_of(answer.get("fields")):
        return " (unchanged)"
    return f" (breaking: {', '.join(list_of(changes.get('reasons')))})" if answer.get("breaking") is True else ""


def show(each, given, describe_answer):
    """Prints what became of one of many."""
    if each.answer is None:
        return
    if each.answer.get("unchanged") is not True or list_of(each.answer.get("fields")):
        for warning in warnings_of(each.answer):
            say(f"warning: {each.place}: {warning}")
    if not given["--json"]:
        write_text(clean(f"{each.name} {version_of(each.answer)}{describe_answer(each.answer)}") + "\n")


def finish(publications, given):
    """Names all problems at the end, and fails with the worst of their exit codes."""
    if given["--json"]:
        rows = [{"file": each.place, "prompt": each.name, **(each.answer or {"error": str(each.error)})} for each in publications if each.answer or each.error]
        write_text(json.dumps({"data": rows}, indent=2) + "\n")
    failed = [each for each in publications if each.error]
    for each in failed:
        say(f"{each.place}: {each.error}")
    if failed:
        raise SystemExit(max(each.error.exit_code for each in failed))


def show_one(hub, each, given):
    """Prints what became of the only one."""
    if each.error:
        raise each.error
    answer = each.answer
    for warning in warnings_of(answer):
        say(f"warning: {warning}")
    suggest(hub, each.name, list(warnings_of(answer)))
    if given["--dry-run"] and answer.get("unchanged") is True and not given["--json"]:
        # Only a check says which fields of the repository would change.
        query = {key: value for key, value in each.query.items() if key != "dry_run"}
        place = f"/api/v1/repos/{each.name}/check?{urllib.parse.urlencode(query, errors='surrogateescape')}"
        answer = {**answer, "fields": hub.send("POST", place, each.data, each.media_type)[1].get("data", {}).get("fields")}
    if not given["--dry-run"] and answer.get("html_url"):
        note(f"its page is {answer['html_url']}")
    if given["--json"]:
        write_text(each.text)
    else:
        write_text(f"{answer['version']}{(describe_dry if given['--dry-run'] else describe)(answer)}\n")


def suggest(hub, name, warnings):
    """Says how to add what the warnings miss."""
    if any(each.startswith(MISSING) for each in warnings):
        example = '--title "..." --description "..." --tags a,b --license CC0-1.0'
        say(f"to set these, add front matter to the file, or: hubcli edit {name} {example}")
    if any(each.startswith("variables: ") for each in warnings):
        say(f"to describe the variables, add front matter to the file, or open {hub.url}/{name}/edit")
