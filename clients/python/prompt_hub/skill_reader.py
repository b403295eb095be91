"""Reads the files of Agent Skills from a hub, each verified with its digest."""

from __future__ import annotations

import functools

from .requests import RequestSettings, ask_bytes
from .skills import SkillFile
from .source import read_first
from .trouble import PromptHubError
from .vendored import digest_of


def read_skill_file(url: str, settings: RequestSettings, name: str, version: str, file: SkillFile) -> bytes:
    """Reads a file of a skill; `url` is the hub's URL, without a trailing slash. Raises PromptHubError `integrity` if the
    hub has other bytes, and the errors of a request."""
    # Every mirror has the static file; before the next build, only the hub itself has it.
    static = f"{url}/data/v1/repos/{name}/blobs/{file.sha256}.bin"
    other = f"{url}/api/v1/repos/{name}/versions/{version}/files/{file.path}"
    data = read_first(functools.partial(ask_bytes, settings), static, other)
    if digest_of(data) != file.sha256:
        raise PromptHubError("integrity", f"{name}@{version}: {file.path} has other bytes than its SHA-256 says.")
    return data
