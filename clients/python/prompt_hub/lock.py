"""The text of the lock file: parses it strictly and formats it so that every client writes the same bytes.
docs/lock-file.md"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, cast

from .capabilities import DENIABLE
from .filling import spell
from .publisher import Publisher
from .ranges import is_label, is_range, is_version, satisfies
from .skills import SKILL, SkillFile, find_clash, refuse_files, refuse_part
from .trouble import PromptHubError
from .variable import Variable, read_variable

LOCK = "prompts.lock"
"""The usual name of the file, as it appears in messages."""
FULL_NAME = re.compile(r"[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}/[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,63}")
_HUB = re.compile(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:/[!-\"$->@-~]*)?")
_SHA256 = re.compile("[0-9a-f]{64}")
# The repository and workflow of a publisher: printable ASCII.
_PUBLISHER_TEXT = re.compile("[!-~]{1,500}")
_INDEX = re.compile("0|[1-9][0-9]{0,9}")
# What git writes around the sides of a conflict.
_CONFLICT = re.compile("(?:<{7}|={7}|>{7})(?: |\r?$)")
FORMAT = 1
"""The number of the format. Clients that know another format do not read it."""
_MAX_PROMPTS = 1_000
MAX_LOCK_BYTES = 16_777_216
"""The largest lock."""
_MAX_DEPTH = 32
_TEXTS = ("range", "version", "sha256")
MAX_PLACES = 20
"""The most places of a prompt."""


class LockedDetails(NamedTuple):
    """The parts of a version in a lock besides its digest, so that it can be used without a hub."""

    variables: Tuple[Variable, ...]
    parameters: Mapping[str, Any]


class Place(NamedTuple):
    """Where a prompt is in the project: its file or, with `files`, the folder of an Agent Skill."""

    path: str
    """Relative to the lock's folder."""
    files: Tuple[SkillFile, ...] = ()
    """The files of the skill, of which one is SKILL.md."""


class LockedSplit(NamedTuple):
    """A second version of a label, with the SHA-256 of its content."""

    version: str
    percent: int
    salt: str
    sha256: str


class LockedPrompt(NamedTuple):
    """One prompt of a lock: the requested range or label, the locked version, the SHA-256 of its content, and its places,
    sorted by path."""

    range: str
    version: str
    sha256: str
    places: Tuple[Place, ...]
    details: LockedDetails
    """The inputs of filling."""
    publisher: Optional[Publisher] = None
    """The workflow that published the version, as the hub said; None for a token or a person."""
    split: Optional[LockedSplit] = None
    """The second version of the label, for a share of callers."""
    keeps_permissions: bool = False
    """Whether a SKILL.md is written with the tools that it asks to use without a question."""

    @property
    def versions(self) -> Tuple[Tuple[str, str], ...]:
        """Each version with the SHA-256 of its content: the locked one and, beside it, the second one of the label."""
        second = ((self.split.version, self.split.sha256),) if self.split else ()
        return ((self.version, self.sha256), *second)


class Lock(NamedTuple):
    """The contents of `prompts.lock`."""

    hub: str
    prompts: Dict[str, LockedPrompt]
    deny: Tuple[str, ...] = ()
    """The kinds of capability at which an update stops."""


def format_lock(lock: Lock) -> str:
    """Formats a lock. Every client writes the same bytes for the same lock."""
    prompts = {name: _locked_data(each) for name, each in sorted(lock.prompts.items())}
    denied = {"deny": [kind for kind in DENIABLE if kind in lock.deny]} if lock.deny else {}
    return _write_json({"lockfile": FORMAT, "hub": lock.hub, **denied, "prompts": prompts}, "") + "\n"


def _locked_data(each: LockedPrompt) -> Dict[str, object]:
    return {
        "range": each.range,
        "version": each.version,
        "sha256": each.sha256,
        "places": [_place_data(place) for place in sort_places(each.places)],
        **({"keep_permissions": True} if each.keeps_permissions else {}),
        **({"publisher": each.publisher._asdict()} if each.publisher else {}),
        **({"split": each.split._asdict()} if each.split else {}),
        "variables": [_variable_data(variable) for variable in each.details.variables],
        "parameters": each.details.parameters,
    }


