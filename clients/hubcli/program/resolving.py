"""Reads the records of the prompts in the lock file, chooses their versions, and collects what the hub says about them."""

import json

from program.asking import ask, ask_file, ask_if_there, ask_newest
from program.terminal import Refused
from prompt_hub.lifetime import find_retiring, ripe_of, utc_now
from prompt_hub.ranges import numbers_of
from prompt_hub.records import read_repository_record, read_version_list
from prompt_hub.review import explain_none, find_included, find_notices, find_problems, find_wanted, included_in
from prompt_hub.trouble import PromptHubError


class Entry:
    """A prompt of a command."""

    def __init__(self, name, locked, range_, path, is_skill):
        self.name = name
        self.locked = locked
        """The entry in the lock, or None."""
        self.range = range_
        """The wanted range or label; empty for the latest version, until that is known."""
        self.path = path
        self.is_skill = is_skill
        self.version = locked.version if locked else None
        self.sha256 = locked.sha256 if locked else None
        self.latest = None
        self.rows = ()
        """The versions on the hub, and their changelogs."""
        self.changelogs = {}

    @property
    def what(self):
        return f"{self.name} {self.version}"


def entries_of(lock):
    """The prompts of a lock."""
    return [Entry(name, each, each.range, each.path, bool(each.files)) for name, each in lock.prompts.items()]


def problem(name, kind, message, severity=None):
    """A problem, as in the JSON of a report."""
    return {"name": name, "problem": kind, **({} if severity is None else {"severity": severity}), "message": message}


def read(parse, data):
    """Parses a response."""
    try:
        return parse(data.decode(), "the hub")
    except (ValueError, PromptHubError):
        raise Refused(5, "the hub did not return a list of versions; is it a Prompt Hub?")


def read_state(name, is_enough, last=ask):
    """The versions of a prompt, its record, and the text of the list: those of the static files or, if they lack
    something, the newest. `last` asks for a prompt that has no static files."""
    paths = (f"repos/{name}/versions", f"repos/{name}")
    listed = ask_file(paths[0], last)
    if listed is None:
        return (), None, None
    data = [listed, ask_file(paths[1])]
    for is_last in (False, True):
        rows, record = read(read_version_list, data[0]), read(read_repository_record, data[1])
        if is_last or is_enough(rows, record):
            return rows, record, data[0]
        data = [ask_newest(path) or old for path, old in zip(paths, data)]


def resolve(entry, command, days=0):
    """Chooses the version of a prompt, unless the command does not choose any. Returns what the hub says about the locked
    one."""
    name, locked, chooses = entry.name, entry.locked, command in ("add", "update", "outdated")

    def choose(rows, record):
        ripe = ripe_of(rows, days, locked.version, utc_now()) if locked and days else rows
        return find_wanted(entry.range or "*", record.labels, ripe)

    def is_enough(rows, record):
        has_locked = locked is None or any(row.version == locked.version for row in rows)
        return has_locked and (not chooses or choose(rows, record) is not None)

    entry.rows, record, text = read_state(name, is_enough)
    found = find_problems(name, locked, record, entry.rows) if locked else []
    if command in ("add", "update") and found and found[0].kind == "other_bytes":
        raise Refused(4, f"{found[0].message}; nothing was changed")
    if command == "audit":
        found += find_retiring(name, locked.version, entry.rows, days, utc_now())
    if chooses:
        wanted = choose(entry.rows, record)
        if wanted is None and command == "add":
            raise Refused(2, explain_none(name, entry.range or "*", record.labels, entry.rows))
        found += find_notices(name, entry.range or "*", locked.version if locked else "", record)
        entry.latest = find_wanted("*", record.labels, entry.rows)
        if wanted:
            entry.range = entry.range or f"^{wanted}"
            entry.version = wanted
            entry.sha256 = next(row.content_sha256 for row in entry.rows if row.version == wanted)
        entry.changelogs = {each["version"]: str(each.get("changelog") or "") for each in json.loads(text)["data"]}
    return [problem(name, *each) for each in found]


def list_changes(entry):
    """The versions after the locked one, with their changelogs."""
    after, to = numbers_of(entry.locked.version), numbers_of(entry.version)
    return [
        {"version": row.version, "changelog": entry.changelogs[row.version], "yanked": row.yanked}
        for row in entry.rows
        if after < numbers_of(row.version) <= to
    ]


def judge_included(entries):
    """What the hub says about the versions that the locked versions include."""
    uses = {}
    for entry in entries:
        for address in included_in(entry.locked.version, entry.rows):
            uses.setdefault(address.partition("@")[0], []).append((entry, address))
    problems = []
    for name, users in sorted(uses.items(), key=lambda each: each[0]):
        versions = {address.partition("@")[2] for _, address in users}
        has_all = lambda rows, _, versions=versions: versions <= {row.version for row in rows}
        rows, record, _ = read_state(name, has_all, ask_if_there)
        for entry, address in users:
            problems += [problem(entry.name, *each) for each in find_included(entry.what, address, record, rows)]
    return problems
