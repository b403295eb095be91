"""A project with a lock: adds, installs, updates, removes and compares its prompts. Everything is fetched and verified
first; then all of it is written, or nothing. docs/lock-file.md"""

from __future__ import annotations

import os
import re
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .attested import SignatureOptions, Signatures
from .capabilities import DenyOptions
from .changing import NewPrompt, change_lock, places_in, require_unedited
from .choosing import Addition, Where, choose_places, places_of, skill_names
from .lock import LOCK, Lock, LockedPrompt, LockedSplit, Place, details_of, keepable_publisher, sort_places
from .placed import find_differences, open_lock, read_lock_file, say_difference
from .publisher import Publisher, refuse_publisher
from .records import find_wanted
from .replacing import NewFiles
from .review import Problem, explain_none, find_notices, find_problems
from .reviewing import Reviewed, find_split, require_locked, review_prompts
from .skills import SKILL, SkillFile, grant_tools, rename_skill
from .source import Source, other_bytes
from .trouble import PromptHubError
from .vendored import digest_of

class Target(NamedTuple):
    """A version to install."""

    name: str
    before: Optional[LockedPrompt]
    """The entry in the lock, or None."""
    range: str
    version: str
    sha256: str
    places: Sequence[Where]
    split: Optional[LockedSplit] = None
    keeps_permissions: bool = False

    @property
    def what(self) -> str:
        """The prompt and its version."""
        return f"{self.name} {self.version}"


