"""Checks certificates of collision queries, by docs/certificates.md alone. Needs the standard library only."""

from .check import check_bytes, check_file

__all__ = ["check_bytes", "check_file"]
