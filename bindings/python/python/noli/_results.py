"""What batches answer with: arrays under names, one row for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._noli import Bracket

__all__ = ["Brackets", "Clearances", "Contacts", "Impacts", "Profile", "WayOut"]


class Brackets(NamedTuple):
    """Two arrays that the true values lie between."""

    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]


class Clearances(NamedTuple):
    """Gaps: no two points are closer than `at_least`, some two are `at_most` apart (infinite where none were found).

    `on_a` and `on_b` are the nearest points, `(n, 3)`, NaN where there are none; `None` unless asked for.
    """

    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]
    on_a: Optional[NDArray[np.float64]] = None
    on_b: Optional[NDArray[np.float64]] = None


class Impacts(NamedTuple):
    """Nothing touches before `safe_until` (1 where free); they touch by `touching_by` (infinite where free or unknown).

    `kind` holds numbers of `noli.IMPACTS`.
    """

    safe_until: NDArray[np.float64]
    touching_by: NDArray[np.float64]
    kind: NDArray[np.uint8]


class Contacts(NamedTuple):
    """Places where bodies are about to touch: points `(k, 3)`, unit vectors from A to B `(k, 3)`, and gaps `(k,)`."""

    on_a: NDArray[np.float64]
    on_b: NDArray[np.float64]
    normal: NDArray[np.float64]
    gap: NDArray[np.float64]


class WayOut(NamedTuple):
    """How a body comes out: "found" and "blocked" are proven, "not-found" proves nothing.

    `poses` are `(k, 7)`, x, y, z and a quaternion `xyzw`; between two of them the origin goes straight while the body
    turns by the shorter way. `gap` is the smallest along the way, `by` what is in the way where there is none.
    """

    verdict: Literal["found", "blocked", "not-found"]
    how: str
    poses: NDArray[np.float64]
    length: float
    turned_rad: float
    gap: Optional["Bracket"]
    by: list[str]
    steps: int


class Profile(NamedTuple):
    """Gaps along a motion, sampled."""

    times: NDArray[np.float64]
    at_least: NDArray[np.float64]
    at_most: NDArray[np.float64]

    def plot(self, axes: object = None) -> object:
        """Draws the gap over time with matplotlib; returns the axes."""
        import matplotlib.pyplot as plt

        axes = plt.gca() if axes is None else axes
        axes.fill_between(self.times, self.at_least, self.at_most, alpha=0.4)  # type: ignore[attr-defined]
        axes.plot(self.times, self.at_most)  # type: ignore[attr-defined]
        axes.set_xlabel("time")  # type: ignore[attr-defined]
        axes.set_ylabel("gap")  # type: ignore[attr-defined]
        axes.set_ylim(bottom=0)  # type: ignore[attr-defined]
        return axes
