"""The header: shapes, links, bodies and statements (sections 2 to 6)."""

from fractions import Fraction

from .errors import CheckError, require
from .shape import LARGEST, Mesh, Primitive, hashed, missing, unpack

FEW, MANY, TRIANGLES = 1 << 16, 1 << 20, 1 << 24
TURN_LIMIT = 64


def is_int(value):
    return type(value) is int


def is_number(value):
    return type(value) in (int, float)


def is_index(value, count):
    return is_int(value) and 0 <= value < count


def is_vector(value, length=3):
    return type(value) is list and len(value) == length and all(map(is_number, value))


def keys(value, place, required, optional=()):
    """A map with these keys; the optional ones are `None` where they are absent."""
    require(type(value) is dict, "E-HEADER", f"{place} is no map")
    unknown = set(value) - set(required) - set(optional)
    require(not unknown, "E-HEADER", f"{place} has the unknown key {min(unknown, default='')!r}")
    lacking = set(required) - set(value)
    require(not lacking, "E-HEADER", f"{place} lacks the key {min(lacking, default='')!r}")
    return value


def typed(value, kind, place):
    require(type(value) is kind, "E-HEADER", f"{place} is of a wrong type")
    return value


def check_magnitudes(value):
    if is_number(value):
        require(abs(value) <= LARGEST, "E-LIMIT", "a number of the header is beyond 2^300")
    elif type(value) is list:
        for entry in value:
            check_magnitudes(entry)
    elif type(value) is dict:
        for entry in value.values():
            check_magnitudes(entry)


class Placement:
    """A translation with a rotation: a rational matrix, or roll, pitch and yaw."""

    def __init__(self, numbers, place):
        right = type(numbers) is list and len(numbers) in (3, 6, 7) and all(map(is_number, numbers))
        require(right, "E-HEADER", f"{place} is no placement of 3, 6 or 7 numbers")
        self.translation = [Fraction(x) for x in numbers[:3]]
        self.angles, self.rotation = None, None
        if len(numbers) == 6:
            self.angles = [Fraction(x) for x in numbers[3:]]
            require(all(abs(x) <= TURN_LIMIT for x in self.angles), "E-LIMIT", f"an angle of {place} is beyond 64")
            if not any(self.angles):
                self.angles = None
        elif len(numbers) == 7:
            require(any(numbers[3:]), "E-HEADER", f"the quaternion of {place} is 0")
            self.rotation = _rotation(*(Fraction(x) for x in numbers[3:]))


def _rotation(x, y, z, w):
    n = x * x + y * y + z * z + w * w
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return [[entry / n for entry in row] for row in rows]


class Joint:
    def __init__(self, value, place):
        keys(value, place, ("kind", "axis", "name"), ("limits", "mimic"))
        require(value["kind"] in ("turn", "slide"), "E-HEADER", f"{place}: the kind is neither turn nor slide")
        typed(value["name"], str, f"the name of {place}")
        axis = value["axis"]
        require(is_vector(axis) and any(axis), "E-HEADER", f"{place}: the axis is no vector, or 0")
        self.name, self.turns, self.axis = value["name"], value["kind"] == "turn", [Fraction(x) for x in axis]
        self.limits = value.get("limits")
        if "limits" in value:
            right = is_vector(self.limits, 2) and self.limits[0] <= self.limits[1]
            require(right, "E-HEADER", f"{place}: the limits are no range")
        self.mimic = value.get("mimic")
        if "mimic" in value:
            right = is_vector(self.mimic) and is_int(self.mimic[0]) and self.mimic[0] >= 0
            require(right, "E-HEADER", f"{place}: the mimic is no joint with multiplier and offset")


class Link:
    def __init__(self, value, index):
        place = f"link {index}"
        self.joint, self.parent, self.origin = None, None, None
        if index == 0:
            keys(value, place, ("name",))
        else:
            keys(value, place, ("name", "parent", "origin"), ("joint",))
            require(is_index(value["parent"], index), "E-HEADER", f"{place}: the parent is no link before it")
            self.parent, self.origin = value["parent"], Placement(value["origin"], place)
            if "joint" in value:
                self.joint = Joint(value["joint"], f"the joint of {place}")
        self.name = typed(value["name"], str, f"the name of {place}")
        self.number = None


