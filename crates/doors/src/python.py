"""Answers the questions of the suite with the Python package: a question is a line of JSON, and so is its answer."""

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


def model(body):
    numbers = body["numbers"]
    if body["shape"] == "file":
        return noli.Model(noli.Mesh.read(body["file"], **({} if body["solid"] is None else {"solid": body["solid"]})))
    if body["shape"] == "half_space":
        return noli.Model("half-space")
    if body["shape"] in ("cylinder", "capsule", "cone"):
        radius, length = numbers
        return noli.Model(getattr(noli.Convex, body["shape"])(length, radius))
    if body["shape"] == "sphere":
        return noli.Model(noli.Convex.sphere(*numbers))
    return noli.Model({"box": noli.Convex.cuboid, "ellipsoid": noli.Convex.ellipsoid}[body["shape"]](numbers))


def remove(question):
    if question["bodies"] is None:
        return None
    world = noli.World()
    for body in question["bodies"]:
        world.add(body["name"], model(body), noli.Pose(body["xyz"], xyzw=body["quaternion"]))
    found = world.plan_removal(question["part"], **question["options"])
    return {"verdict": found.verdict, "blocked_by": found.blocked_by}


def robot(question):
    options = question["options"]
    found = noli.Robot.from_urdf(question["robot"], srdf=options.get("srdf"))
    for file in options.get("obstacles", []):
        found = found.with_body(file.rsplit(".", 1)[0], noli.Model(noli.Mesh.read(file)))
    for what in options.get("carry", []):
        link, file = what.split("=")
        found = found.with_carried(link, file.rsplit(".", 1)[0], noli.Model(noli.Mesh.read(file)))
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


def robot_plan(question):
    found = robot(question)
    path = found.plan(configuration(found, question["from"]), configuration(found, question["to"]))
    return {"found": path is not None}


for line in sys.stdin:
    question = json.loads(line)
    answer = globals().get(question["ask"].replace("-", "_"))
    try:
        found = answer(question) if answer else None
    except Exception as error:
        found = {"error": str(error)}
    print(json.dumps(found), flush=True)
