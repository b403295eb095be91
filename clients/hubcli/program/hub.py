"""Asks the hub, and says what it answers."""

import json
import os
import re
import secrets
import urllib.parse

from program.main import invalid
from prompt_hub.address import HUB_URL
from prompt_hub.exchange import is_loopback, origin_of
from prompt_hub.lock import require_hub_url
from prompt_hub.read_token import read_token_for, require_token
from prompt_hub.requests import RequestSettings, Write, ask_whole
from prompt_hub.trouble import PromptHubError

MAX_PAGES = 10


class Hub:
    """A hub: by default that of HUB_URL, otherwise the one that the program was downloaded from."""

    def __init__(self, url=None):
        self.url = _require_url(os.environ.get("HUB_URL") or url or HUB_URL)
        token = _find_token(self.url)
        # A hub may ask to wait for a minute. A publish may wait for others.
        self._reading, self._writing = RequestSettings(20.0, 2, 120.0, token), RequestSettings(60.0, 2, 180.0, token)
        self._failure = None
        self.token = None

    def take_token(self):
        """Takes the token that changes need, before anything is sent."""
        token = os.environ.get("HUB_TOKEN")
        if not token:
            raise invalid(f"no token: create one at {self.url}/settings and set HUB_TOKEN")
        _check_token(token, self.url)
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme != "https" and not is_loopback(parts.hostname or "") and os.environ.get("HUB_ALLOW_HTTP") != "1":
            advice = "set HUB_ALLOW_HTTP=1 to send it anyway"
            raise invalid(f"{self.url} is plain http: anyone on the network could read the token and publish with it; {advice}")
        self.token = token

    def read(self, place):
        """The response of a path on the hub."""
        return self._ask(place, None)

    def read_json(self, place):
        """The object at a path of the API or of the static files."""
        return self._parse(self.read(place))

    def send(self, method, place, body=None, media_type="application/json", token=None, key=False):
        """Sends bytes, or an object as JSON; returns the response's text and its object."""
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        write = Write(method, token, data, media_type, f"hubcli-{secrets.token_hex(16)}" if key else None)
        answer = self._ask(place, write)
        return answer.data.decode("utf-8", "replace"), self._parse(answer)

    def ask_url(self, url):
        """The bytes at a URL of this hub."""
        return self._ask(url[len(self.url) :], None).data

    def _ask(self, place, write):
        # A command may try another address, but not wait again for a hub that did not respond.
        if self._failure is not None:
            raise self._failure
        try:
            return ask_whole(self._writing if write else self._reading, self.url + place, write)
        except PromptHubError as error:
            explained = PromptHubError(error.code, self._explain(error), status=error.status)
            if error.code == "unavailable" and error.status is None:
                self._failure = explained
            raise explained from None

    def _explain(self, error):
        token = os.environ.get("HUB_TOKEN")
        if error.status == 401 and token:
            _check_token(token, self.url)
        message = in_commands(str(error))
        if error.status is None:
            return message
        if is_silent(error):
            return f"{self.url} answered without a message; is it a Prompt Hub?"
        if error.status == 401 and token and not os.environ.get("HUB_URL") and origin_of(self.url) != origin_of(HUB_URL):
            message += f" The token is not sent to {self.url}, which only the lock names; to send it, set HUB_URL={self.url}"
        return message

    def _parse(self, response):
        try:
            answer = json.loads(response.data)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            media_type = response.headers.get("Content-Type") or "no media type"
            said = f"answered with {media_type} where application/json was expected"
            said = "did not return a list or a record" if media_type.startswith("application/json") else said
            raise PromptHubError("unavailable", f"{self.url} {said}; is it a Prompt Hub?")
        return answer


def _require_url(url):
    try:
        return require_hub_url(url)
    except PromptHubError:
        raise invalid(f"HUB_URL: expected https://... or http://..., without ? and #, got {url}") from None


def _find_token(url):
    try:
        return read_token_for(url)
    except PromptHubError:
        # A read needs none, unless the hub asks for it.
        return None


def _check_token(token, hub):
    try:
        require_token(token, hub)
    except PromptHubError:
        raise invalid("HUB_TOKEN contains an invalid character; check for spaces, quotes and line breaks") from None


def is_silent(error):
    """Whether a response had no message, such as that of a mirror."""
    return re.search(r" returned status \d+\.$|answered without a message", str(error)) is not None


def may_be_mirror(error):
    """Whether a request of the API may have failed because this is a static mirror, which has files alone."""
    return error.code in ("not_found", "unavailable") and (error.status or 404) == 404


def in_commands(message):
    """Replaces the paths of the API that a hub names for programs by commands."""
    message = re.sub(r"Search with /api/v1/repos\?q=.*", 'Search with: hubcli search "<text>"', message)
    return re.sub(r"Its versions are[ a-z]* at /api/v1/repos/([a-z0-9-]*/[a-z0-9-]*)/versions.*", r"See: hubcli versions \1", message)