class Body:
    def __init__(self, value, index, links, shapes):
        place = f"body {index}"
        keys(value, place, ("name", "link", "shape", "pose"), ("padding",))
        self.name = typed(value["name"], str, f"the name of {place}")
        right = is_index(value["link"], links) and is_index(value["shape"], shapes)
        require(right, "E-HEADER", f"{place}: link or shape is out of range")
        self.link, self.shape, self.pose = value["link"], value["shape"], Placement(value["pose"], place)
        padding = value.get("padding", 0)
        require(is_number(padding) and padding >= 0, "E-HEADER", f"{place}: the padding is no number from 0 on")
        self.padding = Fraction(padding)


class Statement:
    """A claim about pairs of bodies over a region of configurations."""

    def __init__(self, value, index, model):
        place = self.place = f"statement {index}"
        optional = ("title", "clearance", "disabled", "complete")
        keys(value, place, ("claim", "pairs", "region"), optional)
        self.title = typed(value.get("title", ""), str, f"the title of {place}")
        self.claim = value["claim"]
        known = ("separated", "colliding", "inside", "not inside")[: 2 + model.version]
        require(self.claim in known, "E-HEADER", f"{place}: unknown claim")
        clearance = value.get("clearance", 0)
        require(is_number(clearance) and clearance >= 0, "E-HEADER", f"{place}: the clearance is no number from 0 on")
        right = "clearance" not in value or self.claim == "separated"
        require(right, "E-HEADER", f"{place}: only a separated statement has a clearance")
        self.clearance = Fraction(clearance)
        self.pairs = self._pairs(value["pairs"], model)
        self.disabled = self._disabled(value.get("disabled", []), model)
        self._region(value["region"], model)
        if typed(value.get("complete", False), bool, f"`complete` of {place}"):
            self._check_complete(model)

    def _pairs(self, pairs, model):
        require(type(pairs) is list and pairs, "E-HEADER", f"{self.place} has no pairs")
        require(len(pairs) <= MANY, "E-LIMIT", f"{self.place} has more than 2^20 pairs")
        seen = set()
        for pair in pairs:
            right = type(pair) is list and len(pair) == 2 and all(is_index(x, len(model.bodies)) for x in pair)
            require(right and pair[0] != pair[1], "E-HEADER", f"{self.place}: a pair is not of two bodies")
            key = (min(pair), max(pair))
            require(key not in seen, "E-HEADER", f"{self.place}: a pair is listed twice")
            seen.add(key)
            if self.claim in ("inside", "not inside"):
                solid = model.shapes[model.bodies[pair[1]].shape].solid
                require(solid, "E-HEADER", f"{self.place}: body {pair[1]} is no solid mesh")
        return pairs

    def _disabled(self, disabled, model):
        typed(disabled, list, f"`disabled` of {self.place}")
        for entry in disabled:
            right = type(entry) is list and len(entry) == 3 and type(entry[2]) is str
            right = right and all(is_index(x, len(model.bodies)) for x in entry[:2]) and entry[0] != entry[1]
            require(right, "E-HEADER", f"{self.place}: a disabled pair is not [a, b, reason]")
        said = [tuple(sorted(pair[:2])) for pair in self.pairs + disabled]
        require(len(said) == len(set(said)), "E-PAIRS", f"{self.place}: a disabled pair is listed twice")
        return disabled

    def _region(self, region, model):
        kinds = [key for key in region if key != "deviation"] if type(region) is dict else []
        right = len(kinds) == 1 and kinds[0] in ("at", "along", "curve", "box")
        require(right and (len(region) == 1 or kinds == ["curve"]), "E-HEADER", f"{self.place}: unknown region")
        self.region, value, self.edges = kinds[0], region[kinds[0]], 1
        if self.region == "at":
            self.states = [self._state(value, model)]
        elif self.region == "along":
            require(type(value) is list and len(value) >= 2, "E-HEADER", f"{self.place}: a path needs two configurations")
            require(len(value) - 1 <= MANY, "E-LIMIT", f"{self.place} has more than 2^20 edges")
            self.states, self.edges = [self._state(state, model) for state in value], len(value) - 1
        elif self.region == "curve":
            self._curve(value, region.get("deviation", [0] * len(model.joints)), model)
        else:
            self._box(value, model)

    def _curve(self, pieces, deviation, model):
        right = type(pieces) is list and pieces and all(type(piece) is list and 2 <= len(piece) <= 10 for piece in pieces)
        require(right, "E-HEADER", f"{self.place}: a curve is not made of pieces with 2 to 10 configurations")
        require(len(pieces) <= MANY, "E-LIMIT", f"{self.place} has more than 2^20 edges")
        right = is_vector(deviation, len(model.joints)) and min(deviation, default=0) >= 0
        require(right, "E-HEADER", f"{self.place}: the deviation has not one number for each joint")
        self.deviation, self.edges = [Fraction(x) for x in deviation], len(pieces)
        self.pieces = [[self._state(state, model, self.deviation) for state in piece] for piece in pieces]
        joined = all(piece[-1] == after[0] for piece, after in zip(self.pieces, self.pieces[1:]))
        require(joined, "E-HEADER", f"{self.place}: a piece of the curve does not begin where the last one ends")

    def configurations(self):
        """All configurations and control configurations of a region that is no box."""
        if self.region == "curve":
            return [state for piece in self.pieces for state in piece]
        return self.states if self.region in ("at", "along") else []

    def _state(self, state, model, more=()):
        right = is_vector(state, len(model.joints))
        require(right, "E-HEADER", f"{self.place}: a configuration has not one number for each joint")
        for joint, value, beyond in zip(model.joints, state, more or [0] * len(state)):
            small = not joint.turns or abs(Fraction(value)) + beyond <= TURN_LIMIT
            require(small, "E-LIMIT", f"{self.place}: a turn is beyond 64")
        return [Fraction(x) for x in state]

    def _box(self, ranges, model):
        right = type(ranges) is list and len(ranges) == len(model.joints)
        require(right, "E-HEADER", f"{self.place}: the box has not one entry for each joint")
        for joint, entry in zip(model.joints, ranges):
            right = entry is None if joint.mimic else is_vector(entry, 2) and entry[0] <= entry[1]
            require(right, "E-HEADER", f"{self.place}: the range of joint {joint.name!r} is wrong")
        for joint, entry in zip(model.joints, ranges):
            ends = entry
            if joint.mimic:
                ends = [Fraction(joint.mimic[1]) * Fraction(x) + Fraction(joint.mimic[2]) for x in ranges[joint.mimic[0]]]
            small = not joint.turns or all(abs(x) <= TURN_LIMIT for x in ends)
            require(small, "E-LIMIT", f"{self.place}: a turn is beyond 64")
        self.ranges = ranges

    def _check_complete(self, model):
        said = {tuple(sorted(pair[:2])) for pair in self.pairs + self.disabled}
        fixed, bodies_of = model.fixed_links(), {}
        for index, body in enumerate(model.bodies):
            bodies_of.setdefault(body.link, []).append(index)
        moving = [link for link in bodies_of if not fixed[link]]
        # Each pair of links has a pair of bodies, so the search ends soon where pairs are missing.
        for link in moving:
            for other in bodies_of:
                if other != link:
                    for a, b in ((a, b) for a in bodies_of[link] for b in bodies_of[other]):
                        known = (min(a, b), max(a, b)) in said
                        require(known, "E-PAIRS", f"{self.place}: nothing is said about the bodies {a} and {b}")


