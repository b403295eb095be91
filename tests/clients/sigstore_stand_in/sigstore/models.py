"""Bundles and roots."""

import json


class Bundle(dict):
    @classmethod
    def from_json(cls, raw):
        return cls(json.loads(raw))


class TrustedRoot:
    @classmethod
    def from_file(cls, path):
        with open(path, encoding="utf-8") as file:
            json.load(file)
        return cls()
