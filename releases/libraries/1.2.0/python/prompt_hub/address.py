"""The address of the hub that these files were downloaded from."""

HUB_URL = "http://localhost:8888"
"""The hub's own address, without a final slash; each hub inserts its own here."""

USER_AGENT = "prompt-hub-python/1.2.0"
"""Sent with every request, for the hub's logs."""
