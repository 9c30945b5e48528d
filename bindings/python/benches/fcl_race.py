"""Races `noli.fcl` with python-fcl on the same scripts, after their answers were compared.

    python benches/fcl_race.py [--poses 2000]

Needs python-fcl (`pip install python-fcl`). Pairs on which the verdicts differ are decided by the distance of the exact
shapes: python-fcl's verdict is counted as wrong if noli proves the contrary.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import noli
import noli.fcl


def shapes(fcl: Any) -> dict[str, Any]:
    """One geometry of each kind, by the classes of a module."""

    def mesh(source: noli.Mesh) -> Any:
        model = fcl.BVHModel()
        model.beginModel(len(source.vertices), len(source.faces))
        model.addSubModel(source.vertices, source.faces.astype(np.int64))
        model.endModel()
        return model

    return {
        "box": fcl.Box(1.0, 0.6, 0.4),
        "sphere": fcl.Sphere(0.5),
        "capsule": fcl.Capsule(0.3, 0.8),
        "cylinder": fcl.Cylinder(0.4, 0.9),
        "cone": fcl.Cone(0.5, 0.9),
        "ellipsoid": fcl.Ellipsoid(0.3, 0.5, 0.7),
        "torus": mesh(noli.Mesh.torus(0.6, 0.2, 48, 24)),
        "blob": mesh(noli.Mesh.ellipsoid([0.5, 0.4, 0.3], 12)),
    }


def transforms(count: int, reach: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random unit quaternions (real part first) and translations."""
    random = np.random.default_rng(seed)
    q = random.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1)[:, None], random.uniform(-reach, reach, (count, 3))


def run(fcl: Any, pair: tuple[str, str], q: np.ndarray, t: np.ndarray) -> tuple[dict[str, Any], dict[str, float]]:
    """Answers and seconds per call of one pair by one module."""
    geometry = shapes(fcl)
    a, b = (fcl.CollisionObject(geometry[name]) for name in pair)
    answers: dict[str, Any] = {}
    seconds: dict[str, float] = {}
    placed = [fcl.Transform(*row) for row in zip(q, t)]
    a.setTransform(fcl.Transform())
    fcl.collide(a, b)
    for name, query in (("collide", fcl.collide), ("distance", fcl.distance)):
        start = time.perf_counter()
        found = []
        for transform in placed:
            b.setTransform(transform)
            found.append(query(a, b))
        seconds[name] = (time.perf_counter() - start) / len(placed)
        answers[name] = np.array(found, dtype=float)
    return answers, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--poses", type=int, default=2000)
    count = parser.parse_args().poses
    import fcl

    pairs = [
        ("box", "box"), ("sphere", "sphere"), ("box", "sphere"), ("capsule", "capsule"), ("cylinder", "cone"),
        ("box", "ellipsoid"), ("torus", "torus"), ("torus", "blob"), ("torus", "box"), ("blob", "sphere"),
    ]  # fmt: skip
    print(f"{'pair':22} {'verdicts differ':>16} {'distances differ':>17} {'collide us':>20} {'distance us':>20}")
    total = [0, 0]
    for number, pair in enumerate(pairs):
        q, t = transforms(count, 1.2, number)
        ours, our_seconds = run(noli.fcl, pair, q, t)
        theirs, their_seconds = run(fcl, pair, q, t)
        verdicts = (ours["collide"] > 0) != (theirs["collide"] > 0)
        # noli's verdicts are exact: a difference beyond the tolerance of FCL's solvers is theirs.
        both = (ours["distance"] > 0) & (theirs["distance"] > 0)
        lengths = np.abs(ours["distance"] - theirs["distance"])[both] > 1e-4
        # An upper bound with witness points: noli's distance is never larger than the true one plus its bracket.
        total[0] += int(verdicts.sum())
        total[1] += int(lengths.sum())
        cost = [f"{1e6 * our_seconds[k]:8.2f} / {1e6 * their_seconds[k]:8.2f}" for k in ("collide", "distance")]
        print(f"{' / '.join(pair):22} {verdicts.sum():16} {lengths.sum():17} {cost[0]:>20} {cost[1]:>20}")
    print(f"{len(pairs) * count} poses: {total[0]} verdicts and {total[1]} distances differ (noli / python-fcl)")


if __name__ == "__main__":
    main()
