"""Verifies Sigstore bundles with the library `sigstore` (4 or newer), where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from typing import Any, Dict, List, NamedTuple, Optional

from .trouble import PromptHubError
from .variable import as_dict

_IN_TOTO = "application/vnd.in-toto+json"
# A certificate's extensions, below this number: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md
_FULCIO = "1.3.6.1.4.1.57264.1."
_DER_UTF8 = 0x0C
# The oldest version of the library whose interface is the one used here.
_OLDEST = 4
_WAY_OUT = f"Install version {_OLDEST} or newer: pip install 'sigstore>={_OLDEST}'"


class Signed(NamedTuple):
    """What a verified bundle says."""

    statement: Dict[str, Any]
    """The in-toto statement."""
    claims: Dict[int, str]
    """The texts of the certificate's extensions, by their number at Fulcio."""


class NotVerified(Exception):
    """A bundle that is refused; the message says why."""


class _Policy:
    """Keeps the texts of a certificate, which are judged once its signature is verified."""

    def __init__(self) -> None:
        self.claims: Dict[int, str] = {}

    def verify(self, cert: Any) -> None:
        for extension in cert.extensions:
            oid: str = extension.oid.dotted_string
            text = _decode_utf8(getattr(extension.value, "value", b""))
            if oid.startswith(_FULCIO) and text is not None and oid[len(_FULCIO) :].isdigit():
                self.claims[int(oid[len(_FULCIO) :])] = text


class Sigstore:
    """Verifies bundles: their certificate, their log entry or timestamp, and their signature."""

    def __init__(self, models: Any, verifiers: List[Any]) -> None:
        self._models = models
        self._verifiers = verifiers

    def verify(self, bundle: bytes) -> Signed:
        """What a bundle says; raises NotVerified."""
        reasons: List[str] = []
        for verifier in self._verifiers:
            policy = _Policy()
            try:
                kind, payload = verifier.verify_dsse(self._models.Bundle.from_json(bundle), policy)
                if kind != _IN_TOTO:
                    raise NotVerified("it has no in-toto statement")
                return Signed(as_dict(json.loads(payload)), policy.claims)
            except Exception as error:  # Whatever a bundle makes the library raise, it is not verified.
                reasons.append(str(error)[:300])
        raise NotVerified("; ".join(dict.fromkeys(reasons)))


def open_sigstore(trusted_root: Optional[str] = None) -> Optional[Sigstore]:
    """Opens the library with the roots to trust; None if it is not installed. They never come from the hub.

    `trusted_root` is a file with roots, as `gh attestation trusted-root` prints them; by default, the library fetches that
    of the public instance. Raises PromptHubError `invalid_request` for a file that cannot be read, and `unavailable` if the
    library cannot be loaded or is too old, or the roots cannot be fetched.
    """
    if not _is_installed():
        return None
    try:
        version = str(getattr(importlib.import_module("sigstore"), "__version__", "unknown"))
        major = version.split(".")[0]
        if not major.isdecimal() or int(major) < _OLDEST:
            raise ImportError(f"its version is {version}")
        models, verify = importlib.import_module("sigstore.models"), importlib.import_module("sigstore.verify")
    except Exception as error:  # Whoever has installed it expects a check.
        raise PromptHubError("unavailable", f"the package sigstore cannot be used: {str(error)[:300]}. {_WAY_OUT}") from error
    if trusted_root is None:
        try:
            return Sigstore(models, [verify.Verifier.production()])
        except Exception as error:
            advice = "Give a file with --trusted-root: gh attestation trusted-root > FILE"
            raise PromptHubError("unavailable", f"Sigstore's trusted root cannot be fetched: {str(error)[:300]}. {advice}") from error
    try:
        return Sigstore(models, [verify.Verifier(trusted_root=root) for root in _read_roots(models, trusted_root)])
    except Exception as error:
        wanted = "--trusted-root: expected what gh attestation trusted-root prints"
        raise PromptHubError("invalid_request", f"{wanted}: {str(error)[:300]}") from error


def _is_installed() -> bool:
    if _find_top() is None and sys.flags.no_site and "site" not in sys.modules:
        # hubcli starts without the packages of this Python, which takes less time.
        import site

        site.main()
        site.addsitedir(site.getusersitepackages())
    return _find_top() is not None


def _find_top() -> Any:
    try:
        return importlib.util.find_spec("sigstore")
    except ValueError:  # It is loaded in a way of its own.
        return sys.modules.get("sigstore")


def _read_roots(models: Any, path: str) -> List[Any]:
    import os
    import tempfile

    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = [line for line in text.split("\n") if line.strip()]
    each = lines if all(line.startswith("{") and line.rstrip().endswith("}") for line in lines) else [text]
    roots: List[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, root in enumerate(each):
            place = os.path.join(folder, f"{number}.json")
            with open(place, "w", encoding="utf-8") as file:
                file.write(root)
            # The library reads a root from a file alone.
            roots.append(models.TrustedRoot.from_file(place))
    return roots


def _decode_utf8(der: bytes) -> Optional[str]:
    """The text in DER; None for anything else, and for a length that does not fit."""
    if len(der) < 2 or der[0] != _DER_UTF8:
        return None
    more = der[1] - 0x80 if der[1] >= 0x80 else 0
    if more > 2:
        return None
    length = int.from_bytes(der[2 : 2 + more], "big") if more else der[1]
    try:
        return der[2 + more :].decode("utf-8") if len(der) == 2 + more + length else None
    except UnicodeDecodeError:
        return None
