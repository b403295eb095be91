"""The commands that read a prompt: pull, cat and render."""

import os
import re
import stat
import sys

from program.checks import check_version, parse_wish
from program.hub import Hub, is_silent, may_be_mirror
from program.main import invalid
from program.project import enter_project
from program.terminal import note, say, write_text
from prompt_hub.files import write_whole
from prompt_hub.lock import LOCK
from prompt_hub.placed import open_lock, read_content, read_lock_file
from prompt_hub.ranges import is_label, is_range, is_version
from prompt_hub.records import find_wanted, read_repository_record, read_version_record
from prompt_hub.review import explain_none
from prompt_hub.source import Source
from prompt_hub.trouble import PromptHubError


def pull(given):
    """Writes a prompt to a file."""
    path = check_output(given["-o"] if given["-o"] is not None else "PROMPT.md")
    write_output(path, read_prompt(given).content)


def cat(given):
    """Prints a prompt."""
    write_text(read_prompt(given).content)


def render(given):
    """Prints a prompt with its variables filled in."""
    from program.filling import fill_in, read_values

    values = read_values(given)
    prompt = read_prompt(given)
    write_text(fill_in(given, values, prompt.content, prompt.variables))


def digest_of(headers):
    """The SHA-256 in the headers of a response, or None. Unencoded-Digest is about the content; Repr-Digest (RFC 9530) is
    about what was sent, so after compression on the way it would not match."""
    import base64

    found = re.search("sha-256=:([A-Za-z0-9+/]{43}=):", headers.get("Unencoded-Digest") or headers.get("Repr-Digest") or "")
    return None if found is None else base64.b64decode(found.group(1))


def mismatch(name, version, hub):
    text = f"checksum mismatch: {name} {version} from {hub.url} does not match its digest; nothing was written"
    return PromptHubError("integrity", text)


class Locked:
    """A locked prompt whose file is there."""

    def __init__(self, content, variables):
        self.content = content
        self.variables = variables


def read_prompt(given):
    """The prompt that the words of a command name: its content and variables."""
    wanted = choose(given)
    return read_locked(wanted.name) if given["--locked"] else wanted.find(Hub())


def read_locked(name):
    """The locked version: from its file or, without one, from the hub."""
    enter_project()
    lock = open_lock(LOCK)
    prompt = lock.prompts.get(name)
    if prompt is None:
        raise PromptHubError("not_locked", f"{name} is not in {LOCK}; hubcli add {name} locks it")
    found = read_content(".", prompt, "hubcli")
    if found is not None:
        return Locked(found.decode(), prompt.details.variables)
    hub = Hub(lock.hub)
    record = Source(hub.url, hub.ask_url).read_version(name, prompt.version)
    if record.content_sha256 != prompt.sha256:
        text = f"{hub.url} has other bytes for {name} {prompt.version} than {LOCK}; nothing was written"
        raise PromptHubError("integrity", text)
    return record


def choose(given):
    """The prompt and the version that the words of a command name; fails before anything is sent."""
    (word,) = given.take(1)
    name, wish = parse_wish(given, word)
    version, label, at = given["--version"], given["--label"], given["--at"]
    if version is not None:
        check_version(version, "--version")
    if label is not None and not is_label(label):
        raise invalid(f"--label: expected a name such as production, got {label or 'nothing'}")
    if at is not None and not re.fullmatch("[0-9TZ:.+-]+", at):
        raise invalid(f"--at: expected a time such as 2026-11-20T10:00:00Z, got {at or 'nothing'}")
    if version and label:
        raise invalid("--version and --label: expected one of them")
    if given["--locked"] and (version or label):
        raise invalid("--locked: expected no --version or --label beside it")
    if wish and (version or label or given["--locked"]):
        raise invalid(f"@{wish}: expected no --version, --label or --locked beside it")
    if at and not (label or (wish and not is_range(wish))):
        raise invalid("--at: expected a label beside it, such as --label production")
    key = given["--key"]
    if key is not None and (at or not (label or (wish and not is_range(wish)))):
        raise invalid("--key: expected a label beside it, such as --label production, and no --at")
    return Wanted(name, version or label or wish, at, key)


