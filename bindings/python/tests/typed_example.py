"""Type-checked, not run: what an editor knows of answers."""

import noli
import numpy as np
from numpy.typing import NDArray


def gaps(a: noli.Model, b: noli.Model, poses: NDArray[np.float64]) -> NDArray[np.float64]:
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
