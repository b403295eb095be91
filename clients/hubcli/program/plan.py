"""Plans a command of the lock file: its prompts and their versions. The steps communicate through the file `plan`."""

import json
import sys

from program.project import is_to_write, need_lock, problem, summary, to_locked
from program.terminal import Refused
from program.work import load, read_text, save
from prompt_hub.lifetime import find_retiring, ripe_of, utc_now
from prompt_hub.lock import FULL_NAME, LOCK, Lock, format_lock, parse_lock, refuse_path
from prompt_hub.placed import find_difference, read_lock_file, say_difference
from prompt_hub.publisher import refuse_unattested
from prompt_hub.ranges import is_label, is_range, numbers_of
from prompt_hub.records import read_label_list, read_repository_record, read_version_list
from prompt_hub.review import explain_none, find_included, find_notices, find_problems, find_wanted, included_in
from prompt_hub.skills import SKILL
from prompt_hub.trouble import PromptHubError
from prompt_hub.vendored import read_vendored

# The exit code after which the shell fetches the newest records and asks again.
ASK_AGAIN = 10


def begin(command, *words):
    """Plans a command: its prompts, their lock entries, and the URL of the hub."""
    lock = read_lock_file(LOCK) if command in ("add", "add-all", "hub") else need_lock()
    if command == "hub":
        save("hub", lock.hub if lock else "")
        return
    prompts = lock.prompts if lock else {}
    online = command != "verify" or "online" in words
    entries = [{"name": name, "locked": summary(each), "is_skill": bool(each.files), **summary(each)} for name, each in prompts.items()]
    if command == "add":
        entries = [plan_add(lock, *words)]
    elif command == "add-all":
        command, entries = "add", plan_all(lock, *words)
    elif command == "update" and words[0]:
        entries = [entry for entry in entries if entry["name"] == words[0]]
        if not entries:
            raise Refused(1, f"{words[0]} is not in {LOCK}")
    if command == "install" and "require-attestation" in words:
        for entry in entries:
            refused = refuse_unattested(f"{entry['name']} {entry['version']}", to_locked(entry).publisher)
            if refused is not None:
                raise Refused(4, f"{refused}; nothing was changed")
    problems = []
    if command in ("install", "verify", "update"):
        for entry in entries:
            prompt = to_locked(entry)
            difference = find_difference(".", prompt)
            entry["state"] = "good" if difference is None else "missing" if difference.kind == "missing" else "changed"
            if command == "verify" and difference is not None:
                problems.append(problem(entry["name"], entry["state"], say_difference(prompt, difference, "hubcli")))
    if command == "install":
        entries = [entry for entry in entries if entry["state"] != "good"]
    is_forced = command == "install" and "force" in words
    plan = {"command": command, "entries": entries, "problems": problems, "count": len(prompts), "is_forced": is_forced}
    if command in ("update", "outdated", "audit") and words[1:]:
        plan["days"] = int(words[1] or "0")
        plan["accepts_publisher"] = "accept-publisher" in words[2:]
    save_plan(plan)
    # Only a file in the way of an installation needs the list of versions: it may be an older version.
    asked = [at for at, entry in enumerate(entries) if online and (command != "install" or entry["state"] == "changed" and not is_forced)]
    save("todo", "".join(f"{at} {entries[at]['name']}\n" for at in asked))
    save("hub", lock.hub if lock else "")


def save_plan(plan):
    """Writes the plan, and lists the records to fetch in the file `fetch`."""
    save("plan", json.dumps(plan))
    entries = enumerate(plan["entries"])
    kinds = {True: "skill", False: "prompt"}
    lines = [(at, entry["name"], entry["version"], kinds[entry["is_skill"]]) for at, entry in entries if is_to_write(entry)]
    save("fetch", "".join(f"{at} {name} {version} {kind}\n" for at, name, version, kind in lines))


def plan_add(lock, name, written, path, kind):
    if written and not is_range(written) and not is_label(written):
        raise Refused(1, f"expected a range such as ^1.2 or a label's name after @, got {written}")
    refused = refuse_path(path)
    if refused:
        raise Refused(1, f"-o: {path} {refused}")
    # A placeholder version is used until one is chosen, so that the paths are checked before any request.
    prompts = lock.prompts if lock else {}
    entry = {"name": name, "range": written, "path": path, "locked": summary(prompts.get(name)), "is_skill": kind == "skill", "files": [], "publisher": None}
    trial = to_locked({**entry, "range": "*", "version": "0.0.0", "sha256": "0" * 64})
    parse_lock(format_lock(Lock(lock.hub if lock else "https://hub", {**prompts, name: trial})))
    read_vendored(".", f"{path}/{SKILL}" if kind == "skill" else path)
    return entry


