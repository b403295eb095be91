"""The commands that list: search and versions."""

import json
import urllib.parse

from program.checks import check_name
from program.hub import MAX_PAGES, Hub, is_silent, may_be_mirror
from program.table import cell, search_row, versions_row, write
from program.terminal import say, write_text
from prompt_hub.trouble import PromptHubError


def search(given):
    """Searches prompts."""
    (text,) = given.take(1)
    hub = Hub()
    try:
        query = {"q": text.encode("utf-8", "surrogateescape"), "kind": given["--kind"] or ""}
        answer = hub.read_json(f"/api/v1/repos?{urllib.parse.urlencode(query)}")
    except PromptHubError as error:
        if error.code == "not_found" and is_silent(error):
            advice = f"its list is {hub.url}/data/v1/index.json"
            raise PromptHubError("not_found", f"{hub.url} is a static mirror and has no search; {advice}") from None
        raise
    if given["--json"]:
        return write_text(json.dumps(answer) + "\n")
    try:
        rows = [search_row(each) for each in answer["data"]]
        total = answer["meta"]["total"]
        matched = answer["meta"].get("matched") or {}
        corrected = [f"{cell(used)} for {cell(typed)}" for typed, used in (matched.get("corrected") or {}).items()]
        ignored = [cell(word) for word in matched.get("ignored") or []]
        left_out = total - len(rows)
    except (LookupError, TypeError, AttributeError):
        raise no_list(hub) from None
    write(["NAME", "VERSION", "TITLE"], rows, given)
    if corrected:
        say("searched " + ", ".join(corrected))
    if ignored:
        say("ignored words: " + ", ".join(ignored))
    if not rows:
        say("nothing found")
    elif left_out > 0:
        say(f"showing the best {len(rows)} of {total}; add words to narrow the search")


def versions(given):
    """Lists the versions of a prompt."""
    (name,) = given.take(1)
    check_name(name)
    hub = Hub()
    try:
        answer = read_versions(hub, f"/api/v1/repos/{name}/versions", "?page={}", 2)
    except PromptHubError as error:
        if not may_be_mirror(error):
            raise
        try:
            answer = read_versions(hub, f"/data/v1/repos/{name}/versions/pages", "/{}.json", 1)
        except PromptHubError as other:
            raise (error if other.code == "not_found" else other) from None
    if given["--json"]:
        return write_text(json.dumps(answer) + "\n")
    try:
        rows = [versions_row(each) for each in answer["data"]]
    except (LookupError, TypeError, AttributeError):
        raise no_list(hub) from None
    write(["VERSION", "PUBLISHED", "BY", "CHANGELOG"], rows, given)


def read_versions(hub, place, ending, first):
    """All pages of a list of versions, as one list. The pages from the first with an ending have it."""
    data, page, pages = [], 1, 1
    while page <= min(pages, MAX_PAGES):
        answer = hub.read_json(place + (ending.format(page) if page >= first else ""))
        try:
            data += answer["data"]
            pages = answer["meta"].get("pages") or 1
            page += 1
            if pages > 1:
                # If a version was published meanwhile, the last one of a page is also the first one of the next.
                data = list({row["version"]: row for row in data}.values())
                answer = {"data": data, "meta": {"page": 1, "pages": 1, "total": len(data)}}
        except (LookupError, TypeError, AttributeError):
            raise no_list(hub) from None
    return answer


def no_list(hub):
    return PromptHubError("unavailable", f"{hub.url} did not return a list; is it a Prompt Hub?")
