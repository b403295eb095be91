"""Sends HTTP requests to the hub: timeouts, retries, and the meaning of each kind of response."""

from __future__ import annotations

import concurrent.futures
import email.utils
import http.client
import json
import random
import socket
import time
import urllib.error
import zlib
from dataclasses import dataclass
from typing import Callable, Dict, NamedTuple, Optional

from .address import USER_AGENT
from .exchange import Connections, open_url, origin_of, within
from .read_token import has_asked, note_asked
from .trouble import PromptHubError

_MAX_BYTES = 12_582_912
_TOO_LONG = " What is in front of the hub takes no request of this size: publish with a pull request, or raise the limit there."
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 4.0


@dataclass(frozen=True)
class RequestSettings:
    """Options of requests; times in seconds."""

    timeout: float = 5.0
    """Timeout of one attempt."""
    retries: int = 2
    """Number of retries."""
    deadline: float = 15.0
    """Time limit of all attempts, including the pauses between them."""
    token: Optional[str] = None
    """The token for reads, sent only once the hub has asked for one."""
    on_timeout: Optional[Callable[[PromptHubError], None]] = None
    """Called when an attempt ended without a response, before the next one."""


@dataclass(frozen=True)
class NewText:
    """A new response."""

    text: str
    etag: Optional[str]


@dataclass(frozen=True)
class Write:
    """A change to send. Repeating a change has no further effect, so it may be retried."""

    method: str
    token: Optional[str]
    """None for a request that needs none; a private hub then gets the token for reads."""
    body: Optional[bytes]
    media_type: str = "application/json"
    key: Optional[str] = None
    """The Idempotency-Key of a publish."""


class Response(NamedTuple):
    """A response of any type."""

    data: bytes
    headers: http.client.HTTPMessage


class _Trouble(Exception):
    def __init__(self, error: PromptHubError, wait: Optional[float], is_timeout: bool = False) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait
        self.is_timeout = is_timeout


def ask(url: str, etag: Optional[str], settings: RequestSettings, write: Optional[Write] = None) -> Optional[NewText]:
    """Sends a request; `etag` makes it conditional, `write` sends a change instead of reading. None if the cached response
    is unchanged.

    Raises PromptHubError `not_found` or `refused` according to the hub's response, `unavailable` if all attempts
    failed.
    """
    reply = _ask(url, etag, settings, write)
    try:
        return None if reply is None else NewText(reply.data.decode("utf-8"), reply.headers.get("ETag"))
    except UnicodeDecodeError as error:
        raise PromptHubError("unavailable", f"{url} did not return text in UTF-8.") from error


def ask_bytes(settings: RequestSettings, url: str) -> bytes:
    """Reads a response of any type. Raises PromptHubError like `ask`."""
    return ask_whole(settings, url).data


def ask_whole(settings: RequestSettings, url: str, write: Optional[Write] = None) -> Response:
    """Sends a request, and returns the response with its headers. Raises PromptHubError like `ask`."""
    reply = _ask(url, None, settings, write)
    if reply is None:
        raise PromptHubError("unavailable", f"{url} did not return a file.")
    return reply


_Reply = Optional[Response]
"""None if the cached response is unchanged."""


def _ask(url: str, etag: Optional[str], settings: RequestSettings, write: Optional[Write]) -> _Reply:
    ends_at = time.monotonic() + settings.deadline
    tries = 0
    while True:
        try:
            timeout = max(0.001, min(settings.timeout, ends_at - time.monotonic()))
            return _try_once(url, etag, write, timeout, None if write and write.token else settings.token)
        except _Trouble as trouble:
            if settings.on_timeout is not None and trouble.is_timeout:
                settings.on_timeout(trouble.error)
            # The pause is random, so that programs affected by the same outage do not all retry at the
            # same moment. https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
            pause = trouble.wait
            if pause is None:
                pause = random.random() * min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**tries)
            # A hub that says when the next request may come is not down: waiting for that is no retry. A shorter wait
            # would ask it over and over.
            told = trouble.error.status == 429 and pause >= 1.0
            if (tries >= settings.retries and not told) or time.monotonic() + pause >= ends_at:
                raise trouble.error from trouble.__cause__
            time.sleep(pause)
            tries += 0 if told else 1


