"""VAMP with CAPT beside noli: the same point clouds, states, edges and planning problems of a Panda, in one run.

    pip install vamp-planner numpy                  # builds from source; CMake, a C++ compiler, Eigen
    python peers/vamp/main.py RESOURCES [--points 1000,10000,100000] [--states 20000] [--edges 500] [--plans 20]

RESOURCES is `resources/panda` of VAMP's source archive: its own URDF with fixed fingers, its meshes and SRDF, so that both
libraries have the same robot. noli tests the true meshes, and its verdicts are proven; those of VAMP are counted as

- misses: a state, edge or path that collides and is called valid,
- false alarms: a state or edge that is collision-free and is called invalid, as spheres are larger than meshes,
- own misses: a state that is called valid although one of VAMP's own spheres is deeper than 10 micrometres in the sphere of
  a point, all points compared one by one (https://github.com/KavrakiLab/vamp/issues/80, pull request 122).

A cloud is the surfaces of a table, a shelf and two walls; points have a radius of 10 mm. Calls through Python, one thread,
seconds of the process. VAMP converts the environment at each call of `validate`; its planner does so once.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import noli
import noli.checker
import numpy as np
import vamp

RADIUS = 0.01


def scene(count: int, random: np.random.Generator) -> np.ndarray:
    """Points on a table, a shelf and two walls within reach."""
    u, v = random.random(count), random.random(count)
    kind = np.arange(count) % 4
    wide = 1.2 * v - 0.6
    x = np.select([kind == 0, kind == 1, kind == 2], [0.3 + 0.6 * u, np.full(count, 0.8), 0.5 + 0.3 * u], wide)
    y = np.where(kind == 3, -0.7, wide)
    z = np.select([kind == 0, kind == 1, kind == 2], [np.full(count, 0.1), 0.1 + u, np.full(count, 0.7)], 1.2 * u)
    return np.stack([x, y, z], axis=1).astype(np.float32)


def timed(work: Any) -> tuple[Any, float]:
    begun = time.process_time()
    result = work()
    return result, time.process_time() - begun


def row(name: str, *values: object) -> None:
    print(f"{name:<46}" + "".join(f"{value:>16}" for value in values), flush=True)


def own_misses(q: np.ndarray, points: np.ndarray) -> tuple[int, int]:
    """Of states that VAMP calls valid, how many were tested, and how many have one of its spheres in a point's."""
    missed, exact = 0, points.astype(np.float64)
    few = q[: 1 + int(2e8) // (len(points) * vamp.panda.n_spheres())]
    for one in few:
        spheres = vamp.panda.fk(one)
        center = np.array([[sphere.x, sphere.y, sphere.z] for sphere in spheres], dtype=np.float64)
        reach = np.array([sphere.r for sphere in spheres], dtype=np.float64) + RADIUS - 1e-5
        missed += any((((exact - at) ** 2).sum(axis=1) < r * r).any() for at, r in zip(center, reach))
    return len(few), missed


def states_and_edges(
    checker: noli.checker.Checker, environment: Any, points: np.ndarray, options: Any, random: np.random.Generator
) -> None:
    low, high = checker.limits.T
    # Single precision, so that both have the same numbers.
    q = random.uniform(low, high, (options.states, len(low))).astype(np.float32).astype(np.float64)
    checker.in_collision(q[:5000])
    single, rows = q.astype(np.float32), list(q)
    valid, theirs = timed(lambda: np.array([vamp.panda.validate(one, environment) for one in single]))
    hits, ours = timed(lambda: np.array([checker.in_collision(one) for one in rows]))
    batch, quick = timed(lambda: checker.robot.check(checker.full(q), threads=1))
    assert np.array_equal(batch, hits), "a batch and single states differ"
    row("states a second, one call each", f"{len(q) / theirs:,.0f}", f"{len(q) / ours:,.0f}")
    row("states a second, one batch", "-", f"{len(q) / quick:,.0f}")
    row("colliding states", int((~valid).sum()), int(hits.sum()))
    row("  misses, false alarms", f"{(valid & hits).sum()}, {(~valid & ~hits).sum()}", "0, 0")
    few, missed = own_misses(single[valid], points)
    row("  own misses, of so many valid states", f"{missed} of {few}", "-")

    start = q[~hits & valid][: options.edges]
    end = np.clip(start + random.normal(size=start.shape) * 0.4, low, high).astype(np.float32).astype(np.float64)
    pairs = list(zip(start.astype(np.float32), end.astype(np.float32)))
    valid, theirs = timed(lambda: np.array([vamp.panda.validate_motion(a, b, environment) for a, b in pairs]))
    blocked, ours = timed(lambda: checker.robot.check_edges(checker.full(start), checker.full(end), threads=1))
    row("edges a second", f"{len(start) / theirs:,.0f}", f"{len(start) / ours:,.0f}")
    row("blocked edges", int((~valid).sum()), int(blocked.sum()))
    row("  misses, false alarms", f"{(valid & blocked).sum()}, {(~valid & ~blocked).sum()}", "0, 0")


def plans(checker: noli.checker.Checker, environment: Any, options: Any, random: np.random.Generator) -> None:
    low, high = checker.limits.T
    _, planner, settings, simplifying = vamp.configure_robot_and_planner_with_kwargs("panda", "rrtc")
    sampler = vamp.panda.halton()
    found: dict[str, list[float]] = {"vamp": [], "noli": []}
    colliding = problems = 0
    while problems < options.plans:
        ends = random.uniform(low, high, (2, len(low))).astype(np.float32)
        exact = ends.astype(np.float64)
        if checker.in_collision(exact).any() or not all(vamp.panda.validate(end, environment) for end in ends):
            continue
        problems += 1
        result, seconds = timed(lambda: planner(ends[0], ends[1], environment, settings, sampler))
        if result.solved:
            simple, more = timed(lambda: vamp.panda.simplify(result.path, environment, simplifying, sampler))
            found["vamp"].append(seconds + more)
            path = np.array(simple.path.numpy(), dtype=np.float64)
            colliding += checker.robot.check_path(checker.full(path)).kind != "free"
        path, seconds = timed(lambda: checker.plan(exact[0], exact[1], threads=1))
        if path is not None:
            found["noli"].append(seconds)
            assert checker.robot.check_path(path).kind == "free"
    middle = {name: f"{1e3 * np.median(seconds):.2f}" if seconds else "-" for name, seconds in found.items()}
    row(f"plans solved of {problems}", *(len(seconds) for seconds in found.values()))
    row("  median with simplification, ms", *middle.values())
    row("  paths that collide on the true meshes", colliding, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("resources", type=Path)
    parser.add_argument("--points", default="1000,10000,100000")
    parser.add_argument("--states", type=int, default=20_000)
    parser.add_argument("--edges", type=int, default=500)
    parser.add_argument("--plans", type=int, default=20)
    options = parser.parse_args()
    files = {"srdf": options.resources / "panda.srdf", "packages": [f"meshes={options.resources / 'meshes'}"]}
    checker = noli.checker.Checker.from_urdf(options.resources / "panda.urdf", group="panda_arm", **files)
    least, most = vamp.panda.min_max_radii()
    for count in map(int, options.points.split(",")):
        random = np.random.default_rng(count)
        points = scene(count, random)
        environment = vamp.Environment()
        given = points.tolist()
        _, theirs = timed(lambda: environment.add_pointcloud(given, least, most, RADIUS))
        checker.set_cloud("camera", points, radius=RADIUS)
        checker.in_collision(checker.default)
        _, ours = timed(lambda: (checker.set_cloud("camera", points, radius=RADIUS), checker.robot))
        print()
        row(f"{count:,} points", "VAMP", "noli")
        row("new cloud, ms", f"{1e3 * theirs:.1f}", f"{1e3 * ours:.1f}")
        states_and_edges(checker, environment, points, options, random)
        plans(checker, environment, options, random)


if __name__ == "__main__":
    main()