def sort_places(places: Iterable[Place]) -> Tuple[Place, ...]:
    """Places in the order of the lock, which is that of strings in JavaScript."""
    return tuple(sorted(places, key=lambda place: place.path.encode("utf-16-be", "surrogatepass")))


def _place_data(place: Place) -> Dict[str, object]:
    files = {path: sha256 for path, sha256 in sorted(place.files)}
    return {"path": place.path, **({"files": files} if files else {})}


def _variable_data(variable: Variable) -> Dict[str, object]:
    return {**variable._asdict(), "options": list(variable.options)}


def _write_json(value: object, indent: str) -> str:
    """A value as `JSON.stringify(value, null, 2)` writes it in JavaScript."""
    inner = indent + "  "
    if isinstance(value, dict):
        data = cast(Dict[str, object], value)
        lines = [f"{inner}{_write_json(key, inner)}: {_write_json(data[key], inner)}" for key in in_order(data)]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}" if lines else "{}"
    if isinstance(value, list):
        lines = [inner + _write_json(each, inner) for each in cast(List[object], value)]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]" if lines else "[]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return spell(value) or "null"
    return json.dumps(value, ensure_ascii=False)


def in_order(data: Mapping[str, object]) -> List[str]:
    """Keys in JavaScript's order: integer keys come first."""
    indexes = [key for key in data if _INDEX.fullmatch(key) and int(key) < 2**32 - 1]
    return sorted(indexes, key=int) + [key for key in data if key not in indexes]


def _is_keepable(value: object, depth: int = _MAX_DEPTH) -> bool:
    """Whether every client stores a value as the same bytes: no lone surrogates, only JSON numbers, not nested too
    deeply."""
    if isinstance(value, str):
        return not re.search("[\ud800-\udfff]", value)
    if isinstance(value, (int, float)):
        return isinstance(value, bool) or spell(value) is not None
    if isinstance(value, dict):
        data = cast(Dict[str, object], value)
        return depth > 0 and all(_is_keepable(key) and _is_keepable(each, depth - 1) for key, each in data.items())
    if isinstance(value, list):
        return depth > 0 and all(_is_keepable(each, depth - 1) for each in cast(List[object], value))
    return value is None


def details_of(variables: Sequence[Variable], parameters: object) -> Optional[LockedDetails]:
    """The parts of a version's record that a lock stores; None when they are invalid."""
    if not isinstance(parameters, dict):
        return None
    data = cast(Dict[str, Any], parameters)
    if not _is_keepable(data):
        return None
    if not all(_is_keepable(_variable_data(variable)) for variable in variables):
        return None
    return LockedDetails(tuple(variables), data)


def attributes_line(path: str, is_folder: bool = False) -> str:
    """The line of a .gitattributes that protects a file, or all files in a folder. Characters with a meaning in patterns
    are replaced by a wildcard."""
    pattern = "prompts/**" if path.startswith("prompts/") else re.sub(r"[ \[]", "?", path) + ("/**" if is_folder else "")
    return f"/{pattern} -text"


def mend_ends(path: str, folder: Optional[str] = None) -> str:
    """What to do about a file whose line endings git has changed. `folder` is that of its skill, if any."""
    line = attributes_line(path) if folder is None else attributes_line(folder, True)
    return f'Put "{line}" into .gitattributes, delete the file and run: git checkout -- {path}'


