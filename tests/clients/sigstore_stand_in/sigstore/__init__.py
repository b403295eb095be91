"""Stands in for the package sigstore of PyPI: it has its interface and reads certificates, and verifies no signature but one of two bytes."""

__version__ = "4.0.0"
