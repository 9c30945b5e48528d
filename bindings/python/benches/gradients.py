"""Compares gradients of the clearance in joint space with central differences, and times queries of `noli.checker`.

    python benches/gradients.py ROBOT.urdf [--srdf FILE] [--packages DIR] [--count 10000] [--objects 8]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import noli
from noli.checker import Checker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("urdf")
    parser.add_argument("--srdf")
    parser.add_argument("--packages", action="append", default=[])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--objects", type=int, default=8)
    arguments = parser.parse_args()
    checker = Checker.from_urdf(arguments.urdf, srdf=arguments.srdf, packages=arguments.packages)
    random = np.random.default_rng(1)
    for number in range(arguments.objects):
        q = random.normal(size=4)
        place = random.uniform([-0.8, -0.8, 0.0], [0.8, 0.8, 1.2])
        place[:2] += np.sign(place[:2]) * 0.35
        shape = noli.Convex.cuboid(random.uniform(0.05, 0.25, 3)) if number % 2 else noli.Convex.sphere(0.1)
        checker.add_object(f"object{number}", noli.Model(shape), noli.Pose(place, q / np.linalg.norm(q), quat="wxyz"))
    limits = np.clip(checker.limits, -np.pi, np.pi)
    q = random.uniform(limits[:, 0], limits[:, 1], (arguments.count, len(limits)))

    start = time.perf_counter()
    verdicts = checker.in_collision(q)
    print(f"states: {arguments.count / (time.perf_counter() - start):,.0f} a second, {verdicts.mean():.1%} in collision")
    start = time.perf_counter()
    found = checker.nearest(q)
    print(f"gradients: {arguments.count / (time.perf_counter() - start):,.0f} a second")
    found = checker.nearest(q, unique=True)
    assert found.unique is not None
    free, step, worst = found.at_least > 1e-3, 1e-5, np.zeros(arguments.count)
    for j in range(q.shape[1]):
        ends = [checker.nearest(q + sign * step * np.eye(q.shape[1])[j]).at_most for sign in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * step)
        worst = np.maximum(worst, np.abs(slope - found.gradient[:, j]))
    unique = found.unique & free
    print(
        f"{free.sum()} states with a clearance beyond 1 mm: {unique.sum()} unique, largest deviation from central "
        f"differences {worst[unique].max():.2e}, median {np.median(worst[unique]):.2e}; {(free & ~unique).sum()} not unique"
    )
    start = time.perf_counter()
    for number in range(100):
        checker.move_object("object0", noli.Pose([1.5, 0.01 * number, 0.5]))
        checker.in_collision(q[0])
    print(f"moving an object and one check: {10 * (time.perf_counter() - start):.2f} ms")


if __name__ == "__main__":
    main()