class Wanted:
    """A prompt, and the version, range or label to read, empty for the latest version, for a caller with a key."""

    def __init__(self, name, wish, at, key=None):
        self.name = name
        self.wish = wish
        self.at = at
        self.key = key

    def find(self, hub):
        """The record of the version."""
        source = Source(hub.url, hub.ask_url)
        if self.at:
            return source.read_version(self.name, self._find_at(hub))
        if not self.wish:
            return self._find_latest(hub)
        if is_version(self.wish):
            record = source.read_version(self.name, self.wish)
            self._warn_of_yank(hub, source)
            return record
        repository, rows = source.read_state(self.name, None, self.wish, self.key)
        name = self.name
        if not is_range(self.wish):
            warn_of_status(name, repository)
            name = self._find_name(hub, repository)
        if name != self.name:
            repository, rows = source.read_state(name, None, self.wish, self.key)
        version = find_wanted(self.wish, repository.labels, rows, self.key)
        if version is None:
            raise PromptHubError("not_found", explain_none(name, self.wish, repository.labels, rows))
        return source.read_version(name, version)

    def _find_name(self, hub, repository):
        """The name that a prompt has now: the hub redirects to the record of one that was renamed."""
        api = f"/api/v1/repos/{self.name}"
        try:
            text = hub.read(api).data.decode("utf-8", "replace") if repository.moved_to else None
        except PromptHubError:
            # A mirror has no API.
            text = None
        return self.name if text is None else read_repository_record(text, api).full_name

    def _find_latest(self, hub):
        api, file = f"/api/v1/repos/{self.name}", f"/data/v1/repos/{self.name}.json"
        try:
            text = hub.read(api).data
            repository = read_repository_record(text.decode("utf-8", "replace"), api)
        except PromptHubError as error:
            # A mirror has no API, and answers with an error or a page.
            if not may_be_mirror(error):
                raise
            try:
                text = hub.read(file).data
            except PromptHubError as other:
                if other.code != "not_found":
                    raise
                if not is_silent(error):
                    raise error from None
                raise PromptHubError("not_found", f"the mirror {hub.url} has no {self.name}") from None
            repository = read_repository_record(text.decode("utf-8", "replace"), file)
        if repository.latest_version is None:
            raise PromptHubError("not_found", f"{self.name} has no active version")
        warn_of_status(self.name, repository)
        tell_of_lock(self.name, repository.latest_version)
        return repository.latest or read_version_record(text.decode("utf-8", "replace"), api)

    def _find_at(self, hub):
        time = self.at.replace("+", "%2B")
        version = hub.read(f"/api/v1/repos/{self.name}/raw?label={self.wish}&at={time}").headers.get("X-Prompt-Version")
        if not is_version(version or ""):
            raise PromptHubError("not_found", f"{hub.url} did not say where the label pointed; a static mirror cannot")
        return version

    def _warn_of_yank(self, hub, source):
        # A version's record never changes. No read fails without the list.
        try:
            _, rows = source.read_state(self.name, self.wish, self.wish)
            row = next((row for row in rows if row.version == self.wish and row.yanked), None)
            reason = None if row is None else row.yank_reason or ""
        except PromptHubError:
            headers = hub.read(f"/api/v1/repos/{self.name}/raw?version={self.wish}").headers
            reason = "" if headers.get("X-Prompt-Yanked") == "true" else None
        if reason is not None:
            say(f"warning: {self.name} {self.wish} was yanked{f': {reason}' if reason else ''}")


def warn_of_status(name, repository):
    """Says that a prompt is deprecated or has moved; the hub redirects to the record of one that was renamed."""
    now = repository.moved_to or repository.full_name
    if now != name:
        say(f"warning: {name} has moved to {now}")
    elif repository.status == "deprecated":
        reason = f": {repository.status_message}" if repository.status_message else ""
        say(f"warning: {name} is deprecated{reason}{f'; use {repository.replaced_by}' if repository.replaced_by else ''}")


def tell_of_lock(name, version):
    """Says which version is locked, when the latest one is read."""
    here = os.getcwd()
    enter_project()
    try:
        lock = read_lock_file(LOCK)
    except PromptHubError:
        lock = None
    os.chdir(here)
    locked = lock.prompts.get(name) if lock else None
    if locked is None:
        return
    if locked.version == version:
        say(f"{name} {version}, the latest and the one in {LOCK}")
    else:
        say(f"{name} {version}, the latest; {LOCK} has {locked.version}, which --locked gives")


def check_output(path):
    """The absolute path of a file to write; fails if none can be written there."""
    if not path or path.startswith("-"):
        raise invalid(f"-o: expected a path (./-x for one that starts with a hyphen), got {path or 'nothing'}")
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path) or path.endswith("/"):
        raise invalid(f"{path} is a folder; name a file in it")
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        raise invalid(f"{path} is not a regular file; hubcli cat writes to anything")
    if not os.path.isdir(folder):
        raise invalid(f"there is no folder {folder}/")
    return os.path.abspath(path)


def write_output(path, text):
    """Writes a file atomically."""
    try:
        write_whole(path, text.encode("utf-8", "surrogateescape"))
    except OSError:
        raise invalid(f"cannot write {os.path.relpath(path)}") from None
    note(f"wrote {os.path.relpath(path)}")