class Model:
    """Everything that statements are about."""

    def __init__(self, header, files):
        require(type(header) is dict, "E-ITEM", "the first item is no header")
        self.version = header.get("version")
        right = header.get("format") == "noli-certificate" and is_int(self.version) and self.version in (1, 2)
        require(right, "E-VERSION", "this is no certificate of version 1 or 2")
        names = ("format", "version", "generator", "units", "sources", "shapes", "links", "bodies", "statements")
        keys(header, "the header", names)
        typed(header["generator"], str, "`generator`")
        typed(header["units"], str, "`units`")
        check_magnitudes(header)
        for name, least, most in (("sources", 0, FEW), ("shapes", 1, FEW), ("links", 1, FEW), ("bodies", 2, FEW), ("statements", 1, MANY)):
            typed(header[name], list, f"`{name}`")
            require(len(header[name]) >= least, "E-HEADER", f"`{name}` has fewer than {least} entries")
            require(len(header[name]) <= most, "E-LIMIT", f"`{name}` has more than {most} entries")
        self.sources = [_source(value, index) for index, value in enumerate(header["sources"])]
        self.described = header["shapes"]
        self.shapes = [self._shape(value, index, files) for index, value in enumerate(header["shapes"])]
        self.links = [Link(value, index) for index, value in enumerate(header["links"])]
        self.joints = []
        for link in self.links:
            if link.joint:
                link.number = len(self.joints)
                self.joints.append(link.joint)
        for joint in self.joints:
            right = not joint.mimic or joint.mimic[0] < len(self.joints) and not self.joints[joint.mimic[0]].mimic
            require(right, "E-HEADER", f"joint {joint.name!r} mimics no joint of its own")
        counts = len(self.links), len(self.shapes)
        self.bodies = [Body(value, index, *counts) for index, value in enumerate(header["bodies"])]
        self.statements = [Statement(value, index, self) for index, value in enumerate(header["statements"])]

    def _shape(self, value, index, files):
        place = f"shape {index}"
        require(type(value) is dict and "kind" in value, "E-HEADER", f"{place} has no kind")
        kind = value["kind"]
        if kind == "mesh":
            return self._mesh(value, index, place, files)
        sizes = {"box": ("size",), "sphere": ("radius",), "capsule": ("radius", "length"), "cylinder": ("radius", "length")}
        require(type(kind) is str and kind in sizes, "E-HEADER", f"{place} is of an unknown kind")
        keys(value, place, ("kind",) + sizes[kind])
        for name in sizes[kind]:
            entries = value[name] if name == "size" else [value[name]]
            right = is_vector(entries, 3 if name == "size" else 1) and all(x >= 0 for x in entries)
            right = right and (all(entries) or (kind, name) == ("capsule", "length"))
            require(right, "E-HEADER", f"{place}: `{name}` is wrong")
        return Primitive(**value)

    def _mesh(self, value, index, place, files):
        keys(value, place, ("kind", "sha256", "count", "solid"), ("triangles", "source", "scale"))
        right = type(value["sha256"]) is bytes and len(value["sha256"]) == 32
        require(right, "E-HEADER", f"{place}: `sha256` has not 32 bytes")
        require(is_int(value["count"]) and value["count"] > 0, "E-HEADER", f"{place}: `count` is wrong")
        require(value["count"] <= TRIANGLES, "E-LIMIT", f"{place} has more than 2^24 triangles")
        typed(value["solid"], bool, f"`solid` of {place}")
        if "source" in value:
            require(is_index(value["source"], len(self.sources)), "E-HEADER", f"{place}: the source is out of range")
        if "scale" in value:
            right = is_vector(value["scale"]) and all(x != 0 and float(x) == x for x in value["scale"])
            require(right, "E-HEADER", f"{place}: the scale has not three doubles that are not 0")
        if "triangles" in value:
            data = typed(value["triangles"], bytes, f"`triangles` of {place}")
        else:
            data = files.triangles(self.sources, value) if "source" in value else None
            if data is None:
                raise missing(index)
        require(hashed(data) == value["sha256"], "E-HASH", f"{place}: the hash of the triangles differs")
        return Mesh(unpack(data, value["count"]), value["solid"])

    def fixed_links(self):
        fixed = []
        for link in self.links:
            fixed.append(link.joint is None and (link.parent is None or fixed[link.parent]))
        return fixed


def _source(value, index):
    place = f"source {index}"
    keys(value, place, ("name", "sha256", "role"), ("text",))
    name = typed(value["name"], str, f"the name of {place}")
    safe = name and not name.startswith(("/", "\\")) and ":" not in name and "\0" not in name
    safe = safe and ".." not in name.replace("\\", "/").split("/")
    require(safe, "E-HEADER", f"the name of {place} is no relative path")
    right = type(value["sha256"]) is bytes and len(value["sha256"]) == 32
    require(right, "E-HEADER", f"`sha256` of {place} has not 32 bytes")
    right = value["role"] in ("mesh", "urdf", "srdf", "other")
    require(right, "E-HEADER", f"the role of {place} is unknown")
    if "text" in value:
        typed(value["text"], str, f"the text of {place}")
        if hashed(value["text"].encode()) != value["sha256"]:
            raise CheckError("E-HASH", f"the text of {place} has another hash")
    return value