class Project:
    """A project. Every function raises PromptHubError: `integrity` for a lock, a file or a response with other bytes, and
    the errors of the requests."""

    def __init__(self, lock_path: str, connect: Callable[[Optional[Lock]], Source], say: Callable[[str], None], program: str) -> None:
        """`connect` opens the hub of the lock, or the one for a new lock. `say` is called with warnings and instructions
        for the user; `program` is the command that they name."""
        self._path = lock_path
        self._folder = os.path.dirname(os.path.abspath(lock_path))
        self._connect = connect
        self._say = say
        self._program = program

    def add(self, additions: Sequence[Addition], denying: DenyOptions = DenyOptions()) -> List[Target]:
        """Adds prompts to the lock, or changes their ranges, and writes their files. `denying` says what stops it."""
        names = [each.name for each in additions]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise PromptHubError("invalid_request", f"{twice} is given twice")
        lock = read_lock_file(self._path)
        there = {} if lock is None else lock.prompts
        places = choose_places(self._folder, there, additions, self._program)
        source = self._connect(lock)
        problems: List[Problem] = []
        targets = [_choose(source, each, there.get(each.name), places[each.name], problems) for each in additions]
        for each in targets:
            self._review_added(source, each, () if lock is None else lock.deny, denying, problems)
        self._write(source, targets, lambda target, publisher: None, problems)
        self._warn(problems)
        return targets

    def install(
        self, is_forced: bool = False, require_attestation: bool = False, checks: SignatureOptions = SignatureOptions()
    ) -> List[Target]:
        """Writes the files that are missing or differ.

        `is_forced` also replaces files that were changed by hand. `require_attestation` refuses a lock in which a version
        has no attestation or, if the package `sigstore` is installed, one that does not verify; `checks` says how.
        """
        if checks.trusted_root is not None and not require_attestation:
            wanted = "--trusted-root: expected --require-attestation beside it, because without it no signature is verified"
            raise PromptHubError("invalid_request", wanted)
        lock = open_lock(self._path)
        targets = [_target_of(name, locked) for name, locked in lock.prompts.items()]
        source = self._connect(lock)
        signatures = Signatures(source, checks)
        unverified: List[Optional[str]] = []
        for name, locked in lock.prompts.items() if require_attestation else ():
            signatures.require(name, locked)
            unverified.append(signatures.check(name, locked))
        self._note(unverified)
        targets = [each for each in targets if find_differences(self._folder, lock.prompts[each.name])]

        def refuse(target: Target, publisher: Optional[Publisher]) -> Optional[str]:
            is_same = publisher == lock.prompts[target.name].publisher
            return None if is_same else f"the hub names another publisher of {target.what} than {LOCK} does"

        self._write(source, targets, refuse, [], is_forced, is_locked=True)
        return targets

    def update(
        self,
        names: Sequence[str] = (),
        min_age_days: int = 0,
        accept_publisher: bool = False,
        denying: DenyOptions = DenyOptions(),
        checks: SignatureOptions = SignatureOptions(),
    ) -> Tuple[List[Target], Optional[PromptHubError]]:
        """Updates prompts, those named or all, to the newest version in their range or of their label. Returns what was
        updated, and the error of the last prompt that was not; the others are passed to `say`.

        `min_age_days` is how long a version must have been out. `accept_publisher` also takes versions of another workflow
        than that of the locked version, or without its attestation. `denying` says what stops an update. `checks` is about
        signatures, which are verified if the package `sigstore` is installed.
        """
        lock = open_lock(self._path)
        require_locked(lock, names)
        source = self._connect(lock)
        problems: List[Problem] = []
        found: List[Tuple[Target, LockedPrompt, List[NewPrompt]]] = []
        signatures = Signatures(source, checks)
        unverified: List[Optional[str]] = []
        blocked: List[Tuple[str, PromptHubError]] = []
        for name in [name for name in lock.prompts if not names or name in names]:
            try:
                target = self._review_update(source, lock, name, min_age_days, problems)
                if target is None:
                    continue
                locked, new = self._fetch(source, target, problems)
                by = lock.prompts[name].publisher
                if not accept_publisher:
                    _refuse(refuse_publisher(target.what, by, locked.publisher))
                if not accept_publisher and by is not None and target.split is not None:
                    second = source.read_version(name, target.split.version)
                    _refuse(refuse_publisher(f"{name} {target.split.version}", by, keepable_publisher(second.publisher)))
                unverified.append(signatures.check(name, locked))
                require_unedited(self._folder, places_in(lock), new, self._program)
                self._review_added(source, target, lock.deny, denying, problems)
                found.append((target, locked, new))
            except PromptHubError as error:
                # Any other trouble would meet the other prompts, too.
                if error.code not in ("integrity", "not_found"):
                    raise
                blocked.append((name, error))
        self._commit(source, found)
        if found:
            self._note(unverified)
        self._warn(problems)
        errors = [self._explain_blocked(error, lock, name, bool(found)) for name, error in blocked]
        for each in errors[:-1]:
            self._say(str(each))
        return [target for target, _, _ in found], errors[-1] if errors else None

    def _review_added(
        self, source: Source, target: Target, denied: Sequence[str], denying: DenyOptions, problems: List[Problem]
    ) -> None:
        """Adds what each version that the lock gains can do that the locked one cannot; refuses what is denied."""
        before = target.before.version if target.before else None
        known = target.before.split.version if target.before and target.before.split else None
        second = target.split.version if target.split else None
        gained = [target.version] if target.version != before else []
        if second is not None and second not in (before, known):
            gained.append(second)
        for version in gained:
            said = source.review_added(target.name, version, before, denied, denying)
            if said:
                problems.append(Problem("capabilities", f"{target.name} {version} {said}"))

    def _review_update(self, source: Source, lock: Lock, name: str, min_age_days: int, problems: List[Problem]) -> Optional[Target]:
        """What to update a prompt to; None if it is up to date. What the hub says about it is added to the problems."""
        (each,) = review_prompts(lock, source, [name], min_age_days, None)
        other = next((problem.message for problem in each.problems if problem.kind == "other_bytes"), None)
        if other is not None:
            advice = f"To take those of the hub: {self._program} remove {name}, and add it again"
            raise PromptHubError("integrity", f"{other}; nothing was changed. {advice}")
        is_same = each.wanted == each.locked.version and each.split == each.locked.split
        if is_same and not find_differences(self._folder, each.locked):
            problems += each.problems
            return None
        problems += each.problems
        problems += [Problem("breaking", sentence) for sentence in each.describe_breaking(each.wanted)]
        sha256 = next((row.content_sha256 for row in each.rows if row.version == each.wanted), each.locked.sha256)
        return _target_of(name, each.locked)._replace(version=each.wanted, sha256=sha256, split=each.split)

    def _explain_blocked(self, error: PromptHubError, lock: Lock, name: str, has_others: bool) -> PromptHubError:
        """Says that a prompt stays as it is, and the way out."""
        message = str(error)
        if error.code == "not_found":
            message = message if "nothing was changed" in message else f"{message}; nothing was changed"
            message += f". To go on without it: {self._program} remove {name}"
        if has_others:
            message = re.sub("nothing was (changed|replaced)", f"{name} stays at {lock.prompts[name].version}", message)
        return PromptHubError(error.code, message, status=error.status)

    def remove(self, names: Sequence[str], path: Optional[str] = None) -> List[Target]:
        """Removes prompts from the lock, or the place with this path, and deletes their files unless they were changed by
        hand."""
        removed: List[Target] = []

        def change(now: Lock) -> Sequence[NewPrompt]:
            require_locked(now, names)
            for name in dict.fromkeys(names):
                locked = now.prompts.pop(name)
                wanted = None if path is None else path.rstrip("/")
                kept = () if wanted is None else tuple(each for each in locked.places if each.path != wanted)
                if len(kept) == len(locked.places):
                    there = ", ".join(each.path for each in locked.places)
                    raise PromptHubError("invalid_request", f"{name} is not at {wanted}; it is at {there}")
                if kept:
                    now.prompts[name] = locked._replace(places=kept)
                gone = tuple(each for each in locked.places if each not in kept)
                removed.append(_target_of(name, locked._replace(places=gone)))
            return []

        change_lock(self._path, open_lock(self._path).hub, change, self._say)
        return removed

    def compare(self) -> List[Tuple[str, Problem]]:
        """How the files differ from the lock: the name of each such prompt, and what is `missing` or `changed`."""
        found: List[Tuple[str, Problem]] = []
        for name, locked in open_lock(self._path).prompts.items():
            for place, difference in find_differences(self._folder, locked):
                kind = "missing" if difference.kind == "missing" else "changed"
                found.append((name, Problem(kind, say_difference(place, difference, self._program))))
        return found

    def review(self, min_age_days: int = 0, within_days: Optional[int] = None) -> List[Reviewed]:
        """Compares the prompts with the hub.

        `min_age_days` is how long a version must have been out to be `wanted`. `within_days` also finds models that retire
        within this many days, and what the hub says about the versions that a locked version includes.
        """
        lock = open_lock(self._path)
        return review_prompts(lock, self._connect(lock), (), min_age_days, within_days)

    def _write(
        self,
        source: Source,
        targets: Sequence[Target],
        refuse: Callable[[Target, Optional[Publisher]], Optional[str]],
        problems: List[Problem],
        is_forced: bool = False,
        is_locked: bool = False,
    ) -> None:
        """Fetches all targets and writes them. `refuse` returns why not to take the publisher of a version, or None;
        `is_locked` keeps the lock as it is."""
        found = [(each, *self._fetch(source, each, problems)) for each in targets]
        for target, locked, _ in found:
            _refuse(refuse(target, locked.publisher))
        self._commit(source, found, is_forced, is_locked)

    def _commit(
        self,
        source: Source,
        found: Sequence[Tuple[Target, LockedPrompt, List[NewPrompt]]],
        is_forced: bool = False,
        is_locked: bool = False,
    ) -> None:
        """Writes what was fetched."""

        def change(now: Lock) -> Sequence[NewPrompt]:
            if any(now.prompts.get(target.name) != target.before for target, _, _ in found):
                raise PromptHubError("integrity", f"{LOCK} was changed in the meantime; run this again")
            if not is_locked:
                now.prompts.update((target.name, locked) for target, locked, _ in found)
            return [new for _, _, every in found for new in every]

        # Without a change, the folder may be read-only, or another run's.
        if found:
            change_lock(self._path, source.url, change, self._say, is_forced, self._program)

    def _fetch(self, source: Source, target: Target, problems: List[Problem]) -> Tuple[LockedPrompt, List[NewPrompt]]:
        """The new lock entry of a prompt, and its files for each place where they differ. What it grants is added to the
        problems."""
        name, before, range_, version, sha256, wanted, split, keeps = target
        try:
            record = source.read_version(name, version)
        except PromptHubError as error:
            raise other_bytes(target.what) if error.code == "integrity" else error
        if (record.full_name, record.version, record.content_sha256) != (name, version, sha256):
            raise other_bytes(target.what)
        details = details_of(record.variables, record.parameters)
        if details is None:
            raise PromptHubError("unavailable", f"{target.what}: its variables or parameters are invalid in a lock")
        skill = source.read_skill(record) if any(is_skill for _, is_skill in wanted) else ()
        if keeps and skill and record.allowed_tools:
            skill = _grant(target, skill, record.allowed_tools)
            tools = " ".join(record.allowed_tools)
            problems.append(Problem("permissions", f"{target.what} lets agents use these tools without a question: {tools}"))
        places: List[Place] = []
        files: Dict[str, Sequence[Tuple[str, bytes]]] = {}
        for path, is_skill in wanted:
            files[path] = _files_at(target, path, skill) if is_skill else [("", record.content.encode("utf-8"))]
            places.append(Place(path, tuple(SkillFile(file, digest_of(data)) for file, data in files[path]) if is_skill else ()))
        if before is not None and before.version == version:
            # SKILL.md changes if it grants tools now, or does no more.
            changing = SKILL if before.keeps_permissions != keeps else None
            pinned = {place.path: _list_pinned(place, changing) for place in before.places}
            if any(pinned.get(each.path, _list_pinned(each, changing)) != _list_pinned(each, changing) for each in places):
                raise other_bytes(target.what)
        by = keepable_publisher(record.publisher)
        locked = LockedPrompt(range_, version, sha256, sort_places(places), details, by, split, keeps)
        differing = [place.path for place, _ in find_differences(self._folder, locked)]
        return locked, [NewPrompt(NewFiles(path, files[path]), lambda: source.list_digests(name)) for path in differing]

    def _note(self, unverified: Sequence[Optional[str]]) -> None:
        for sentence in dict.fromkeys(filter(None, unverified)):
            self._say(f"note: {sentence}")

    def _warn(self, problems: Sequence[Problem]) -> None:
        for each in problems:
            self._say(f"warning: {each.message}")


