"""The URL of the hub that this library was downloaded from."""

HUB_URL = "http://localhost:8888"
"""The hub's URL, without a trailing slash. Each hub inserts its own here."""

USER_AGENT = "prompt-hub-python/1.0.0"
"""The User-Agent header of every request."""
