"""MuJoCo or PyBullet simulates a scene of noli: `main.py mujoco|bullet JOB STEP`, see ../README.md.

As the engines take meshes: MuJoCo replaces every one by its convex hull, and so does PyBullet those of bodies that fall; it
keeps the meshes of bodies that are fixed or driven. Settings are the engines' own but for the step.
"""

import json
import math
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy


def turned(q, v):
    """The vector `v` turned by the quaternion x, y, z, w."""
    u, w = numpy.array(q[:3]), q[3]
    return v + 2.0 * numpy.cross(u, numpy.cross(u, v) + w * numpy.asarray(v))


def write_obj(path, body):
    lines = ["v {} {} {}".format(*map(repr, map(float, v))) for v in body["vertices"]]
    lines += ["f {} {} {}".format(*(i + 1 for i in t)) for t in body["triangles"]]
    Path(path).write_text("\n".join(lines) + "\n")


def drive(body, seconds):
    """Where a driven body is after some time: it goes straight and turns evenly about its origin."""
    x, q = numpy.array(body["pose"][:3]), body["pose"][3:]
    way = x + numpy.array(body["velocity"]) * seconds
    spin = numpy.array(body["spin"]) * seconds
    angle = numpy.linalg.norm(spin)
    axis = spin / angle if angle > 0 else numpy.array([1.0, 0, 0])
    s, c = math.sin(angle / 2), math.cos(angle / 2)
    u, v = axis * s, numpy.array(q[:3])
    xyz = c * v + q[3] * u + numpy.cross(u, v)
    return [*way, *xyz, c * q[3] - u.dot(v)]


def mujoco_run(job, step, folder):
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.gravity = job["gravity"]
    for number, body in enumerate(job["bodies"]):
        path = f"{folder}/{number}.obj"
        write_obj(path, body)
        inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        spec.add_mesh(name=f"m{number}", file=path, inertia=inertia)
        x, q = body["pose"][:3], body["pose"][3:]
        added = spec.worldbody.add_body(name=f"b{number}", pos=x, quat=[q[3], *q[:3]])
        if body["kind"] == "driven":
            added.mocap = True
        if body["kind"] == "free":
            added.add_freejoint()
            added.mass = body["mass"]
            added.ipos = body["center"]
            i = numpy.array(body["inertia"]).reshape(3, 3)
            added.fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
            added.explicitinertial = True
        friction = [body["friction"], 0.0, 0.0]
        added.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"m{number}", friction=friction, name=f"g{number}")
    model = spec.compile()
    data = mujoco.MjData(model)
    ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, f"b{k}") for k in range(len(job["bodies"]))]
    for body, i in zip(job["bodies"], ids):
        if body["kind"] == "free":
            at = model.jnt_dofadr[model.body_jntadr[i]]
            center = turned(body["pose"][3:], numpy.array(body["center"]))
            spin = numpy.array(body["spin"])
            q = body["pose"][3:]
            data.qvel[at : at + 3] = numpy.array(body["velocity"]) - numpy.cross(spin, center)
            data.qvel[at + 3 : at + 6] = turned([-q[0], -q[1], -q[2], q[3]], spin)

    def advance(time):
        for body, i in zip(job["bodies"], ids):
            if body["kind"] == "driven":
                p = drive(body, time)
                data.mocap_pos[model.body_mocapid[i]] = p[:3]
                data.mocap_quat[model.body_mocapid[i]] = [p[6], *p[3:6]]
        mujoco.mj_step(model, data)

    def poses():
        mujoco.mj_kinematics(model, data)
        return [[*data.xpos[i], *data.xquat[i][1:], data.xquat[i][0]] for i in ids]

    return f"MuJoCo {mujoco.__version__}", advance, poses


def bullet_run(job, step, folder):
    import pybullet as p

    p.connect(p.DIRECT)
    p.setGravity(*job["gravity"])
    p.setTimeStep(step)
    ids = []
    for number, body in enumerate(job["bodies"]):
        path = f"{folder}/{number}.obj"
        write_obj(path, body)
        free = body["kind"] == "free"
        flags = 0 if free else p.GEOM_FORCE_CONCAVE_TRIMESH
        shape = p.createCollisionShape(p.GEOM_MESH, fileName=path, flags=flags)
        x, q = numpy.array(body["pose"][:3]), body["pose"][3:]
        center = numpy.array(body["center"]) if free else numpy.zeros(3)
        i = p.createMultiBody(
            baseMass=body["mass"] if free else 0.0,
            baseCollisionShapeIndex=shape,
            basePosition=x,
            baseOrientation=q,
            baseInertialFramePosition=center,
        )
        diagonal = [body["inertia"][k] for k in (0, 4, 8)]
        p.changeDynamics(i, -1, lateralFriction=body["friction"], restitution=body["restitution"])
        if free:
            p.changeDynamics(i, -1, localInertiaDiagonal=diagonal)
            p.resetBaseVelocity(i, body["velocity"], body["spin"])
        ids.append((i, center))

    def advance(time):
        for body, (i, _) in zip(job["bodies"], ids):
            if body["kind"] == "driven":
                at = drive(body, time - step)
                p.resetBasePositionAndOrientation(i, at[:3], at[3:])
                p.resetBaseVelocity(i, body["velocity"], body["spin"])
        p.stepSimulation()

    def poses():
        told = []
        for i, center in ids:
            x, q = p.getBasePositionAndOrientation(i)
            told.append([*(numpy.array(x) - turned(q, center)), *q])
        return told

    return f"PyBullet {version('pybullet')}", advance, poses


def main(arguments):
    engine, job, step = arguments
    job = json.loads(Path(job).read_text())
    steps = max(1, math.ceil(job["seconds"] / job["frames"] / float(step)))
    step = job["seconds"] / job["frames"] / steps
    with TemporaryDirectory() as folder:
        name, advance, poses = {"mujoco": mujoco_run, "bullet": bullet_run}[engine](job, step, folder)
        begun, frames = perf_counter(), []
        for frame in range(int(job["frames"])):
            for k in range(steps):
                advance((frame * steps + k + 1) * step)
            frames.append([[float(x) for x in pose] for pose in poses()])
        wall = perf_counter() - begun
    engine, number = name.split(" ", 1)
    print(json.dumps({"engine": engine, "version": number, "wall": wall, "frames": frames}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