def _list_pinned(place: Place, changing: Optional[str]) -> List[SkillFile]:
    return sorted(each for each in place.files if each.path != changing)


def _target_of(name: str, locked: LockedPrompt) -> Target:
    return Target(name, locked, locked.range, locked.version, locked.sha256, places_of(locked), locked.split, locked.keeps_permissions)


def _choose(
    source: Source, addition: Addition, locked: Optional[LockedPrompt], places: Sequence[Where], problems: List[Problem]
) -> Target:
    """Chooses the version of a prompt to add; what the hub says about it is added to the problems."""
    name, range_ = addition.name, addition.range or "*"
    record, rows = source.read_state(name, locked.version if locked else None, range_)
    found = find_problems(name, locked, record, rows) if locked else []
    _refuse_other_bytes(found)
    wanted = find_wanted(range_, record.labels, rows)
    if wanted is None:
        raise PromptHubError("not_found", explain_none(name, range_, record.labels, rows))
    problems += [*found, *find_notices(name, range_, "", record)]
    sha256 = next(row.content_sha256 for row in rows if row.version == wanted)
    split = find_split(record, rows, range_, wanted)
    keeps = addition.keeps_permissions or (locked is not None and locked.keeps_permissions)
    return Target(name, locked, addition.range or f"^{wanted}", wanted, sha256, places, split, keeps)


