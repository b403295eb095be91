"""Reads what the commands for a lock need from a hub, each response verified. How a request is sent is up to the caller."""

from __future__ import annotations

import io
import zlib
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar

from .capabilities import DenyOptions, review_added
from .ranges import is_range, numbers_of
from .records import Change, LabelledPrompt, RepositoryRecord, VersionRecord, VersionRow, find_wanted
from .records import read_changes, read_label_list, read_raw_record, read_repository_record, read_version_list
from .records import read_version_record
from .skills import SKILL, find_content
from .trouble import PromptHubError
from .vendored import digest_of

Value = TypeVar("Value")
# All files of a skill, its SKILL.md, and a header and a filled block for each.
_MAX_TAR_BYTES = 12_582_912
_VERSIONS_PER_PAGE = 100
# A prompt has at most 1,000 versions.
_MAX_PAGES = 10
_NONE = (0, 0, 0)


def read_either(get: Callable[[str], Value], path: str, is_enough: Callable[[Value], bool] = lambda _: True) -> Value:
    """Reads the static file first, because every mirror has it and it has no rate limit.

    If the file is missing or insufficient, asks the API, which also has what was published since the last build. `get`
    reads a path on the hub; `path` is that of the response in the API, below `/api/v1`.
    """
    found: List[Value] = []
    refusal: Optional[PromptHubError] = None
    try:
        found.append(get(f"/data/v1/{path}.json"))
        if is_enough(found[0]):
            return found[0]
    except PromptHubError as error:
        if error.code != "not_found":
            raise
        refusal = error
    try:
        return get(f"/api/v1/{path}")
    except PromptHubError as error:
        # A mirror has no API, so the result is the file, or that it does not exist.
        if found:
            return found[0]
        raise error if error.code == "not_found" or refusal is None else refusal from None


def read_pages(
    first: Sequence[VersionRow],
    read_page: Callable[[int], Sequence[VersionRow]],
    is_enough: Callable[[Sequence[VersionRow]], bool],
) -> Tuple[VersionRow, ...]:
    """Reads the further pages of a list of versions in the API, until they are enough. `first` is the first one."""
    rows, page = tuple(first), 1
    while len(rows) == page * _VERSIONS_PER_PAGE and page < _MAX_PAGES and not is_enough(rows):
        page += 1
        rows += tuple(read_page(page))
    return rows


def read_first(ask: Callable[[str], bytes], *urls: str) -> bytes:
    """Reads from the first URL that has it; raises PromptHubError `not_found` if none has it."""
    for url in urls[:-1]:
        try:
            return ask(url)
        except PromptHubError as error:
            if error.code != "not_found":
                raise
    return ask(urls[-1])


