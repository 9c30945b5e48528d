"""Files that the numbers of a certificate came from (section 11)."""

import os
import struct

from .errors import CheckError, require
from .numerals import index, number, words
from .shape import canonical, hashed, pack


LOWER = {k: k + 32 for k in range(ord("A"), ord("Z") + 1)}


class Files:
    """A folder of source files, or none."""

    def __init__(self, folder=None):
        self.folder, self.bound = folder, []

    def read(self, source):
        """The bytes of a source, or `None` if there is no such file."""
        path = self.folder and os.path.join(self.folder, source["name"])
        if not path or not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            data = file.read()
        if hashed(data) != source["sha256"]:
            raise CheckError("E-BINDING", f"{source['name']} is another file than the one of the certificate")
        return data

    def triangles(self, sources, shape):
        """The canonical triangles of a mesh shape from its file, or `None`."""
        source = sources[shape["source"]]
        data = self.read(source)
        if data is None:
            return None
        return packed_triangles(source["name"], data, shape.get("scale", [1, 1, 1]))

    def bind(self, model):
        """Compares the files that are there; returns the state of each source."""
        states = ["absent"] * len(model.sources)
        for index, source in enumerate(model.sources):
            if self.read(source) is not None:
                states[index] = "same bytes"
        for index, shape in enumerate(model.described):
            if shape["kind"] != "mesh" or "source" not in shape or states[shape["source"]] == "absent":
                continue
            data = self.triangles(model.sources, shape)
            if data is None:
                states[shape["source"]] = "not bound: this format is not read"
                continue
            same = hashed(data) == shape["sha256"]
            require(same, "E-BINDING", f"the triangles of shape {index} are not those of its file")
            states[shape["source"]] = "bound"
        return [{"name": source["name"], "state": state} for source, state in zip(model.sources, states)]


def packed_triangles(name, data, scale):
    """The canonical triangles of a mesh file as bytes, or `None` if its format is not read."""
    read = read_mesh(name, data)
    return None if read is None else pack(canonical(scaled(read, scale)))


def scaled(triangles, factors):
    factors = [float(x) for x in factors] * 3
    triangles = [tuple(x * f for x, f in zip(t, factors)) for t in triangles]
    if sum(f < 0 for f in factors[:3]) % 2:
        triangles = [t[:3] + t[6:] + t[3:6] for t in triangles]
    return triangles


def read_mesh(name, data):
    """Triangles of nine numbers from an STL or OBJ file; `None` for other formats and polygons."""
    try:
        lower = name.translate(LOWER)
        if lower.endswith(".stl"):
            count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
            return _binary_stl(data, count) if len(data) == 84 + 50 * count else _text_stl(data)
        return _obj(data) if lower.endswith(".obj") else None
    except (ValueError, IndexError, UnicodeDecodeError):
        raise CheckError("E-BINDING", f"{name} cannot be read as a mesh") from None


def _binary_stl(data, count):
    return [struct.unpack_from("<9f", data, 84 + 50 * k + 12) for k in range(count)]


def _text_stl(data):
    found, numbers, at = words(data.decode()), [], 0
    while at < len(found):
        if found[at] == "vertex":
            numbers += [number(found[at + k]) for k in (1, 2, 3)]
            at += 3
        at += 1
    if len(numbers) % 9:
        raise ValueError("vertices are missing")
    return [tuple(numbers[k : k + 9]) for k in range(0, len(numbers), 9)]


def _obj(data):
    points, triangles = [], []
    for line in data.decode().replace("\\\n", " ").split("\n"):
        found = words(line.split("#")[0])
        if found[:1] == ["v"]:
            points.append(tuple(number(found[k]) for k in (1, 2, 3)))
        elif found[:1] == ["f"]:
            if len(found) != 4:
                return None
            corners = [index(word.split("/")[0]) for word in found[1:]]
            if 0 in corners:
                raise ValueError("indices begin with 1")
            triangles.append(sum((points[k - 1 if k > 0 else k] for k in corners), ()))
    return triangles
