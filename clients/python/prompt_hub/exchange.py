"""Sends one request, within a time that no server can extend; follows redirects by the same rule as hubcli."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import http.client
import re
import socket
import string
import threading
import urllib.parse
import urllib.request
from typing import IO, Any, Callable, List, Mapping, Optional, Tuple, TypeVar, cast

from .trouble import PromptHubError

_MAX_REDIRECTS = 3
# Also covers unusual forms such as 2130706433, 0x7f.1 and ::ffff:127.0.0.1.
_MAY_BE_LOOPBACK = re.compile(r"(?:0|127\.|:|localhost).*|.*\.localhost\.?|[0-9]+")
_LOOPBACK = re.compile(r"localhost|::1|127\.[0-9.]+")

Connections = List[http.client.HTTPConnection]
"""The connections of one request and its redirects."""
_Reply = TypeVar("_Reply")


def within(seconds: float, work: Callable[[Connections], _Reply]) -> _Reply:
    """Runs `work` in a thread, because no timeout applies to the lookup of a name, and a socket's own timeout restarts
    with each byte. At the end of the time, the connections that it has opened are cut.

    Raises what `work` raises, and concurrent.futures.TimeoutError.
    """
    connections: Connections = []
    done: "concurrent.futures.Future[_Reply]" = concurrent.futures.Future()

    def run() -> None:
        try:
            done.set_result(work(connections))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return done.result(seconds)
    except concurrent.futures.TimeoutError:
        for connection in connections:
            with contextlib.suppress(AttributeError, OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)
        raise


def open_url(
    url: str, headers: Mapping[str, str], connections: Connections, timeout: float, method: str = "GET", data: Optional[bytes] = None
) -> http.client.HTTPResponse:
    """Requests a URL; `connections` gets each connection, and `timeout` applies to every wait.

    Raises urllib.error.HTTPError for a response that is not 2xx, PromptHubError `unavailable` for a forbidden redirect,
    and the exceptions of sockets.
    """
    request = _Request(url, data=data, headers=dict(headers), method=method)
    request.connections = connections
    return cast(http.client.HTTPResponse, _opener().open(request, timeout=timeout))


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
    connections: Connections
    hops = 0


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
        earlier = cast(_Request, req)
        if req.get_method() != "GET":
            message = f"{req.full_url} redirects to {target}, which is not followed, because it is no read."
            raise PromptHubError("unavailable", message, status=code)
        if not place or earlier.hops >= _MAX_REDIRECTS or not may_follow(req.full_url, target):
            message = f"{req.full_url} redirects to {target if place else 'nowhere'}, which is not followed."
            raise PromptHubError("unavailable", message, status=code)
        request = _Request(target, headers=kept)
        request.hops, request.connections = earlier.hops + 1, earlier.connections
        return self.parent.open(request, timeout=req.timeout)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_noted(http.client.HTTPConnection, req), req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_noted(http.client.HTTPSConnection, req), req)


def _noted(kind: Any, req: urllib.request.Request) -> Any:
    """Creates connections of this kind, and notes each of them."""

    def create(host: str, **options: Any) -> Any:
        cast(_Request, req).connections.append(kind(host, **options))
        return cast(_Request, req).connections[-1]

    return create
