"""Verifies a record against its own digest."""

from __future__ import annotations

import hashlib

from .records import VersionRecord
from .trouble import PromptHubError


def require_record(record: VersionRecord) -> VersionRecord:
    """Returns the record; raises PromptHubError `integrity` when its content does not match its own SHA-256."""
    try:
        digest = hashlib.sha256(record.content.encode("utf-8")).hexdigest()
    except UnicodeEncodeError:
        digest = ""
    if digest != record.content_sha256:
        what = f"{record.full_name}@{record.version}"
        raise PromptHubError("integrity", f"{what} has other bytes than its SHA-256 says.")
    return record
