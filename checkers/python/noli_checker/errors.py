"""Errors of the check, by the codes of docs/certificates.md, section 10."""

UNREADABLE = {"E-CBOR", "E-VERSION", "E-MISSING"}


class CheckError(Exception):
    """A statement that is not proven, or a file that cannot be read."""

    def __init__(self, code, message, item=None):
        super().__init__(message)
        self.code, self.message, self.item = code, message, item

    def __reduce__(self):
        return CheckError, (self.code, self.message, self.item)

    def verdict(self):
        return "unreadable" if self.code in UNREADABLE else "invalid"


def require(condition, code, message):
    if not condition:
        raise CheckError(code, message)
