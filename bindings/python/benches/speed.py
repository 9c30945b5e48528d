"""Batches from Python against loops over python-fcl, coal, trimesh and Pinocchio: in one run, with equal answers.

    python benches/speed.py [--poses 1000000] [--peer-poses 2000] [--robots FOLDER]

For a release build (`pip install ./bindings/python`). Times are microseconds of CPU time of the whole process per query,
on one thread. Peers that are not installed are omitted; they run the first poses only, because their loops take long.
Ends with an error if a verdict differs. `--robots` is a folder with `moveit_resources_panda_description`.
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import time
from collections.abc import Callable
from typing import Any

import noli
import noli.checker
import numpy as np

Query = Callable[[np.ndarray], np.ndarray]


def bumpy(cuts: int, phase: float) -> noli.Mesh:
    """The body of workload W1: a sphere with two waves of bumps."""
    sphere = noli.Mesh.sphere(1.0, cuts)
    x, y, z = (sphere.vertices / np.linalg.norm(sphere.vertices, axis=1, keepdims=True)).T

    def waves(k: float) -> np.ndarray:
        return np.sin(k * x + phase) * np.sin(k * y + 2 * phase) * np.sin(k * z + 3 * phase)

    radius = 1 + 0.08 * waves(5) + 0.02 * waves(17)
    return noli.Mesh(np.stack([x, y, z], axis=1) * radius[:, None], sphere.faces)


def draws(count: int, seed: int) -> np.ndarray:
    """SplitMix64, numbers from 0 to 1."""
    with np.errstate(over="ignore"):
        x = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


def poses(count: int, near: float, far: float) -> np.ndarray:
    """Poses of W1 as matrices `(n, 4, 4)`: uniform rotations and directions, at distances from `near` to `far`."""
    u = draws(6 * count, 42).reshape(count, 6).T
    turn, other = 2 * np.pi * u[1], 2 * np.pi * u[2]
    a, b = np.sqrt(1 - u[0]), np.sqrt(u[0])
    x, y, z, w = a * np.sin(turn), a * np.cos(turn), b * np.sin(other), b * np.cos(other)
    out = np.zeros((count, 4, 4))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    up, around, distance = 2 * u[3] - 1, 2 * np.pi * u[4], near + (far - near) * u[5]
    flat = np.sqrt(np.maximum(0, 1 - up * up))
    out[:, :3, 3] = (distance * np.stack([flat * np.cos(around), flat * np.sin(around), up])).T
    out[:, 3, 3] = 1
    return out


def timed(work: Callable[[], Any], count: int) -> tuple[Any, float]:
    """Returns the result, and the CPU time of each of `count` items, in microseconds."""
    begun = time.process_time()
    result = work()
    return result, 1e6 * (time.process_time() - begun) / count


def optional(name: str) -> Any | None:
    try:
        return importlib.import_module(name)
    except Exception:  # noqa: BLE001
        return None


def each(query: Callable[[np.ndarray], Any]) -> Query:
    """A loop over matrices, as users of these libraries write it."""
    return lambda matrices: np.fromiter((bool(query(matrix)) for matrix in matrices), bool, len(matrices))


def fcl_loop(fcl: Any, a: noli.Mesh, b: noli.Mesh) -> Query:
    def body(mesh: noli.Mesh) -> Any:
        bvh = fcl.BVHModel()
        bvh.beginModel(len(mesh.vertices), len(mesh))
        bvh.addSubModel(mesh.vertices, mesh.faces.astype(np.int64))
        bvh.endModel()
        return fcl.CollisionObject(bvh)

    first, second, request = body(a), body(b), fcl.CollisionRequest()

    def query(matrix: np.ndarray) -> Any:
        second.setTransform(fcl.Transform(matrix[:3, :3], matrix[:3, 3]))
        return fcl.collide(first, second, request, fcl.CollisionResult())

    return each(query)


def coal_loop(coal: Any, a: noli.Mesh, b: noli.Mesh) -> Query:
    def body(mesh: noli.Mesh) -> Any:
        bvh = coal.BVHModelOBBRSS()
        bvh.beginModel(len(mesh), len(mesh.vertices))
        bvh.addVertices(mesh.vertices)
        bvh.addTriangles(mesh.faces.astype(np.int64))
        bvh.endModel()
        return bvh

    first, second, here = body(a), body(b), coal.Transform3s()
    request, result = coal.CollisionRequest(), coal.CollisionResult()

    def query(matrix: np.ndarray) -> Any:
        result.clear()
        return coal.collide(first, here, second, coal.Transform3s(matrix[:3, :3], matrix[:3, 3]), request, result)

    return each(query)


def manager_loop(manager: Any, a: noli.Mesh, b: noli.Mesh) -> Query:
    import noli.trimesh

    for name, mesh in [("a", a), ("b", b)]:
        manager.add_object(name, noli.trimesh.to_trimesh(mesh))

    def query(matrix: np.ndarray) -> Any:
        manager.set_transform("b", matrix)
        return manager.in_collision_internal()

    return each(query)


def loops(a: noli.Mesh, b: noli.Mesh) -> list[tuple[str, Query]]:
    import noli.trimesh

    fcl, coal, trimesh = optional("fcl"), optional("coal"), optional("trimesh")
    found: list[tuple[str, Query]] = []
    if fcl is not None:
        found.append(("python-fcl", fcl_loop(fcl, a, b)))
    if coal is not None:
        found.append(("coal", coal_loop(coal, a, b)))
    if trimesh is not None:
        if fcl is not None:
            found.append(("trimesh manager", manager_loop(trimesh.collision.CollisionManager(), a, b)))
        found.append(("our drop-in for it", manager_loop(noli.trimesh.CollisionManager(), a, b)))
    return found


def compare(name: str, ours: np.ndarray, cost: float, peer: Query, queries: np.ndarray) -> None:
    # The first calls are not timed.
    peer(queries[:20])
    theirs, other = timed(lambda: peer(queries), len(queries))
    differ = int((theirs != ours[: len(queries)]).sum())
    assert differ == 0, f"{name}: {differ} of {len(queries)} verdicts differ"
    print(f"  {name:20} {other:9.2f}   {other / cost:6.1f} times")


def meshes(count: int, few: int) -> None:
    cases = [
        ("W1: bumpy spheres", bumpy(59, 0.3), bumpy(59, 1.1), (1.85, 2.25)),
        ("small parts: ring and knob", noli.Mesh.torus(1.0, 0.3, 60, 31), bumpy(11, 0.3).scaled(0.4), (0.3, 1.6)),
    ]
    for name, a, b, (near, far) in cases:
        matrices, models = poses(count, near, far), (noli.Model(a), noli.Model(b))
        noli.overlap(*models, matrices[:few], threads=1)
        hits, cost = timed(lambda: noli.overlap(*models, matrices, threads=1), count)
        if name.startswith("W1"):
            assert len(a) == 69_620 and hits[:1000].sum() == 448
        print(f"{name}: {len(a)} x {len(b)} triangles, {count} poses, {hits.mean():.1%} hit")
        print(f"  {'noli.overlap':20} {cost:9.2f}")
        for peer, query in loops(a, b):
            compare(peer, hits, cost, query, matrices[:few])


def calls() -> None:
    sphere = noli.Model(noli.Convex.sphere(0.5))
    far, pose, matrix = sphere.at(noli.Pose([9, 0, 0])), noli.Pose([9, 0, 0]), noli.Pose([9, 0, 0]).matrix
    many = range(100_000)
    for name, call in [
        ("overlap(a, b.at(pose)), prepared", lambda: [noli.overlap(sphere, far) for _ in many]),
        ("overlap(a, b, pose)", lambda: [noli.overlap(sphere, sphere, pose) for _ in many]),
        ("overlap(a, b, 4x4 matrix)", lambda: [noli.overlap(sphere, sphere, matrix) for _ in many]),
    ]:
        print(f"a single call, two distant spheres, {name}: {timed(call, len(many))[1]:.2f}")


def single_states(arm: noli.Robot, q: np.ndarray, hits: np.ndarray) -> None:
    """One configuration a call, as planners in Python test them; the best of some passes."""
    checker, rows = noli.checker.Checker(arm), list(q[:50_000])
    lists = [row.tolist() for row in rows]
    for name, query, states in [
        ("robot.check(array)", arm.check, rows),
        ("checker.in_collision(array)", checker.in_collision, rows),
        ("checker.in_collision(list)", checker.in_collision, lists),
        ("a call that does nothing", len, rows),
    ]:
        passes = [timed(lambda: [query(state) for state in states], len(rows)) for _ in range(5)]
        if query is not len:
            assert passes[0][0] == hits[: len(rows)].tolist()
        print(f"  one call each, {name:30} {min(cost for _, cost in passes):9.2f}")


def robot(count: int, few: int, folder: pathlib.Path | None) -> None:
    if folder is None:
        puma = noli.Robot.puma560()
        low, high = np.clip(puma.limits, -3.2, 3.2).T
        q = np.random.default_rng(1).uniform(low, high, size=(count, puma.dof))
        hits, cost = timed(lambda: puma.check(q, threads=1), count)
        print(f"robot.check, PUMA 560 of primitives, {count} states, {hits.mean():.1%} hit\n  {'noli':20} {cost:9.2f}")
        single_states(puma, q, hits)
        return
    panda = folder / "moveit_resources_panda_description/urdf/panda.urdf"
    arm = noli.Robot.from_urdf(panda, packages=[folder], kind="surface")
    low, high = arm.limits.T
    q = np.random.default_rng(1).uniform(low, high, size=(count, arm.dof))
    hits, cost = timed(lambda: arm.check(q, threads=1), count)
    print(f"robot.check, Panda of meshes, {len(arm.pairs(samples=1, cells=1))} pairs, {count} states, {hits.mean():.1%} hit")
    print(f"  {'noli':20} {cost:9.2f}")
    single_states(arm, q, hits)
    pinocchio = optional("pinocchio")
    if pinocchio is None or not hasattr(pinocchio, "computeCollisions"):
        return
    model = pinocchio.buildModelFromUrdf(str(panda))
    geometry = pinocchio.buildGeomFromUrdf(model, str(panda), pinocchio.GeometryType.COLLISION, package_dirs=str(folder))
    names = [thing.name.rsplit("_", 1)[0] for thing in geometry.geometryObjects]
    disabled = {frozenset(pair[:2]) for pair in arm.disabled_pairs()}
    for a in range(len(names)):
        for b in range(a):
            if frozenset((names[a], names[b])) not in disabled and names[a] != names[b]:
                geometry.addCollisionPair(pinocchio.CollisionPair(a, b))
    data, geometry_data = model.createData(), geometry.createData()
    # Pinocchio has a column for a finger that mimics the other.
    columns = [arm.joint_names.index(name) if name in arm.joint_names else arm.dof - 1 for name in list(model.names)[1:]]

    def query(state: np.ndarray) -> Any:
        return pinocchio.computeCollisions(model, data, geometry, geometry_data, state[columns], True)

    compare("Pinocchio and coal", hits, cost, each(query), q[:few])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--poses", type=int, default=1_000_000)
    parser.add_argument("--peer-poses", type=int, default=2_000)
    parser.add_argument("--robots", type=pathlib.Path)
    arguments = parser.parse_args()
    print(f"noli {noli.__version__}; microseconds of CPU time per query, one thread")
    meshes(arguments.poses, arguments.peer_poses)
    robot(arguments.poses, arguments.peer_poses, arguments.robots)
    calls()


if __name__ == "__main__":
    main()
