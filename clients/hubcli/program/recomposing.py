"""Publishes composed prompts again, with the newest versions of their parts."""

from program.checks import check_bump, check_days, check_name, check_owner
from program.hub import Hub
from program.main import invalid
from program.publishing import Publication, read_published, show_one, version_of
from program.terminal import say, write_text
from prompt_hub.lock import FULL_NAME
from prompt_hub.ranges import is_version
from prompt_hub.trouble import PromptHubError

# No prompt can include others more deeply than this.
MAX_ROUNDS = 20


def recompose(given):
    """Composes a prompt again, or all of an owner's."""
    days = check_days(given, "--min-age")
    fields = {"recompose": True, **({} if days is None else {"min_age_days": days})}
    if given["--all"]:
        return recompose_all(given, fields)
    name, changelog, bump = given.take(1, 2, 3)
    check_name(name)
    body = {**fields, "changelog": changelog or "", "bump": check_bump("auto" if bump is None else bump)}
    hub = Hub()
    hub.take_token()
    body.update(allow_breaking=bool(given["--allow-breaking"]), dry_run=bool(given["--dry-run"]))
    each = Publication("", name)
    each.text, answer = hub.send("POST", f"/api/v1/repos/{name}/versions", body, token=hub.token, key=True)
    each.answer = read_published(hub, name, answer)
    # No check says which details would change, because none do.
    each.query, each.media_type, each.data = {}, "application/json", body
    show_one(hub, each, given)


def recompose_all(given, fields):
    """Composes each of an owner's prompts again whose parts have other versions now. A check without the token says whether
    anything changes."""
    (owner,) = given.take(1)
    check_owner(owner, "--all")
    if given["--json"]:
        raise invalid("--json: expected no --all beside it")
    hub = Hub()
    if not given["--dry-run"]:
        hub.take_token()
    prompts = list_composed(hub, owner)
    moved, failed = find_moved(prompts)
    # What was composed again may be a part of another prompt, which moves then.
    for _ in range(MAX_ROUNDS):
        published = set()
        for name in moved:
            try:
                said = recompose_next(hub, name, fields, given["--dry-run"])
            except PromptHubError as error:
                # Any other trouble would meet the other prompts, too.
                if error.code != "refused" or error.status in (401, 403):
                    raise
                say(f"{name}: {error}")
                failed = True
                continue
            if said:
                write_text(f"{name} {said}\n")
                published.add(name)
        moved = [name for name, includes in prompts if any(part in published for part, _, _ in includes)]
        if given["--dry-run"] or not moved:
            break
    if failed:
        raise SystemExit(4)


def recompose_next(hub, name, fields, is_dry):
    """Composes a prompt again; returns what is said about it, or None if nothing has changed."""
    place = f"/api/v1/repos/{name}"
    found = read_published(hub, name, hub.send("POST", f"{place}/check", fields)[1], "check")
    # The list is as old as the last build.
    if found.get("unchanged") is True:
        return None
    changes = found.get("changes") if isinstance(found.get("changes"), dict) else {}
    if not is_version(changes.get("from") or ""):
        raise PromptHubError("unavailable", f"{hub.url} did not return a check; is it a Prompt Hub?")
    if is_dry:
        return f"{version_of(found)}{' (breaking)' if found.get('breaking') is True else ''} would be published"
    body = {**fields, "expected_version": changes["from"]}
    published = read_published(hub, name, hub.send("POST", f"{place}/versions", body, token=hub.token, key=True)[1])
    return f"{published['version']} {published.get('url', '')}"


def list_composed(hub, owner):
    """The owner's composed prompts with their parts, as of the last build."""
    try:
        answer = hub.read_json(f"/data/v1/users/{owner}/composed.json")
    except PromptHubError as error:
        # An owner without composed prompts has no list.
        if error.code == "not_found":
            return []
        raise
    try:
        return [read_prompt(each, owner) for each in answer["data"]]
    except (ValueError, KeyError, TypeError):
        raise PromptHubError("unavailable", "the hub did not return a list of prompts; is it a Prompt Hub?") from None


def find_moved(prompts):
    """The prompts whose parts have other versions now, and whether some cannot be composed again."""
    moved, stuck = [], False
    for name, includes in prompts:
        gone = [repository for repository, _, wanted in includes if wanted is None]
        if gone:
            stuck = True
            say(f"{name}: its include line selects no version of {gone[0]} now; publish {name} with another line")
        elif any(wanted != version for _, version, wanted in includes):
            moved.append(name)
    return moved, stuck


def read_prompt(data, owner):
    """The name of a prompt, and its includes as repository, version and wanted version; raises ValueError unless they are well-formed."""
    name = data["full_name"]
    includes = [(each["repository"], each["version"], each["wanted"]) for each in data["includes"]]
    if not FULL_NAME.fullmatch(name) or not name.startswith(f"{owner}/"):
        raise ValueError(name)
    for repository, version, wanted in includes:
        if not FULL_NAME.fullmatch(repository) or not is_version(version) or not (wanted is None or is_version(wanted)):
            raise ValueError(repository)
    return name, includes
