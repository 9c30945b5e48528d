"""The description of a robot: links, joints and collision shapes of a URDF (section 11)."""

import xml.parsers.expat
from fractions import Fraction

from .errors import CheckError, require
from .numerals import decimal, number, numbers

TURN, SLIDE, FIXED, OTHER = "turn", "slide", "fixed", "other"
FREEDOMS = {"revolute": TURN, "continuous": TURN, "prismatic": SLIDE, "fixed": FIXED}
SIZES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}


def refuse(message):
    raise CheckError("E-BINDING", message)


class Element:
    """An element of XML; text between elements is left out."""

    def __init__(self, name, attributes):
        self.name, self.attributes, self.children = name, attributes, []

    def all(self, name):
        return [child for child in self.children if child.name == name]

    def child(self, name):
        """The child of a name, which occurs at most once, or `None`."""
        found = self.all(name)
        require(len(found) < 2, "E-BINDING", f"a <{self.name}> has two <{name}>")
        return found[0] if found else None

    def named(self, name):
        """An attribute that must be there."""
        require(name in self.attributes, "E-BINDING", f"a <{self.name}> has no `{name}`")
        return self.attributes[name]

    def vector(self, name):
        """Three numbers of an attribute, or `None` without it."""
        return numbers(self.attributes[name], 3) if name in self.attributes else None


def parsed(data):
    """The root of a document in UTF-8 without a DTD."""
    roots, stack = [], []

    def begin(name, attributes):
        element = Element(name, attributes)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)
        require(len(stack) <= 256, "E-BINDING", "elements are nested too deep")

    parser = xml.parsers.expat.ParserCreate("utf-8")
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _name: stack.pop()
    parser.StartDoctypeDeclHandler = lambda *_: refuse("the description has a DTD")
    try:
        data.decode("utf-8")
        parser.Parse(data, True)
    except (xml.parsers.expat.ExpatError, UnicodeDecodeError) as error:
        refuse(f"the description is no XML: {error}")
    return roots[0]


class Origin:
    """A translation, and roll, pitch and yaw."""

    def __init__(self, element):
        origin = element.child("origin") if element else None
        part = lambda name: (origin.vector(name) if origin else None) or [0.0, 0.0, 0.0]
        self.xyz, self.rpy = part("xyz"), part("rpy")


class Collision:
    def __init__(self, element):
        holder = element.child("geometry")
        require(holder is not None and len(holder.children) == 1, "E-BINDING", "a geometry has not one shape")
        shape = holder.children[0]
        self.origin, self.kind, self.sizes = Origin(element), shape.name, {}
        if shape.name == "mesh":
            self.file, self.scale = shape.named("filename"), shape.vector("scale") or [1.0, 1.0, 1.0]
            return
        require(shape.name in SIZES, "E-BINDING", f"<{shape.name}> is no shape that is compared")
        for name in SIZES[shape.name]:
            text = shape.named(name)
            self.sizes[name] = numbers(text, 3) if name == "size" else number(text)


class Joint:
    def __init__(self, element, links):
        self.name, self.kind = element.named("name"), element.named("type")
        self.freedom = FREEDOMS.get(self.kind, OTHER)
        ends = []
        for which in ("parent", "child"):
            end = element.child(which)
            require(end is not None and end.named("link") in links, "E-BINDING", f"joint {self.name!r} has no {which}")
            ends.append(end.named("link"))
        self.parent, self.child = ends
        self.origin, axis = Origin(element), element.child("axis")
        self.axis = [1.0, 0.0, 0.0] if axis is None else axis.vector("xyz")
        require(self.axis is not None, "E-BINDING", "an axis has no `xyz`")
        limit = element.child("limit")
        limited = limit is not None and self.kind in ("revolute", "prismatic")
        self.limits = _limits(limit) if limited else None
        law, self.mimic = element.child("mimic"), None
        if law is not None:
            part = lambda name, default: decimal(law.attributes[name]) if name in law.attributes else Fraction(default)
            self.mimic = law.named("joint"), part("multiplier", 1), part("offset", 0)


def _limits(element):
    """The lowest and the highest value, or `None` if they limit nothing."""
    try:
        lower, upper = (number(element.attributes.get(end, "0")) for end in ("lower", "upper"))
    except ValueError:
        return None
    return [lower, upper] if lower <= upper else None


class Description:
    def __init__(self, data):
        robot = parsed(data)
        require(robot.name == "robot", "E-BINDING", "the description is of no robot")
        try:
            links = [(element.named("name"), [Collision(each) for each in element.all("collision")]) for element in robot.all("link")]
            self.links = dict(links)
            require(len(links) == len(self.links), "E-BINDING", "the description has two links of a name")
            joints = [Joint(element, self.links) for element in robot.all("joint")]
        except ValueError as error:
            refuse(f"the description is wrong: {error}")
        self.joints = {joint.name: joint for joint in joints}
        require(len(joints) == len(self.joints), "E-BINDING", "the description has two joints of a name")
        laws = {name: joint.mimic for name, joint in self.joints.items()}
        for joint in joints:
            joint.mimic = _composed(laws, joint.name)
        self.root = self._root()

    def _root(self):
        """The link that is the child of no joint; all others are of one, and hang on it."""
        parents = {}
        for joint in self.joints.values():
            require(joint.child not in parents, "E-BINDING", f"link {joint.child!r} is the child of two joints")
            parents[joint.child] = joint.parent
        roots = [link for link in self.links if link not in parents]
        require(len(roots) == 1, "E-BINDING", "the description has not one root")
        for link in self.links:
            steps = 0
            while link in parents:
                link, steps = parents[link], steps + 1
                require(steps <= len(self.links), "E-BINDING", "links of the description hang on themselves")
        return roots[0]


def _composed(laws, name):
    """The law of a joint, through all joints that follow others."""
    law = laws[name]
    if law is None:
        return None
    of, by, plus = law
    for _ in laws:
        require(of in laws, "E-BINDING", f"joint {name!r} follows none of the description")
        if laws[of] is None:
            return of, by, plus
        next_of, factor, offset = laws[of]
        of, by, plus = next_of, by * factor, by * offset + plus
    refuse("joints follow each other")