def _try_once(url: str, etag: Optional[str], write: Optional[Write], timeout: float, token: Optional[str]) -> _Reply:
    ends_at = time.monotonic() + timeout
    try:
        return within(timeout, lambda connections: _exchange(url, etag, write, token, ends_at, connections))
    except concurrent.futures.TimeoutError as error:
        raise _Trouble(PromptHubError("unavailable", f"{url} did not respond within {timeout:.1f} s."), None, True) from error


def _exchange(
    url: str, etag: Optional[str], write: Optional[Write], token: Optional[str], ends_at: float, connections: Connections
) -> _Reply:
    headers = {"Accept": "application/json, text/plain, */*;q=0.1", "User-Agent": USER_AGENT}
    if etag is not None:
        headers["If-None-Match"] = etag
    is_sent = token is not None and has_asked(url)
    if is_sent:
        headers["Authorization"] = f"Bearer {token}"
    method, body = (write.method, write.body) if write else ("GET", None)
    if write:
        if write.token is not None:
            headers["Authorization"] = f"Bearer {write.token}"
        if write.body is not None:
            headers["Content-Type"] = write.media_type
        if write.key is not None:
            headers["Idempotency-Key"] = write.key
    try:
        wait = max(0.001, ends_at - time.monotonic())
        with open_url(url, headers, connections, wait, method, body) as response:
            return Response(_read_bounded(response, url, ends_at), response.headers)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 304:
                return None
            # A redirect's other host never gets the token.
            is_asked = error.code == 401 and token is not None and not is_sent and origin_of(error.url) == origin_of(url)
            if not is_asked:
                raise _trouble_of(error, url) from None
    except (OSError, http.client.HTTPException) as error:
        is_timeout = isinstance(getattr(error, "reason", error), socket.timeout)
        raise _Trouble(PromptHubError("unavailable", f"{url} did not respond: {error}"), None, is_timeout) from error
    note_asked(url)
    return _exchange(url, etag, write, token, ends_at, connections)


def _read_bounded(response: http.client.HTTPResponse, url: str, ends_at: float) -> bytes:
    chunks = bytearray()
    while True:
        chunk = response.read1(65_536)
        if not chunk:
            break
        chunks += chunk
        if time.monotonic() > ends_at:
            raise socket.timeout("timed out")
        if len(chunks) > _MAX_BYTES:
            raise PromptHubError("unavailable", f"{url} returned more than {_MAX_BYTES} bytes, which is too large for a prompt.")
    if response.length:
        raise _Trouble(PromptHubError("unavailable", f"{url} closed the connection before the end of the response."), None)
    encoding = (response.headers.get("Content-Encoding") or "").lower()
    return _gunzip(chunks, url) if encoding in ("gzip", "x-gzip") else bytes(chunks)


def _gunzip(data: bytearray, url: str) -> bytes:
    """Decompresses a response, because a proxy may compress it although nobody asked for that."""
    try:
        text = zlib.decompressobj(31).decompress(data, _MAX_BYTES + 1)
    except zlib.error as error:
        message = f"{url} sent a compressed response that cannot be read; check the proxy before it."
        raise _Trouble(PromptHubError("unavailable", message), None) from error
    if len(text) > _MAX_BYTES:
        raise PromptHubError("unavailable", f"{url} returned more than {_MAX_BYTES} bytes, which is too large for a prompt.")
    return text


def _trouble_of(error: urllib.error.HTTPError, url: str) -> Exception:
    said = _message_of(error) or f"{url} returned status {error.code}.{_TOO_LONG if error.code == 413 else ''}"
    if error.code == 404:
        return PromptHubError("not_found", said, status=404)
    if error.code < 500 and error.code != 429:
        return PromptHubError("refused", said, status=error.code)
    return _Trouble(PromptHubError("unavailable", said, status=error.code), _retry_after(error.headers.get("Retry-After")))


def _message_of(error: urllib.error.HTTPError) -> Optional[str]:
    """The message of a hub's error."""
    try:
        answer: Dict[str, Dict[str, object]] = json.loads(error.read(65_536))
        message = answer["error"]["message"]
        return message if isinstance(message, str) else None
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException, RecursionError):
        return None


def _retry_after(text: Optional[str]) -> Optional[float]:
    """Parses Retry-After into seconds; it is a number of seconds or a date. RFC 9110 section 10.2.3."""
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= 6:
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
