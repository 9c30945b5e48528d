"""Answers the questions of the suite with the Python package: a line of JSON by another, two bodies by their relation."""

import json
import sys

import numpy as np

import noli


def check(question):
    options = question["options"]
    if "touching" in options:
        options["touching"] = options["touching"] != "ignore"
    if "as" in options:
        options["kind"] = options.pop("as")
    return noli.check(*question["files"], **options).data


SHAPES = {
    "box": lambda x, y, z: noli.Convex.cuboid([x, y, z]),
    "ellipsoid": lambda x, y, z: noli.Convex.ellipsoid([x, y, z]),
    "sphere": lambda radius, *_: noli.Convex.sphere(radius),
    "cylinder": lambda radius, height, _: noli.Convex.cylinder(height, radius),
    "capsule": lambda radius, length, _: noli.Convex.capsule(length, radius),
    "cone": lambda radius, height, _: noli.Convex.cone(height, radius),
    "half_space": lambda *_: "half-space",
}


def placed(words):
    """A body of eleven words: shape, three numbers or a file and its kind, position, quaternion."""
    shape, *given = words[:4]
    if shape == "file":
        shape = noli.Mesh.read(given[0], **({} if given[1] == "auto" else {"solid": given[1] == "solid"}))
    else:
        shape = SHAPES[shape](*map(float, given))
    numbers = [float(word) for word in words[4:]]
    return noli.Model(shape), noli.Pose(numbers[:3], numbers[3:], quat="xyzw")


def relation(words):
    (a, at_a), (b, at_b) = placed(words[:11]), placed(words[11:])
    return noli.relation(a.at(at_a), b.at(at_b))


def remove(question):
    if question["bodies"] is None:
        return None
    world = noli.World()
    for name, words in question["bodies"]:
        world.add(name, *placed(words.split()))
    found = world.plan_removal(question["part"], **question["options"])
    return {"verdict": found.verdict, "blocked_by": found.blocked_by}


def robot(question):
    options = question["options"]
    found = noli.Robot.from_urdf(question["robot"], srdf=options.get("srdf"))
    for file in options.get("obstacles", []):
        found = found.with_body(file.removesuffix(".obj"), noli.Model(noli.Mesh.read(file)))
    for what in options.get("carry", []):
        link, file = what.split("=")
        found = found.with_carried(link, file.removesuffix(".obj"), noli.Model(noli.Mesh.read(file)))
    return found


def configuration(found, values):
    unknown = set(values) - set(found.joint_names)
    if unknown:
        raise ValueError(f"there is no joint {unknown.pop()}")
    return np.array([values.get(name, 0.0) for name in found.joint_names])


def robot_check(question):
    found = robot(question)
    rows = [configuration(found, values) for values in question["states"]]
    hits = [found.check(q) for q in rows]
    pairs = [found.colliding_pairs(q) for q in rows]
    assert hits == [bool(pair) for pair in pairs]
    return {"outcome": "touching" if any(hits) else "free", "states": pairs}


def robot_pairs(question):
    return [pair[:3] for pair in robot(question).pairs(every=True)]


def robot_trajectory(question):
    found = robot(question)
    impact = noli.Trajectory.read(found, question["trajectory"]).first_contact()
    outcome = {"free": "free", "unknown": "undecided"}.get(impact.kind, "touching")
    return {"outcome": outcome, "contact": {"links": impact.parts}}


def robot_plan(question):
    if "robot" not in question:
        return None
    found = robot(question)
    path = found.plan(configuration(found, question["from"]), configuration(found, question["to"]))
    return {"found": path is not None}


for line in sys.stdin:
    if not line.startswith("{"):
        print(relation(line.split()), flush=True)
        continue
    question = json.loads(line)
    answer = globals().get(question["ask"].replace("-", "_"))
    try:
        found = answer(question) if answer else None
    except Exception as error:
        found = {"error": str(error)}
    print(json.dumps(found), flush=True)
