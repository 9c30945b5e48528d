"""The comparison of a certificate with the description of a robot (section 11)."""

import math
import os
from fractions import Fraction

from .description import FIXED, OTHER, SLIDE, TURN, Description, Origin
from .errors import CheckError, require
from .kinematics import frame_of_placement
from .numbers import ONE
from .shape import hashed
from .sources import packed_triangles

NEAR = 2.0**-40
MOST_TURNS = 20
TWO_PI = Fraction(6283185307179586477, 10**18)  # a little more


class Robot:
    """What the comparison found: nothing differs, `not_compared` is what was not compared, in words."""

    def __init__(self, path, model):
        with open(path, "rb") as file:
            self.description = Description(file.read())
        self.model, self.folder, self.not_compared = model, os.path.dirname(os.path.abspath(path)), []
        self.numbers = {id(joint): number for number, joint in enumerate(model.joints)}
        self.links = {name: self._link(name) for name in self.description.links}
        self.joints = {name: self._joint(joint) for name, joint in self.description.joints.items()}
        self._check_mimics()
        self._check_root()
        self.bodies = self._bodies()
        self._check_configurations()
        self._check_pairs()
        self.allowed = self._allowed()

    def is_all(self, joint, low, high):
        """Whether a range of a joint is all that the description allows."""
        if joint not in self.allowed:
            return False
        limits, turns = self.allowed[joint]
        low, high = Fraction(low), Fraction(high)
        if limits is not None and low <= limits[0] and high >= limits[1]:
            return True
        return turns is not None and high - low >= turns * TWO_PI

    def _link(self, name):
        """The number of the link of a name; the first link counts only if there is no other."""
        found = [number for number, link in enumerate(self.model.links) if link.name == name and number]
        found = found or ([0] if self.model.links[0].name == name else [])
        require(len(found) == 1, "E-BINDING", f"{len(found)} links are named {name!r}")
        return found[0]

    def _joint(self, joint):
        """Compares a joint; its number in the certificate, or `None`."""
        links, differs = self.model.links, lambda same, what: require(same, "E-BINDING", f"joint {joint.name!r} has {what}")
        child = links[self.links[joint.child]]
        differs(child.origin is not None, "the first link as its child")
        frame, at, still = frame_of_placement(child.origin), child.parent, True
        while at is not None and links[at].name.startswith("#"):
            still = still and links[at].joint is None
            if links[at].origin is not None:
                frame = frame_of_placement(links[at].origin).then(frame)
            at = links[at].parent
        differs(at == self.links[joint.parent], "another parent")
        if joint.freedom == OTHER:
            self.not_compared.append(f'joint "{joint.name}", which is {joint.kind}')
            return None
        differs(still, "a second joint beside it")
        differs(_same_place(joint.origin, frame), "another origin")
        own = child.joint
        if own is None:
            differs(joint.freedom == FIXED, "no joint in the certificate")
            return None
        differs((TURN if own.turns else SLIDE) == joint.freedom, "another kind")
        differs(own.name == joint.name, "another name")
        differs(_same_direction(joint.axis, [float(x) for x in own.axis]), "another axis")
        same = own.limits is None or joint.limits is not None and list(map(Fraction, own.limits)) == list(map(Fraction, joint.limits))
        differs(same, "other limits")
        return self.numbers[id(own)]

    def _check_mimics(self):
        for name, number in self.joints.items():
            if number is None:
                continue
            law, own = self.description.joints[name].mimic, self.model.joints[number].mimic
            same = (law is None) == (own is None)
            if same and law is not None:
                same = self.joints[law[0]] == own[0] and _agree(_double(law[1]), float(own[1]))
                same = same and _agree(_double(law[2]), float(own[2]))
            require(same, "E-BINDING", f"joint {name!r} has another mimic")

    def _check_root(self):
        """The place of the robot is no part of its description."""
        name = self.description.root
        link = self.model.links[self.links[name]]
        still = link.origin is None or _same_place(Origin(None), frame_of_placement(link.origin))
        if not still or link.joint is not None or link.parent not in (None, 0):
            self.not_compared.append(f'the place of "{name}" in the world')

    def _bodies(self):
        """Finds the body of each collision shape; the others are listed."""
        taken, prefix, unread = set(), None, []
        bodies = self.model.bodies
        for name, collisions in self.description.links.items():
            read = [(collision, *self._triangles(collision)) for collision in collisions]
            # Meshes whose file is not read fit any mesh: those come last.
            for collision, own_hash, why in sorted(read, key=lambda each: each[2] is not None):
                found = None
                for number, body in enumerate(bodies):
                    if number in taken or body.link != self.links[name] or not body.name.endswith(name):
                        continue
                    before = body.name[: len(body.name) - len(name)]
                    right = prefix in (None, before) and _same_place(collision.origin, frame_of_placement(body.pose))
                    if right and self._same_form(collision, own_hash, body):
                        found, prefix = number, before
                        break
                require(found is not None, "E-BINDING", f"a collision shape of link {name!r} is no body on it")
                taken.add(found)
                if why is not None:
                    unread.append(f'the mesh of body {found} "{bodies[found].name}": {why}')
                shape = self.model.shapes[bodies[found].shape]
                if shape.is_mesh and not shape.solid and shape.is_closed():
                    unread.append(f'the inside of body {found} "{bodies[found].name}": claims are about its surface')
        self.not_compared += unread
        for number, body in enumerate(bodies):
            if number not in taken:
                self.not_compared.append(f'body {number} "{body.name}", which the description does not have')
        return taken

    def _triangles(self, collision):
        """The hash of the triangles of a mesh, and why it is not read; `None` for other shapes."""
        if collision.kind != "mesh":
            return None, None
        places, name = [self.folder], collision.file
        if name.startswith("package://"):
            name = name[len("package://") :]
            while os.path.dirname(places[-1]) != places[-1]:
                places.append(os.path.dirname(places[-1]))
        elif name.startswith("file://"):
            name = name[len("file://") :]
        found = next((path for path in (os.path.join(place, name) for place in places) if os.path.isfile(path)), None)
        if found is None:
            return None, "its file is not there"
        with open(found, "rb") as file:
            data = packed_triangles(collision.file, file.read(), collision.scale)
        return (None, "its format is not read") if data is None else (hashed(data), None)

    def _same_form(self, collision, own_hash, body):
        described = self.model.described[body.shape]
        if collision.kind != described["kind"]:
            return False
        if collision.kind == "mesh":
            return own_hash is None or own_hash == described["sha256"]
        flat = lambda value: list(map(Fraction, value if type(value) is list else [value]))
        return all(flat(size) == flat(described[name]) for name, size in collision.sizes.items())

    def _check_configurations(self):
        """Compares the values of followers with those that they follow, and lists statements beyond the limits."""
        for index, statement in enumerate(self.model.statements):
            states = statement.configurations()
            for name, number in self.joints.items():
                if number is None:
                    continue
                law = self.model.joints[number].mimic
                if law is not None:
                    wanted = lambda state: _double(Fraction(law[1]) * state[law[0]] + Fraction(law[2]))
                    follows = all(_agree(wanted(state), _double(state[number])) for state in states)
                    require(follows, "E-BINDING", f"statement {index}: joint {name!r} does not follow")
                limits = self.description.joints[name].limits
                if limits is not None and any(state[number] < limits[0] or state[number] > limits[1] for state in states):
                    self.not_compared.append(f'statement {index}: joint "{name}" is beyond its limits')

    def _check_pairs(self):
        """Lists statements that leave out pairs of shapes of two links."""
        shapes = {}
        for body in self.bodies:
            shapes.setdefault(self.model.bodies[body].link, []).append(body)
        for index, statement in enumerate(self.model.statements):
            if statement.claim == "colliding":
                continue
            pairs = [tuple(pair) for pair in statement.pairs]
            said = {tuple(sorted(pair[:2])) for pair in pairs + [tuple(entry) for entry in statement.disabled]}
            both = [pair for pair in pairs if pair[0] in self.bodies and pair[1] in self.bodies]
            for a, b in sorted({tuple(sorted(self.model.bodies[body].link for body in pair)) for pair in both}):
                whole = all(tuple(sorted((x, y))) in said for x in shapes[a] for y in shapes[b]) if a != b else True
                if not whole:
                    first, second = self.model.links[a].name, self.model.links[b].name
                    self.not_compared.append(f'statement {index}: not all pairs of shapes of "{first}" and "{second}"')

    def _allowed(self):
        """For each joint of the description its limits, and the number of turns of a period."""
        allowed = {}
        for name, number in self.joints.items():
            if number is not None:
                turns = self._period(name, number) if self.model.joints[number].turns else None
                allowed[number] = self.description.joints[name].limits, turns
        return allowed

    def _period(self, name, number):
        """The number of turns after which all that follows a joint is where it was."""
        described, factors = {own: joint for joint, own in self.joints.items() if own is not None}, []
        for other, joint in enumerate(self.model.joints):
            if joint.mimic and joint.mimic[0] == number:
                if other not in described or not joint.turns:
                    return None
                factors.append(self.description.joints[described[other]].mimic[1])
        # A follower of a kind that is not compared moves in unknown ways.
        for joint in self.description.joints.values():
            if joint.freedom == OTHER and joint.mimic and joint.mimic[0] == name:
                return None
        for turns in range(1, MOST_TURNS + 1):
            if all((turns * factor).denominator == 1 for factor in factors):
                return turns
        return None


def _double(value):
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _agree(x, y):
    return abs(x - y) <= NEAR * (1 + abs(x))


def _same_place(origin, frame):
    frame = frame.enclosed()
    middle = lambda interval: _double(Fraction(interval[0] + interval[1], 2 * ONE))
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(x), math.cos(x)) for x in origin.rpy)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    near = all(abs(x - middle(own)) <= NEAR for row, owns in zip(rows, frame.rotation) for x, own in zip(row, owns))
    return near and all(_agree(x, middle(own)) for x, own in zip(origin.xyz, frame.translation))


def _same_direction(a, b):
    na, nb = math.hypot(*a), math.hypot(*b)
    return 0 < na < math.inf and 0 < nb < math.inf and all(abs(x / na - y / nb) <= NEAR for x, y in zip(a, b))


def bind(path, model):
    """Compares a certificate with the description in a file."""
    try:
        return Robot(path, model)
    except OSError as error:
        raise CheckError("E-MISSING", f"{error.filename}: {error.strerror}") from None
