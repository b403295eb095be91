"""Sends one request and reads its response until a deadline that no server can extend; follows redirects by the same
rule as hubcli."""

from __future__ import annotations

import concurrent.futures
import functools
import http.client
import io
import re
import socket
import string
import threading
import time
import urllib.parse
import urllib.request
from typing import IO, Any, List, Mapping, Optional, Tuple, cast

from .trouble import PromptHubError

_MAX_REDIRECTS = 3
# Also covers unusual forms such as 2130706433, 0x7f.1 and ::ffff:127.0.0.1.
_MAY_BE_LOOPBACK = re.compile(r"(?:0|127\.|:|localhost).*|.*\.localhost\.?|[0-9]+")
_LOOPBACK = re.compile(r"localhost|::1|127\.[0-9.]+")


def open_until(
    url: str, headers: Mapping[str, str], ends_at: float, method: str = "GET", data: Optional[bytes] = None
) -> http.client.HTTPResponse:
    """Requests a URL; `ends_at` is a time of `time.monotonic()`, after which every read of the response fails.

    Raises urllib.error.HTTPError for a response that is not 2xx, PromptHubError `unavailable` for a forbidden redirect,
    and the exceptions of sockets.
    """
    request = _Request(url, data=data, headers=dict(headers), method=method)
    request.ends_at = ends_at
    return cast(http.client.HTTPResponse, _opener().open(request, timeout=_remaining(ends_at)))


def may_follow(here: str, there: str) -> bool:
    """Whether a response from one URL may redirect to another: never from https to http, nor from elsewhere to this
    machine."""
    try:
        source, target = urllib.parse.urlsplit(here), urllib.parse.urlsplit(there)
        source_host, target_host = source.hostname or "", target.hostname or ""
    except ValueError:
        return False
    if target.scheme not in ("http", "https") or "@" in target.netloc or not target_host:
        return False
    if source.scheme == "https" and target.scheme == "http":
        return False
    if _LOOPBACK.fullmatch(source_host):
        return target.scheme == "https" or _LOOPBACK.fullmatch(target_host) is not None
    return _MAY_BE_LOOPBACK.fullmatch(target_host) is None


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    return _LOOPBACK.fullmatch(host) is not None


def origin_of(url: str) -> Optional[Tuple[str, str, Optional[int]]]:
    """The scheme, host and port of a URL, or None."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
        return (parts.scheme, parts.hostname, port) if parts.hostname else None
    except ValueError:
        return None


class _Request(urllib.request.Request):
    ends_at = 0.0
    hops = 0


def _remaining(ends_at: float) -> float:
    return max(0.001, ends_at - time.monotonic())


@functools.lru_cache(maxsize=None)
def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_Proxies, _HttpHandler, _HttpsHandler, _Redirects)


class _Proxies(urllib.request.ProxyHandler):
    def proxy_open(self, req: urllib.request.Request, proxy: str, type: str) -> Any:
        # A request to this machine may carry a token in plain text, which a proxy on the network could read.
        return None if is_loopback(urllib.parse.urlsplit(req.full_url).hostname or "") else super().proxy_open(req, proxy, type)


class _Redirects(urllib.request.HTTPRedirectHandler):
    def http_error_302(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any) -> Any:
        fp.close()
        place: str = headers.get("Location") or ""
        target = urllib.parse.quote(urllib.parse.urljoin(req.full_url, place), safe=string.punctuation)
        kept = req.headers
        if req.get_method() == "GET" and origin_of(req.full_url) != origin_of(target):
            kept = {name: value for name, value in kept.items() if name != "Authorization"}
        hops, ends_at = cast(_Request, req).hops, cast(_Request, req).ends_at
        if req.get_method() != "GET" and req.has_header("Authorization"):
            raise PromptHubError("unavailable", f"{req.full_url} redirects; redirects are not followed with a token.", status=code)
        if not place or hops >= _MAX_REDIRECTS or not may_follow(req.full_url, target):
            message = f"{req.full_url} redirects to {target if place else 'nowhere'}, which is not followed."
            raise PromptHubError("unavailable", message, status=code)
        request = _Request(target, headers=kept)
        request.hops, request.ends_at = hops + 1, ends_at
        return self.parent.open(request, timeout=_remaining(ends_at))

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_limited(http.client.HTTPConnection, req), req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_limited(http.client.HTTPSConnection, req), req)


def _limited(kind: Any, req: urllib.request.Request) -> Any:
    """Creates connections of this kind on which every wait ends at the request's deadline."""
    ends_at = cast(_Request, req).ends_at

    def create(host: str, **options: Any) -> Any:
        connection = kind(host, **options)
        connection.response_class = functools.partial(_Response, ends_at=ends_at)
        # http.client opens its socket through this attribute, so that a proxy's is limited too.
        connection._create_connection = functools.partial(_connect, ends_at=ends_at)
        return connection

    return create


def _connect(address: Tuple[str, int], *_: object, ends_at: float) -> socket.socket:
    failure: OSError = OSError(f"no IP address found for {address[0]}")
    for family, kind, protocol, place in _resolve(*address, ends_at):
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(_remaining(ends_at))
            connection.connect(place)
            return connection
        except OSError as error:
            connection.close()
            failure = error
    raise failure


def _resolve(host: str, port: int, ends_at: float) -> List[Tuple[int, int, int, Any]]:
    """Looks up a name in a thread, because no timeout applies to the system's resolver."""
    found: "concurrent.futures.Future[List[Tuple[int, int, int, Any]]]" = concurrent.futures.Future()

    def look() -> None:
        try:
            rows = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)
            found.set_result([(family, kind, protocol, place) for family, kind, protocol, _, place in rows])
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=look, daemon=True).start()
    try:
        return found.result(_remaining(ends_at))
    except concurrent.futures.TimeoutError:
        raise OSError(f"{host}: the name lookup timed out") from None


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *given: Any, ends_at: float, **more: Any) -> None:
        super().__init__(sock, *given, **more)
        self.fp: Any = io.BufferedReader(cast(io.RawIOBase, _DeadlineReader(cast(io.BufferedReader, self.fp).detach(), sock, ends_at)))


class _DeadlineReader(io.RawIOBase):
    """Reads a socket until a deadline. The socket's own timeout restarts with each byte, so a slow response would never
    end."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, ends_at: float) -> None:
        self._raw = raw
        self._socket = sock
        self._ends_at = ends_at

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        remaining = self._ends_at - time.monotonic()
        if remaining <= 0:
            raise OSError("timed out")
        self._socket.settimeout(remaining)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
