"""The library for asyncio programs: each call runs in a thread, so that the event loop is not blocked."""

from __future__ import annotations

import asyncio
from typing import Callable, List, Optional, Sequence, Tuple, TypeVar

from .arguments import NOT_GIVEN
from .hub import PromptHub
from .prompt import Prompt
from .records import VersionRow
from .results import SuiteResult
from .standing import Event

Value = TypeVar("Value")


class AsyncPromptHub:
    """A hub to get prompts from; takes the same arguments as `PromptHub` and returns the same results."""

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        token: Optional[str] = None,
        lock: Optional[str] = None,
        cache_dir: Optional[str] = None,
        timeout: float = 5.0,
        retries: int = 2,
        deadline: float = 15.0,
        fresh: float = 60.0,
        revalidate: Optional[float] = 600.0,
        on_event: Optional[Callable[[Event], None]] = None,
    ) -> None:
        self._hub = PromptHub(
            url,
            token=token,
            lock=lock,
            cache_dir=cache_dir,
            timeout=timeout,
            retries=retries,
            deadline=deadline,
            fresh=fresh,
            revalidate=revalidate,
            on_event=on_event,
        )
        self.url = self._hub.url

    async def get(
        self,
        name: str,
        *,
        version: Optional[str] = None,
        range: Optional[str] = None,
        label: Optional[str] = None,
        key: Optional[str] = None,
        fallback: Optional[str] = None,
        fresh: Optional[float] = None,
        revalidate: Optional[float] = NOT_GIVEN,
        deadline: Optional[float] = None,
    ) -> Prompt:
        """As `PromptHub.get`."""
        return await asyncio.to_thread(
            self._hub.get,
            name,
            version=version,
            range=range,
            label=label,
            key=key,
            fallback=fallback,
            fresh=fresh,
            revalidate=revalidate,
            deadline=deadline,
        )

    async def file(self, prompt: Prompt, path: str) -> bytes:
        """As `Prompt.file`."""
        return await asyncio.to_thread(prompt.file, path)

    async def results(self, prompt: Prompt) -> Tuple[SuiteResult, ...]:
        """As `Prompt.results`."""
        return await asyncio.to_thread(prompt.results)

    async def all(self, owner: str, label: str) -> List[Prompt]:
        """As `PromptHub.all`."""
        return await asyncio.to_thread(self._hub.all, owner, label)

    async def list_versions(self, name: str) -> Sequence[VersionRow]:
        """As `PromptHub.list_versions`."""
        return await asyncio.to_thread(self._hub.list_versions, name)

    async def close(self) -> None:
        """As `PromptHub.close`. An `async with` block calls it."""
        self._hub.close()

    async def __aenter__(self) -> "AsyncPromptHub":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
