"""Checks what a lock has against the signatures of its publisher, with digests of its own. docs/lock-file.md"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, cast

from .filling import spell
from .lock import LockedPrompt, details_of, keepable_publisher
from .placed import open_lock
from .publisher import Publisher, refuse_publisher, refuse_unattested
from .read_token import read_token_for
from .records import publisher_of
from .requests import RequestSettings, ask_bytes
from .sigstore_library import NotVerified, Signed, Sigstore, open_sigstore
from .skill_text import write_skill
from .skills import SKILL, grant_tools, read_tools, rename_skill
from .source import Source
from .trouble import PromptHubError
from .variable import as_dict, as_list, read_variable
from .vendored import digest_of

# What a statement must say: that a job built the version.
_PREDICATES = ("https://slsa.dev/provenance/v1", "https://slsa.dev/provenance/v0.2")
_ISSUER = "https://token.actions.githubusercontent.com"
_ORIGIN = "https://github.com/"
_ISSUER_CLAIM, _REPOSITORY_CLAIM, _WORKFLOW_CLAIM, _EVENT_CLAIM = 8, 12, 18, 20
# As the hub: outsiders can influence what other events run.
_EVENTS = ("push", "release", "workflow_dispatch", "schedule")
_MAX_ATTESTATIONS = 5
_MISSING = (
    "signatures were not verified here: that they are right is what the hub says. To verify them, install the package "
    "sigstore beside this one"
)
_NEEDED = (
    "signatures were not verified: the package sigstore is not installed. Install version 4 or newer: "
    "pip install 'sigstore>=4'"
)


class _Wanted(NamedTuple):
    """A version to check."""

    name: str
    version: str
    sha256: str
    """The digest of the bytes of its content."""
    locked: Optional[LockedPrompt]
    """What else the lock has of it."""

    def refuse(self, why: str) -> PromptHubError:
        """The error for a signature that does not prove it."""
        return PromptHubError("integrity", f"the signature of {self.name} {self.version} is not verified: {why}; nothing was changed")


def verify_signatures(lock_path: str = "prompts.lock", trusted_root: Optional[str] = None) -> List[str]:
    """Verifies the signatures of all versions of a lock that have one, with the package `sigstore`. Returns the names of the
    prompts whose signatures are right; the others have none. It does not read the files: compare them with `hubcli verify`.

    `trusted_root` is a file with the roots of Sigstore to trust, as `gh attestation trusted-root` prints them; by default,
    that of the public instance. Raises PromptHubError `integrity` for a signature that is not that of the publisher in the
    lock, or of other bytes, `unavailable` if nothing can be verified because the package is missing, and the errors of the
    requests.
    """
    lock = open_lock(lock_path)
    settings = RequestSettings(token=read_token_for(lock.hub))
    signatures = Signatures(Source(lock.hub, lambda url: ask_bytes(settings, url)), SignatureOptions(trusted_root), is_needed=True)
    signed = {name: locked for name, locked in lock.prompts.items() if locked.publisher is not None and locked.publisher.attested}
    for name, locked in signed.items():
        signatures.check(name, locked)
    return list(signed)


class SignatureOptions(NamedTuple):
    """What is checked of signatures."""

    trusted_root: Optional[str] = None
    """A file with the roots of Sigstore to trust; then the package `sigstore` must be there."""
    skip_signatures: bool = False
    """Verifies nothing: what the hub says counts."""


class Signatures:
    """Verifies the signatures of locked versions. The library and its roots are loaded at the first that there is."""

    def __init__(self, source: Source, options: SignatureOptions, is_needed: bool = False) -> None:
        """`is_needed` is whether to fail without the library. Raises PromptHubError `invalid_request` for roots that nothing
        would use."""
        self._trusted_root, self._is_skipped = options
        if self._trusted_root is not None and self._is_skipped:
            raise PromptHubError("invalid_request", "--trusted-root and --skip-signatures: expected one of them")
        self._source = source
        # That of a second version is read to require its attestation, and again to check it.
        self._read_raw = lru_cache(maxsize=2)(source.read_raw)
        self._is_needed = is_needed or self._trusted_root is not None
        self._opened: List[Optional[Sigstore]] = []

    def check(self, name: str, locked: LockedPrompt) -> Optional[str]:
        """Checks a prompt, and the second version of its label. Returns why its signature was not verified; None if it was,
        or if it has none. Raises PromptHubError `integrity` if it is not that of the publisher in the lock, or of other
        bytes."""
        if self._is_skipped or locked.publisher is None or not locked.publisher.attested:
            return None
        if not self._opened:
            self._opened.append(open_sigstore(self._trusted_root))
        sigstore = self._opened[0]
        if sigstore is None and self._is_needed:
            raise PromptHubError("unavailable", _NEEDED)
        if sigstore is None:
            return _MISSING
        self._check(sigstore, locked.publisher, _Wanted(name, locked.version, locked.sha256, locked))
        if locked.split is not None:
            self._check(sigstore, locked.publisher, _Wanted(name, locked.split.version, locked.split.sha256, None))
        return None

    def require(self, name: str, locked: LockedPrompt) -> None:
        """Refuses a lock in which a version has no attestation, also the second one of a label, of which the lock has no
        publisher."""
        refused = refuse_unattested(f"{name} {locked.version}", locked.publisher)
        if refused is None and locked.split is not None:
            what = f"{name} {locked.split.version}"
            second = keepable_publisher(publisher_of(self._read_raw(name, locked.split.version)))
            refused = refuse_unattested(what, second) or refuse_publisher(what, locked.publisher, second)
        if refused is not None:
            raise PromptHubError("integrity", f"{refused}; nothing was changed")

    def _check(self, sigstore: Sigstore, publisher: Publisher, wanted: _Wanted) -> None:
        record = self._read_raw(wanted.name, wanted.version)
        try:
            other = _find_other(record, wanted)
            listed = as_list(record.get("attestations", []))[:_MAX_ATTESTATIONS]
            manifest = _digest_manifest(record)
        except (KeyError, TypeError):
            other, listed, manifest = "it", (), ""
        if other is not None:
            raise wanted.refuse(f"the hub says something else of {other} than the lock has")
        if not listed:
            raise wanted.refuse("the hub has no attestation of it")
        reasons: List[str] = []
        for number, each in enumerate(listed, 1):
            bundle = self._source.read_attestation(wanted.name, wanted.version, number, _digest_in(each))
            try:
                _judge(sigstore.verify(bundle), publisher, wanted, manifest, bool(record.get("files")))
                return
            except NotVerified as error:
                reasons.append(str(error))
        raise wanted.refuse("; ".join(dict.fromkeys(reasons)))


def _digest_in(listed: object) -> str:
    given: object = cast(Dict[str, Any], listed).get("sha256") if isinstance(listed, dict) else None
    return given if isinstance(given, str) and re.fullmatch("[0-9a-f]{64}", given) else "none"


def _find_other(record: Dict[str, Any], wanted: _Wanted) -> Optional[str]:
    """What a record says otherwise than the lock, which was computed from the bytes that came; None if that is nothing."""
    if (record.get("full_name"), record.get("version")) != (wanted.name, wanted.version):
        return "its name or version"
    if record.get("content_sha256") != wanted.sha256 or _sha256(str(record.get("content"))) != wanted.sha256:
        return "its content"
    locked = wanted.locked
    if locked is None:
        return None
    details = details_of([read_variable(each) for each in as_list(record["variables"])], record["parameters"])
    if canonical_json(details) != canonical_json(locked.details):
        return "its variables or parameters"
    for place in locked.places:
        if place.files and _digest_files(record, place.path.split("/")[-1], locked.keeps_permissions) != dict(place.files):
            return f"the files in {place.path}"
    return None


def _digest_files(record: Dict[str, Any], folder: str, is_granting: bool) -> Dict[str, Any]:
    """The digest of each file of a skill, in a folder of this name. `is_granting` is whether its SKILL.md grants the tools
    that it asks for."""
    written = write_skill(record).encode()
    tools = read_tools(record["skill"]) if is_granting else ()
    skill = grant_tools(written, tools) if tools else written
    if skill is not None and folder != record["full_name"].split("/")[-1]:
        skill = rename_skill(skill, folder)
    others = {each["path"]: each["sha256"] for each in map(as_dict, as_list(record["files"]))}
    return {**others, SKILL: digest_of(skill or b"")}


def _digest_manifest(record: Dict[str, Any]) -> str:
    """The SHA-256 of the manifest. docs/contract.md section 7"""
    keys = ("content_sha256", "format", "variables", "parameters")
    manifest = {key: record[key] for key in keys if key in record}
    manifest["skill"] = record.get("skill")
    files = [as_dict(each) for each in as_list(record.get("files", []))]
    manifest["files"] = [{key: each[key] for key in ("path", "size_bytes", "sha256")} for each in files]
    return _sha256(canonical_json(manifest))


def _sha256(text: str) -> str:
    return digest_of(text.encode("utf-8", "surrogatepass"))


def canonical_json(value: object) -> str:
    """Canonical JSON: RFC 8785."""
    if isinstance(value, dict):
        data = cast(Dict[str, object], value)
        keys = sorted(data, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{canonical_json(data[key])}" for key in keys) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical_json, cast(Sequence[object], value))) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return spell(value) or "null"
    return json.dumps(value, ensure_ascii=False)


def _judge(signed: Signed, publisher: Publisher, wanted: _Wanted, manifest: str, has_files: bool) -> None:
    """Raises NotVerified if an attestation does not prove what the lock has."""
    config = signed.claims.get(_WORKFLOW_CLAIM, "")
    said = signed.claims.get(_ISSUER_CLAIM), signed.claims.get(_REPOSITORY_CLAIM), config.split("@")[0]
    if said != (_ISSUER, _ORIGIN + publisher.repository, _ORIGIN + publisher.workflow):
        raise NotVerified(f"{config or 'somebody else'} signed it, and not {publisher.workflow}")
    event = signed.claims.get(_EVENT_CLAIM, "nothing")
    if event not in _EVENTS:
        raise NotVerified(f"its job was triggered by {event}, and not by {', '.join(_EVENTS)}")
    if signed.statement.get("predicateType") not in _PREDICATES:
        raise NotVerified("it is no build provenance")
    try:
        subjects = [as_dict(each) for each in as_list(signed.statement.get("subject"))]
        about = [(each.get("name"), as_dict(each.get("digest")).get("sha256")) for each in subjects]
    except TypeError:
        about = []
    # That of a skill with files is the digest of its archive; the manifest has that of each file.
    if not any(name == wanted.name and (has_files or digest == wanted.sha256) for name, digest in about):
        raise NotVerified(f"it is not about {wanted.name} with the SHA-256 {wanted.sha256}")
    if (f"{wanted.name}#manifest", manifest) not in about:
        proves = "nothing proves its variables, parameters and files"
        raise NotVerified(f"it is not about {wanted.name}#manifest with the SHA-256 {manifest}, so {proves}")
