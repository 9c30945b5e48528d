"""Batches from Python beside python-fcl, coal and trimesh, in one run, with equal answers asserted; run by hand.

    python benches/speed.py [--poses 100000] [--peer-poses 2000] [--threads 1]

Peers that are not installed are left out. Times are processor time of the whole process in microseconds a question.
"""

from __future__ import annotations

import argparse
import importlib
import time
from typing import Any, Callable, Optional

import noli
import numpy as np


def bumpy(cuts: int, seed: int) -> noli.Mesh:
    ball = noli.Mesh.sphere(1.0, cuts)
    v = ball.vertices
    rng = np.random.default_rng(seed)
    waves = sum(a * np.sin(v @ k + p) for a, k, p in zip(rng.uniform(0, 0.06, 6), rng.normal(0, 5, (6, 3)), range(6)))
    return noli.Mesh(v * (1 + np.asarray(waves))[:, None], ball.faces)


def poses(count: int, reach: tuple[float, float], seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    w, x, y, z = q.T
    out = np.tile(np.eye(4), (count, 1, 1))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    way = rng.normal(size=(count, 3))
    way *= rng.uniform(*reach, size=(count, 1)) / np.linalg.norm(way, axis=1, keepdims=True)
    out[:, :3, 3] = way
    return out


def timed(work: Callable[[], Any], count: int) -> tuple[Any, float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, 1e6 * (time.process_time() - cpu) / count, 1e6 * (time.perf_counter() - wall) / count


def optional(name: str) -> Optional[Any]:
    try:
        return importlib.import_module(name)
    except Exception:  # noqa: BLE001
        return None


def peers(a: noli.Mesh, b: noli.Mesh, matrices: np.ndarray) -> list[tuple[str, Callable[[], np.ndarray]]]:
    found: list[tuple[str, Callable[[], np.ndarray]]] = []
    fcl = optional("fcl")
    if fcl is not None:

        def model(mesh: noli.Mesh) -> Any:
            bvh = fcl.BVHModel()
            bvh.beginModel(len(mesh.vertices), len(mesh))
            bvh.addSubModel(mesh.vertices, mesh.faces.astype(np.int64))
            bvh.endModel()
            return bvh

        first, second = fcl.CollisionObject(model(a)), fcl.CollisionObject(model(b))
        request = fcl.CollisionRequest()

        def ask_fcl() -> np.ndarray:
            out = np.zeros(len(matrices), bool)
            for row, matrix in enumerate(matrices):
                second.setTransform(fcl.Transform(matrix[:3, :3], matrix[:3, 3]))
                out[row] = fcl.collide(first, second, request, fcl.CollisionResult()) > 0
            return out

        found.append(("python-fcl", ask_fcl))
    coal = optional("coal")
    if coal is not None:

        def coal_model(mesh: noli.Mesh) -> Any:
            bvh = coal.BVHModelOBBRSS()
            bvh.beginModel(len(mesh), len(mesh.vertices))
            bvh.addVertices(mesh.vertices)
            bvh.addTriangles(mesh.faces.astype(np.int64))
            bvh.endModel()
            return bvh

        one, other, here = coal_model(a), coal_model(b), coal.Transform3s()
        request_coal, result = coal.CollisionRequest(), coal.CollisionResult()

        def ask_coal() -> np.ndarray:
            out = np.zeros(len(matrices), bool)
            for row, matrix in enumerate(matrices):
                there = coal.Transform3s(matrix[:3, :3], matrix[:3, 3])
                result.clear()
                out[row] = coal.collide(one, here, other, there, request_coal, result) > 0
            return out

        found.append(("coal", ask_coal))
    trimesh = optional("trimesh")
    if trimesh is not None and fcl is not None:
        import noli.trimesh

        manager = trimesh.collision.CollisionManager()
        manager.add_object("a", noli.trimesh.to_trimesh(a))
        manager.add_object("b", noli.trimesh.to_trimesh(b))

        def ask_manager() -> np.ndarray:
            out = np.zeros(len(matrices), bool)
            for row, matrix in enumerate(matrices):
                manager.set_transform("b", matrix)
                out[row] = manager.in_collision_internal()
            return out

        found.append(("trimesh manager", ask_manager))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=100_000)
    parser.add_argument("--peer-poses", type=int, default=2_000)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torus = noli.Mesh.torus(1.0, 0.3, 60, 31)
    cases = [
        ("bumpy balls", bumpy(45, 1), bumpy(45, 2), (1.4, 2.2)),
        ("ring and pin", torus, noli.Mesh.cylinder(2.0, 0.25, 64), (0.3, 1.6)),
    ]
    print(f"noli {noli.__version__}, {arguments.threads} thread(s); microseconds of processor time a question")
    for name, a, b, reach in cases:
        matrices = poses(arguments.poses, reach)
        few = matrices[: arguments.peer_poses]
        models = noli.Model(a), noli.Model(b)
        noli.overlap(*models, few)
        hits, cpu, wall = timed(lambda: noli.overlap(*models, matrices, threads=arguments.threads), len(matrices))
        print(f"{name}: {len(a)} x {len(b)} triangles, {hits.mean():.0%} hit")
        print(f"  {'noli':16} {cpu:9.2f}   ({wall:.2f} by the clock)")
        for peer, ask in peers(a, b, few):
            theirs, cost, _ = timed(ask, len(few))
            differ = int((theirs != hits[: len(few)]).sum())
            print(f"  {peer:16} {cost:9.2f}   {cost / cpu:6.1f} times; {differ} of {len(few)} verdicts differ")
    cube = noli.Model(noli.Convex.sphere(0.5))
    far = cube.at(noli.Pose([9, 0, 0]))
    _, cpu, _ = timed(lambda: [noli.overlap(cube, far) for _ in range(100_000)], 100_000)
    print(f"a single call, two balls far apart: {cpu:.2f}")
    robot = noli.Robot.puma560()
    low, high = np.clip(robot.limits, -3.2, 3.2).T
    q = np.random.default_rng(1).uniform(low, high, size=(arguments.poses, robot.dof))
    _, cpu, _ = timed(lambda: robot.check(q, threads=arguments.threads), len(q))
    print(f"robot.check, PUMA 560 with plain bodies: {cpu:.2f} a state")


if __name__ == "__main__":
    main()