def parse_lock(text: str) -> Lock:
    """Parses a lock. Raises PromptHubError `integrity` unless it is exactly what a client would write, so that manual
    edits are rejected."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_LOCK_BYTES:
        raise _wrong(f"{LOCK} is larger than {MAX_LOCK_BYTES} bytes")
    conflict = next((at for at, line in enumerate(text.split("\n"), 1) if _CONFLICT.match(line)), None)
    if conflict is not None:
        sides = f"take one side (git checkout --ours {LOCK}, or --theirs), then add the other side's prompts again"
        raise PromptHubError("integrity", f"{LOCK} has a merge conflict in line {conflict}; {sides}")
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong(f"{LOCK} is not JSON: {error}") from error
    data = _object(value, "expected an object")
    lockfile: object = data.get("lockfile")
    is_number = isinstance(lockfile, int) and not isinstance(lockfile, bool)
    if is_number and lockfile != FORMAT:
        newer = f"{LOCK} was made by a newer client (lockfile {lockfile}); this one knows {FORMAT}. Update it."
        raise PromptHubError("integrity", newer)
    _expect(is_number, "expected lockfile, hub and prompts")
    hub: object = data.get("hub")
    if not isinstance(hub, str) or not is_hub_url(hub):
        raise _wrong(f"{LOCK}: hub: expected an http or https address without a trailing slash")
    prompts = _object(data.get("prompts"), "prompts: expected prompts by name")
    _expect(len(prompts) <= _MAX_PROMPTS, f"prompts: expected at most {_MAX_PROMPTS} prompts")
    deny: object = data.get("deny", ())
    if deny != ():
        is_list = isinstance(deny, list) and len(cast(List[object], deny)) > 0
        _expect(is_list and all(kind in DENIABLE for kind in cast(List[object], deny)), f"deny: expected a list of {', '.join(DENIABLE)}")
    denied = tuple(cast(List[str], deny))
    lock = Lock(hub, {name: _read_locked(name, each) for name, each in prompts.items()}, denied)
    clash = find_clash(place.path for each in lock.prompts.values() for place in each.places)
    _expect(clash is None, f"two places have the path {clash}, or one is inside the other")
    _require_written(text, format_lock(lock))
    return lock


def is_hub_url(text: str) -> bool:
    """Whether a string is a valid URL of a hub: http or https, without a trailing slash, query or user name, at most
    2,000 characters long."""
    return len(text) <= 2_000 and _HUB.fullmatch(text) is not None and not text.endswith("/")


def require_hub_url(url: str) -> str:
    """The URL of a hub, without a trailing slash; raises PromptHubError `invalid_request` for any other."""
    if not is_hub_url(url.rstrip("/")):
        raise PromptHubError("invalid_request", f"url: expected the URL of a hub, got {url!r}")
    return url.rstrip("/")


def refuse_path(path: str) -> Optional[str]:
    """Why a path is invalid in a lock, or None. With forward slashes, it stays below the lock's folder and is valid on
    every system."""
    segments = path.split("/")
    try:
        lengths = [len(segment.encode()) for segment in segments]
    except UnicodeEncodeError:
        return "is not text"
    if not all(0 < length <= 255 for length in lengths) or sum(lengths) + len(segments) - 1 > 1_024:
        return "has an empty or overlong part, or is absolute"
    if path.lower() in (LOCK, f"{LOCK}.new"):
        return "is the lock file's own"
    return next(filter(None, map(refuse_part, segments)), None)


def _read_locked(name: str, value: object) -> LockedPrompt:
    _expect(FULL_NAME.fullmatch(name) is not None, f"expected <owner>/<name>, got {name[:120]}")
    data = _object(value, f"{name}: expected an object")
    _expect(all(isinstance(data.get(key), str) for key in _TEXTS), f"{name}: expected range, version and sha256, each a text")
    range_, version, sha256 = (cast(str, data[key]) for key in _TEXTS)
    _expect(is_range(range_) or is_label(range_), f"{name}: range: expected a range or a label's name")
    _expect(is_version(version), f"{name}: version: expected x.y.z")
    _expect(not is_range(range_) or satisfies(version, range_), f"{name}: {range_} does not allow {version}")
    _expect(_SHA256.fullmatch(sha256) is not None, f"{name}: sha256: expected 64 digits of 0-9a-f")
    places = data.get("places")
    if not isinstance(places, list) or not 0 < len(cast(List[object], places)) <= MAX_PLACES:
        raise _wrong(f"{LOCK}: {name}: places: expected 1 to {MAX_PLACES}")
    try:
        details = details_of([read_variable(each) for each in data["variables"]], data["parameters"])
    except (KeyError, TypeError):
        details = None
    if details is None:
        raise _wrong(f"{LOCK}: {name}: invalid variables or parameters")
    publisher = _read_publisher(name, data["publisher"]) if "publisher" in data else None
    split = _read_split(name, range_, version, data["split"]) if "split" in data else None
    found = tuple(_read_place(name, each) for each in cast(List[object], places))
    keeps_permissions: object = data.get("keep_permissions", False)
    _expect(isinstance(keeps_permissions, bool), f"{name}: keep_permissions: expected true")
    return LockedPrompt(range_, version, sha256, found, details, publisher, split, bool(keeps_permissions))


def keepable_publisher(publisher: Optional[Publisher]) -> Optional[Publisher]:
    """A publisher that a lock can have; None for one whose names no hub would send."""
    is_good = publisher is not None and all(_PUBLISHER_TEXT.fullmatch(text) for text in publisher[:2])
    return publisher if is_good else None


def _read_publisher(name: str, value: object) -> Publisher:
    data = _object(value, f"{name}: publisher: expected repository, workflow and attested")
    texts = [data.get("repository"), data.get("workflow")]
    is_good = isinstance(data.get("attested"), bool) and all(isinstance(text, str) and _PUBLISHER_TEXT.fullmatch(text) for text in texts)
    _expect(is_good, f"{name}: publisher: expected repository, workflow and attested")
    return Publisher(data["repository"], data["workflow"], data["attested"])


def _read_split(name: str, range_: str, first: str, value: object) -> LockedSplit:
    expected = f"{name}: split: expected version, percent, salt and sha256, for a label"
    data = _object(value, expected)
    version, percent, salt, sha256 = (data.get(key) for key in LockedSplit._fields)
    is_good = isinstance(version, str) and is_version(version) and version != first and not is_range(range_)
    is_share = isinstance(percent, int) and not isinstance(percent, bool) and 1 <= percent <= 99
    is_salt = isinstance(salt, str) and re.fullmatch("[A-Za-z0-9]{16,64}", salt) is not None
    _expect(is_good and is_share and is_salt and isinstance(sha256, str) and _SHA256.fullmatch(sha256) is not None, expected)
    return LockedSplit(cast(str, version), cast(int, percent), cast(str, salt), cast(str, sha256))


def _read_place(name: str, value: object) -> Place:
    data = _object(value, f"{name}: places: expected objects")
    path = data.get("path")
    if not isinstance(path, str):
        raise _wrong(f"{LOCK}: {name}: places: expected the path of each")
    refused = refuse_path(path)
    _expect(refused is None, f"{name}: path {path[:200]} {refused}")
    return Place(path, _read_files(name, path, data["files"]) if "files" in data else ())


def _read_files(name: str, path: str, value: object) -> Tuple[SkillFile, ...]:
    files = _object(value, f"{name}: files: expected digests by path")
    _expect(SKILL in files, f"{name}: files: expected {SKILL}")
    refused = refuse_files(list(files))
    _expect(refused is None, f"{name}: {refused}")
    for file, sha256 in files.items():
        _expect(isinstance(sha256, str) and _SHA256.fullmatch(sha256) is not None, f"{name}: {file}: expected 64 digits of 0-9a-f")
        _expect(refuse_path(f"{path}/{file}") is None, f"{name}: the path of {file} is too long")
    return tuple(SkillFile(file, sha256) for file, sha256 in files.items())


def _require_written(text: str, written: str) -> None:
    """The text is exactly what a client writes."""
    if text == written:
        return
    ours, theirs = written.split("\n"), text.split("\n")
    differing = (at for at, (a, b) in enumerate(zip(ours, theirs), 1) if a != b)
    place = f"{LOCK} differs from what a client writes, from line {next(differing, min(len(ours), len(theirs)))} on"
    if text.replace("\r\n", "\n") == written:
        cause = f"git changed its line endings, as with core.autocrlf. {mend_ends(LOCK)}"
        raise PromptHubError("integrity", f"{place}: {cause}")
    raise _wrong(f"{place}: it was edited by hand or merged")


def _object(value: object, expected: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(f"{LOCK}: {expected}")
    return cast(Dict[str, Any], value)


def _expect(is_good: bool, sentence: str) -> None:
    if not is_good:
        raise _wrong(f"{LOCK}: {sentence}")


def _wrong(what: str) -> PromptHubError:
    return PromptHubError("integrity", f"{what}. Restore it from git, or add its prompts again.")
