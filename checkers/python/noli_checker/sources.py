"""Files that the numbers of a certificate came from (section 11)."""

import math
import os
import struct
import xml.etree.ElementTree as ElementTree

from .errors import CheckError, require
from .kinematics import frame_of_placement
from .numbers import ONE
from .shape import canonical, hashed, pack


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
        read = read_mesh(source["name"], data)
        return None if read is None else pack(canonical(scaled(read, shape.get("scale", [1, 1, 1]))))

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


def scaled(triangles, factors):
    factors = [float(x) for x in factors] * 3
    triangles = [tuple(x * f for x, f in zip(t, factors)) for t in triangles]
    if math.prod(math.copysign(1.0, f) for f in factors[:3]) < 0:
        triangles = [t[:3] + t[6:] + t[3:6] for t in triangles]
    return triangles


def read_mesh(name, data):
    """Triangles of nine numbers from an STL or OBJ file; `None` for other formats and polygons."""
    try:
        if name.lower().endswith(".stl"):
            count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
            return _binary_stl(data, count) if len(data) == 84 + 50 * count else _text_stl(data)
        return _obj(data) if name.lower().endswith(".obj") else None
    except (ValueError, IndexError, UnicodeDecodeError):
        raise CheckError("E-BINDING", f"{name} cannot be read as a mesh") from None


def _binary_stl(data, count):
    return [struct.unpack_from("<9f", data, 84 + 50 * k + 12) for k in range(count)]


def _text_stl(data):
    words, numbers, at = data.decode().split(), [], 0
    while at < len(words):
        if words[at] == "vertex":
            numbers += [float(x) for x in words[at + 1 : at + 4]]
            at += 3
        at += 1
    if len(numbers) % 9:
        raise ValueError("vertices are missing")
    return [tuple(numbers[k : k + 9]) for k in range(0, len(numbers), 9)]


def _obj(data):
    points, triangles = [], []
    for line in data.decode().replace("\\\n", " ").splitlines():
        words = line.split("#")[0].split()
        if words[:1] == ["v"]:
            points.append(tuple(float(x) for x in words[1:4]))
        elif words[:1] == ["f"]:
            if len(words) != 4:
                return None
            corners = [int(word.split("/")[0]) for word in words[1:]]
            if 0 in corners:
                raise ValueError("indices begin with 1")
            triangles.append(sum((points[k - 1 if k > 0 else k] for k in corners), ()))
    return triangles


KINDS = {"revolute": True, "continuous": True, "prismatic": False, "fixed": None}
NEAR = 2.0**-40


def bind_urdf(path, model):
    """Compares joints and collision shapes of a URDF with the links and bodies."""
    with open(path, "rb") as file:
        data = file.read()
    require(b"<!DOCTYPE" not in data and b"<!ENTITY" not in data, "E-BINDING", "the URDF has a DTD")
    try:
        robot = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise CheckError("E-BINDING", f"the URDF cannot be read: {error}") from None
    try:
        _bind_robot(robot, model)
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        raise CheckError("E-BINDING", f"the URDF is not complete: {error}") from None


def _bind_robot(robot, model):
    joints = robot.findall("joint")
    children = [joint.find("child").get("link") for joint in joints]
    prefix = _prefix([link.name for link in model.links], children)
    by_name = {link.name: link for link in model.links}
    numbers = {joint.name: number for number, joint in enumerate(model.joints)}
    for joint, child in zip(joints, children):
        link = by_name.get(prefix + child)
        require(link is not None, "E-BINDING", f"the certificate has no link {child!r}")
        _same_joint(joint, link, model, prefix, numbers)
    for link in robot.findall("link"):
        name = prefix + link.get("name")
        bodies = [body for body in model.bodies if body.name == name]
        for element in link.findall("collision"):
            found = next((body for body in bodies if _same_body(element, body, model)), None)
            require(found is not None, "E-BINDING", f"a collision shape of link {link.get('name')!r} is no body")
            bodies.remove(found)


def _prefix(names, children):
    """What all names of links may have before those of the URDF."""
    for name in names if children else ():
        if name.endswith(children[0]):
            prefix = name[: len(name) - len(children[0])]
            if all(prefix + child in names for child in children):
                return prefix
    return ""


def _same_joint(element, link, model, prefix, numbers):
    name, kind = element.get("name"), element.get("type")
    require(kind in KINDS, "E-BINDING", f"joint {name!r} is of the kind {kind!r}, which is not compared")
    parent, origin = link.parent, frame_of_placement(link.origin).enclosed()
    joint = link.joint
    while parent is not None and model.links[parent].name.startswith("#"):
        above = model.links[parent]
        origin, parent = frame_of_placement(above.origin).then(origin).enclosed(), above.parent
        joint = joint or above.joint
    same = parent is not None and model.links[parent].name == prefix + element.find("parent").get("link")
    require(same, "E-BINDING", f"joint {name!r} has another parent")
    require((joint.turns if joint else None) == KINDS[kind], "E-BINDING", f"joint {name!r} is of another kind")
    require(_same_frame(element.find("origin"), origin), "E-BINDING", f"joint {name!r} has another origin")
    if joint:
        axis = _numbers(element.find("axis"), "xyz", [1, 0, 0])
        require(_parallel(axis, [float(x) for x in joint.axis]), "E-BINDING", f"joint {name!r} has another axis")
        limit = element.find("limit")
        if joint.limits is not None and limit is not None and kind != "continuous":
            ends = [float(limit.get(end, 0)) for end in ("lower", "upper")]
            require(ends == [float(x) for x in joint.limits], "E-BINDING", f"joint {name!r} has other limits")
        _same_mimic(element.find("mimic"), joint, name, numbers)


def _same_mimic(mimic, joint, name, numbers):
    require((mimic is None) == (joint.mimic is None), "E-BINDING", f"joint {name!r} has another mimic")
    if mimic is not None:
        of = numbers.get(mimic.get("joint"))
        wanted = [of, float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))]
        require(wanted == list(joint.mimic), "E-BINDING", f"joint {name!r} has another mimic")


def _same_body(element, body, model):
    described, geometry = model.described[body.shape], element.find("geometry")
    shape = geometry[0]
    if not _same_frame(element.find("origin"), frame_of_placement(body.pose).enclosed()):
        return False
    if shape.tag == "mesh":
        return described["kind"] == "mesh"
    if shape.tag != described["kind"]:
        return False
    if shape.tag == "box":
        return _numbers(shape, "size", None) == [float(x) for x in described["size"]]
    sizes = ["radius"] if shape.tag == "sphere" else ["radius", "length"]
    return all(float(shape.get(size)) == described[size] for size in sizes)


def _numbers(element, name, default):
    text = element is not None and element.get(name)
    return [float(x) for x in text.split()] if text else default


def _same_frame(element, frame):
    xyz, rpy = _numbers(element, "xyz", [0, 0, 0]), _numbers(element, "rpy", [0, 0, 0])
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(x), math.cos(x)) for x in rpy)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    near = all(abs(low / ONE - x) <= NEAR for row, own in zip(frame.rotation, rows) for (low, _), x in zip(row, own))
    return near and all(abs(low / ONE - x) <= NEAR * (1 + abs(x)) for (low, _), x in zip(frame.translation, xyz))


def _parallel(a, b):
    na, nb = math.hypot(*a), math.hypot(*b)
    return na > 0 and all(abs(x / na - y / nb) <= NEAR for x, y in zip(a, b))