def _files_at(target: Target, path: str, files: Sequence[Tuple[str, bytes]]) -> Sequence[Tuple[str, bytes]]:
    """The files of a skill for a folder, which has the name of the skill or a second one."""
    name = path.split("/")[-1]
    if name not in skill_names(target.name)[1:]:
        return files
    return _change_skill(files, lambda skill: rename_skill(skill, name), f"{target.what}: its {SKILL} does not begin with a name")


def _grant(target: Target, files: Sequence[Tuple[str, bytes]], tools: Sequence[str]) -> Sequence[Tuple[str, bytes]]:
    """The files of a skill, whose SKILL.md grants the tools that it asks for."""
    refusal = f"{target.what}: its permissions are invalid; add it without --keep-permissions"
    return _change_skill(files, lambda skill: grant_tools(skill, tools), refusal)


def _change_skill(
    files: Sequence[Tuple[str, bytes]], change: Callable[[bytes], Optional[bytes]], refusal: str
) -> Sequence[Tuple[str, bytes]]:
    """Changes the SKILL.md in a list of files; `refusal` is what is said if it cannot be changed."""
    changed = change(dict(files)[SKILL])
    if changed is None:
        raise PromptHubError("unavailable", refusal)
    return [(path, changed if path == SKILL else data) for path, data in files]


def _refuse_other_bytes(problems: Sequence[Problem]) -> None:
    _refuse(next((each.message for each in problems if each.kind == "other_bytes"), None))


def _refuse(reason: Optional[str]) -> None:
    if reason is not None:
        raise PromptHubError("integrity", f"{reason}; nothing was changed")