def plan_all(lock, owner, label):
    """The lock entries for all of an owner's prompts at a label."""
    rows = read_response(read_label_list, "labelled")
    names = [row.full_name for row in rows]
    if not names:
        raise Refused(2, f"{owner} has no prompt with the label {label}")
    if any(not FULL_NAME.fullmatch(name) or not name.startswith(f"{owner}/") for name in names) or len(set(names)) < len(names):
        raise Refused(5, "the hub did not return a list of prompts; is it a Prompt Hub?")
    return [plan_add(lock, name, label, f"prompts/{name}.md", "") for name in names]


def read_rows(number):
    """The hub's list of a prompt's versions."""
    return read_response(read_version_list, f"versions.{number}")


def read_response(read, name):
    try:
        return read(read_text(name), "the hub")
    except (ValueError, PromptHubError):
        raise Refused(5, "the hub did not return a list of versions; is it a Prompt Hub?")


def resolve(number, last=""):
    """Chooses the version of a prompt, and collects what the hub says about the current one."""
    plan = load("plan")
    entry, command = plan["entries"][int(number)], plan["command"]
    rows, record = read_rows(number), read_response(read_repository_record, f"record.{number}")
    by_version = {row.version: row for row in rows}
    name, locked = entry["name"], entry["locked"]
    row = by_version.get(locked["version"]) if locked else None
    entry["known"] = sorted(each.content_sha256 for each in rows)
    if locked and command != "install":
        if row is None and not last:
            sys.exit(ASK_AGAIN)
        found = find_problems(name, to_locked(locked), record, rows)
        if command in ("add", "update") and found and found[0].kind == "other_bytes":
            raise Refused(4, f"{found[0].message}; nothing was changed")
        if command == "audit":
            found += find_retiring(name, locked["version"], rows, plan["days"], utc_now())
        plan["problems"] += [problem(name, *each) for each in found]
    if command in ("add", "update", "outdated"):
        ripe = ripe_of(rows, plan["days"], locked["version"], utc_now()) if locked and plan.get("days") else rows
        wanted = find_wanted(entry["range"] or "*", record.labels, ripe)
        if wanted is None and not last:
            sys.exit(ASK_AGAIN)
        if wanted is None and command == "add":
            raise Refused(2, explain_none(name, entry["range"] or "*", record.labels, rows))
        entry["latest"] = find_wanted("*", record.labels, rows)
        notices = find_notices(name, entry["range"] or "*", locked["version"] if locked else "", record)
        plan["problems"] += [problem(name, *each) for each in notices]
        entry["wanted"] = entry["version"] = wanted or locked["version"]
        if wanted:
            entry["range"] = entry["range"] or f"^{wanted}"
            entry["sha256"] = by_version[wanted].content_sha256
        if locked:
            entry["changes"] = list_changes(number, locked["version"], entry["wanted"])
    save_plan(plan)


def included():
    """Lists the prompts that the locked versions include, for an audit, in the file `todo`."""
    plan = load("plan")
    uses = {}
    for number, entry in enumerate(plan["entries"]):
        version = entry["locked"]["version"]
        for address in included_in(version, read_rows(number)):
            uses.setdefault(address.partition("@")[0], []).append([entry["name"], version, address])
    plan["included"] = sorted(uses.items())
    save_plan(plan)
    save("todo", "".join(f"included{at} {name}\n" for at, (name, _) in enumerate(plan["included"])))


def judge(number, last=""):
    """Collects what the hub says about a prompt that is included. `last` is `gone` if there is no such prompt."""
    plan = load("plan")
    record, rows = None, ()
    if last != "gone":
        rows, record = read_rows(number), read_response(read_repository_record, f"record.{number}")
    _, uses = plan["included"][int(number[len("included") :])]
    versions = {row.version for row in rows}
    if not last and any(address.partition("@")[2] not in versions for _, _, address in uses):
        sys.exit(ASK_AGAIN)
    for name, version, address in uses:
        plan["problems"] += [problem(name, *each) for each in find_included(f"{name} {version}", address, record, rows)]
    save_plan(plan)


def list_changes(number, after, to):
    """The versions after the locked one, with their changelogs."""
    newer = [item for item in load(f"versions.{number}")["data"] if numbers_of(after) < numbers_of(item["version"]) <= numbers_of(to)]
    return [
        {"version": item["version"], "changelog": str(item.get("changelog") or ""), "yanked": item.get("yanked") is True}
        for item in newer
    ]


def choose(name, written):
    """Writes the version of a range to the file `version`."""
    rows = read_rows("0")
    chosen = find_wanted(written, {}, rows)
    if chosen is None:
        raise Refused(2, explain_none(name, written, {}, rows))
    save("version", chosen)