class Source:
    """A hub, as the commands for a lock read it."""

    def __init__(self, url: str, ask: Callable[[str], bytes]) -> None:
        """`url` is the hub's URL, without a trailing slash. `ask` returns the response of a URL, or raises
        PromptHubError."""
        self.url = url
        self._ask = ask

    def read_state(
        self, name: str, version: Optional[str], wanted: str, key: Optional[str] = None
    ) -> Tuple[RepositoryRecord, Sequence[VersionRow]]:
        """The record of a prompt and its list of versions. If the static files lack the version, or one that the range or
        label `wanted` selects for a caller with a key, the API is asked."""

        def has_label(found: RepositoryRecord) -> bool:
            return is_range(wanted) or wanted in found.labels

        def has_all(rows: Sequence[VersionRow]) -> bool:
            is_there = version is None or any(row.version == version for row in rows)
            return is_there and find_wanted(wanted, record.labels, rows, key) is not None

        record = self._read(read_repository_record, f"repos/{name}", has_label)
        return record, self._read_rows(name, has_all)

    def read_version(self, name: str, version: str) -> VersionRecord:
        """The record of a version."""
        return self._read(read_version_record, f"repos/{name}/versions/{version}")

    def read_raw(self, name: str, version: str) -> Dict[str, Any]:
        """The record of a version as it is: what is signed is all that it says."""
        return self._read(read_raw_record, f"repos/{name}/versions/{version}")

    def read_attestation(self, name: str, version: str, number: int, sha256: str) -> bytes:
        """An attestation of a version; `sha256` is that of its bytes."""
        api = f"{self.url}/api/v1/repos/{name}/versions/{version}/attestations/{number}.sigstore.json"
        return read_first(self._ask, f"{self.url}/data/v1/repos/{name}/blobs/{sha256}.bin", api)

    def read_changes(self, name: str) -> Sequence[Change]:
        """What the versions of a prompt change for callers, the newest first; empty if the hub does not say, because this
        is only advice."""
        url = f"{self.url}/data/v1/repos/{name}/changes.json"
        try:
            return read_changes(self._ask(url).decode("utf-8", "replace"), url)
        except PromptHubError:
            return ()

    def review_added(self, name: str, version: str, before: Optional[str], denied: Sequence[str], options: DenyOptions) -> str:
        """What a version can do that another cannot, in words. Raises PromptHubError for what is denied."""
        return review_added(lambda path: self._ask(self.url + path), name, version, before, denied, options)

    def read_included(self, name: str, version: str) -> Sequence[str]:
        """The versions that a version includes; none if it is gone, which is a problem of its own."""
        try:
            return self.read_version(name, version).included
        except PromptHubError as error:
            if error.code != "not_found":
                raise
            return ()

    def add_changelogs(self, name: str, rows: Sequence[VersionRow], after: str, to: str) -> Sequence[VersionRow]:
        """Adds the changelogs of the versions above `after` up to `to`, which only the pages of the list have."""
        low, high = numbers_of(after) or _NONE, numbers_of(to) or _NONE
        places = [at for at, row in enumerate(rows) if row.changelog is None and low < (numbers_of(row.version) or low) <= high]
        known: Dict[str, Optional[str]] = {}
        for page in sorted({at // _VERSIONS_PER_PAGE + 1 for at in places}):
            url = f"{self.url}/data/v1/repos/{name}/versions/pages/{page}.json"
            try:
                text = self._ask(url).decode("utf-8", "replace")
            except PromptHubError as error:
                if error.code != "not_found":
                    raise
                continue
            known.update((row.version, row.changelog) for row in read_version_list(text, url))
        return [row._replace(changelog=known.get(row.version, row.changelog)) for row in rows]

    def list_digests(self, name: str) -> Sequence[str]:
        """The digests of all versions of a prompt."""
        return [row.content_sha256 for row in self._read_rows(name, lambda _: True)]

    def list_labelled(self, owner: str, label: str) -> Sequence[LabelledPrompt]:
        """The prompts of an owner at a label. The API comes first, because the static file does not show what it lacks; its
        message also says what does not exist."""
        path = f"users/{owner}/labels/{label}"
        api, file = f"{self.url}/api/v1/{path}", f"{self.url}/data/v1/{path}.json"
        return read_label_list(read_first(self._ask, api, file, api).decode("utf-8", "replace"), api)

    def read_skill(self, record: VersionRecord) -> List[Tuple[str, bytes]]:
        """The paths and bytes of all files of a skill, each compared with its digest in the record: those of its archive
        or, if it has no other files, its SKILL.md."""
        name, version, bundle = record.full_name, record.version, record.bundle_sha256
        if bundle is None:
            urls = f"{self.url}/data/v1/repos/{name}/skills/{version}.md", f"{self.url}/{name}/v/{version}/{SKILL}"
        else:
            archive = f"{self.url}/api/v1/repos/{name}/versions/{version}/archive"
            urls = f"{self.url}/data/v1/repos/{name}/blobs/{bundle}.bin", archive
        try:
            data = read_first(self._ask, *urls)
        except PromptHubError as error:
            if error.code != "not_found":
                raise
            raise PromptHubError("not_found", f"{name} {version} is not an Agent Skill; nothing was changed") from error
        files = {SKILL: data} if bundle is None else _unpack(data) if digest_of(data) == bundle else {}
        others = {path: digest_of(each) for path, each in files.items() if path != SKILL}
        if others != dict(record.files) or find_content(files.get(SKILL, b""), record.content_sha256) is None:
            raise other_bytes(f"{name} {version}")
        return sorted(files.items())

    def _read_rows(self, name: str, is_enough: Callable[[Sequence[VersionRow]], bool]) -> Sequence[VersionRow]:
        def read(place: str) -> Sequence[VersionRow]:
            return read_version_list(self._ask(self.url + place).decode("utf-8", "replace"), self.url + place)

        def get(place: str) -> Sequence[VersionRow]:
            first = read(place)
            return read_pages(first, lambda page: read(f"{place}?page={page}"), is_enough) if place.startswith("/api/") else first

        return read_either(get, f"repos/{name}/versions", is_enough)

    def _read(self, parse: Callable[[str, str], Value], path: str, is_enough: Callable[[Value], bool] = lambda _: True) -> Value:
        def get(place: str) -> Value:
            # What is not UTF-8 is replaced, and then matches no digest.
            return parse(self._ask(self.url + place).decode("utf-8", "replace"), self.url + place)

        return read_either(get, path, is_enough)


def other_bytes(what: str) -> PromptHubError:
    """The error for bytes that do not match their digest; `what` names the version."""
    return PromptHubError("integrity", f"the hub sent other bytes for {what} than its SHA-256 says; nothing was changed")


def _unpack(archive: bytes) -> Dict[str, bytes]:
    """The files in an archive of a skill; none if it is not one."""
    import tarfile  # Most commands need no archive, and this import takes longer than all others.

    files: Dict[str, bytes] = {}
    try:
        unpacker = zlib.decompressobj(31)
        data = unpacker.decompress(archive, _MAX_TAR_BYTES)
        if unpacker.unconsumed_tail:
            return {}
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for member in tar:
                # A sparse file may claim any size.
                is_file = member.isreg() and not member.issparse() and member.size <= len(data)
                opened = tar.extractfile(member) if is_file else None
                if opened is None or member.name in files:
                    return {}
                files[member.name] = opened.read()
    except (tarfile.TarError, zlib.error, EOFError, OverflowError, ValueError):
        return {}
    return files
