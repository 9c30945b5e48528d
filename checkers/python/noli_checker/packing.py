"""Gzip (RFC 1952): one member from the first byte of a file to the last."""

import zlib

from .errors import CheckError, require

CONTENT_BYTES = 1 << 31
NAMED = 8


def unpacked(data):
    """The content of a packed file; a file that is not packed is returned as it is."""
    if data[:2] != b"\x1f\x8b":
        return data
    require(len(data) >= 10, "E-CBOR", "the file is truncated")
    require(data[2] == 8 and data[3] in (0, NAMED), "E-CBOR", "the file is packed in an unknown way")
    start = 10
    if data[3] == NAMED:
        start = data.find(b"\0", 10) + 1
        require(start, "E-CBOR", "the name of the packed file has no end")
    blocks = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = blocks.decompress(data[start:], CONTENT_BYTES + 1)
    except zlib.error:
        raise CheckError("E-CBOR", "the file is no whole gzip file") from None
    require(len(content) <= CONTENT_BYTES, "E-LIMIT", "the content of the file has more than 2^31 bytes")
    ends = zlib.crc32(content).to_bytes(4, "little") + len(content).to_bytes(4, "little")
    require(blocks.eof and blocks.unused_data == ends, "E-CBOR", "the checksum is wrong, or not the end of the file")
    return content
