"""Reads the files of Agent Skills from a hub, each verified with its digest."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from typing import List, Tuple

from .prompt import Prompt
from .requests import RequestSettings, ask_bytes
from .skills import SKILL, SkillFile, find_content
from .trouble import PromptHubError
from .vendored import digest_of

# Requests at the same time.
_AT_ONCE = 8


class SkillReader:
    """The files of skills on a hub."""

    def __init__(self, url: str, settings: RequestSettings) -> None:
        """`url` is the hub's URL, without a trailing slash."""
        self._url = url
        self._settings = settings

    def read_file(self, name: str, version: str, file: SkillFile) -> bytes:
        """Reads a file. Raises PromptHubError `integrity` if the hub has other bytes, and the errors of a request."""
        # Every mirror has the static file; before the next build, only the hub itself has it.
        blob = f"{self._url}/data/v1/repos/{name}/blobs/{file.sha256}.bin"
        data = ask_bytes(self._settings, blob, f"{self._url}/api/v1/repos/{name}/versions/{version}/files/{file.path}")
        if digest_of(data) != file.sha256:
            raise PromptHubError("integrity", f"{name}@{version}: {file.path} has other bytes than its SHA-256 says.")
        return data

    def read_skill(self, prompt: Prompt) -> List[Tuple[SkillFile, bytes]]:
        """Reads all files of a skill, with its SKILL.md, whose content is that of the prompt. Raises PromptHubError
        `not_found` if it is not a skill, and like `read_file`."""
        name, version = prompt.name, prompt.version or ""
        static = f"{self._url}/data/v1/repos/{name}/skills/{version}.md"
        try:
            skill = ask_bytes(self._settings, static, f"{self._url}/{name}/v/{version}/{SKILL}")
        except PromptHubError as error:
            if error.code != "not_found":
                raise
            message = f"{name} {version} is not an Agent Skill; nothing was changed"
            raise PromptHubError("not_found", message) from error
        if find_content(skill, prompt.sha256 or "") is None:
            raise PromptHubError("integrity", f"{name} {version}: {SKILL} has other bytes than its SHA-256 says.")
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            others = list(pool.map(functools.partial(self.read_file, name, version), prompt.files))
        return sorted([(SkillFile(SKILL, digest_of(skill)), skill), *zip(prompt.files, others)])
