"""Type-checked, not run: the types of answers in an editor."""

import noli
import numpy as np
from numpy.typing import NDArray


def clearances(a: noli.Model, b: noli.Model, poses: NDArray[np.float64]) -> NDArray[np.float64]:
    hits: NDArray[np.bool_] = noli.overlap(a, b, poses)
    found: noli.Clearances = noli.clearance(a, b, poses, quat="wxyz")
    return found.at_least[~hits]


def first(a: noli.Model, b: noli.Model) -> float:
    if noli.overlap(a, b):
        return 0.0
    impact = noli.time_of_impact(a, b, noli.Pose([1, 0, 0]), noli.Pose([2, 0, 0]))
    return impact.safe_until if impact.touching_by is None else impact.touching_by


def word(a: noli.Model, b: noli.Model) -> str:
    report = noli.check("scene.toml", margin=0.5)
    return report.outcome + noli.relation(a, b)


def codes(a: noli.Model, b: noli.Model, poses: NDArray[np.float64]) -> list[noli.Relation]:
    return [noli.Relation(code) for code in noli.relation(a, b, poses).tolist()]


def removal(world: noli.World) -> list[str]:
    found: noli.RemovalResult = world.plan_removal("peg", exit_distance=0.5)
    hits = [pair["a"] for pair in world.check() if pair["clearance"].at_most == 0]
    return hits if found.clearance is None else found.blocked_by
