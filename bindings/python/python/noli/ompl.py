"""Validity of states and motions for [OMPL](https://ompl.kavrakilab.org), proven between samples.

`MotionValidator` proves that an edge is collision-free at every moment, so planners need no resolution and their paths
cannot pass through thin obstacles. Needs the package `ompl` (`pip install ompl`), version 2.

    checker = noli.checker.Checker(robot, group="arm")
    space_information = noli.ompl.space_information(checker)
    planner = ompl.geometric.RRTConnect(space_information)

`docs/ompl.md` describes what plug-ins of MoveIt and Tesseract call.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from ompl import base  # type: ignore[import-not-found, import-untyped, unused-ignore]

from .checker import Checker

__all__ = [
    "MotionValidator",
    "StateValidityChecker",
    "configuration",
    "set_state",
    "solution",
    "space_information",
    "state_space",
]


def configuration(state: Any, count: int) -> NDArray[np.float64]:
    """Returns the values of a state of a `RealVectorStateSpace`."""
    return np.array([state[k] for k in range(count)])


def set_state(state: Any, q: ArrayLike) -> None:
    """Sets the values of a state of a `RealVectorStateSpace`."""
    for number, value in enumerate(np.asarray(q, dtype=np.float64)):
        state[number] = float(value)


class StateValidityChecker(base.StateValidityChecker):  # type: ignore[misc, unused-ignore]
    """Exact check of configurations."""

    def __init__(self, si: Any, checker: Checker) -> None:
        super().__init__(si)
        self.checker = checker
        self.calls = 0
        self._count = len(checker.joint_names)

    def isValid(self, state: Any) -> bool:
        """Returns `True` if the configuration is collision-free."""
        self.calls += 1
        return not self.checker.in_collision(configuration(state, self._count))

    def clearance(self, state: Any) -> float:
        """Returns a lower bound on the clearance of the configuration."""
        return float(self.checker.nearest(configuration(state, self._count)).at_least[0])


class MotionValidator(base.MotionValidator):  # type: ignore[misc, unused-ignore]
    """Proof that straight joint motions are collision-free at every moment."""

    def __init__(self, si: Any, checker: Checker) -> None:
        super().__init__(si)
        self.checker = checker
        self.calls = 0
        self._count = len(checker.joint_names)

    def checkMotion(self, s1: Any, s2: Any) -> bool:
        """Returns `True` if the motion from `s1` to `s2` is proven collision-free; undecided motions are invalid."""
        self.calls += 1
        start, end = configuration(s1, self._count), configuration(s2, self._count)
        return self.checker.check_motion(start, end)


def state_space(checker: Checker) -> Any:
    """Creates a space of the joints of the group, with their limits; joints without a limit have one turn each way."""
    limits = np.nan_to_num(checker.limits, posinf=np.pi, neginf=-np.pi)
    space = base.RealVectorStateSpace(len(limits))
    bounds = base.RealVectorBounds(len(limits))
    for number, (low, high) in enumerate(limits):
        bounds.setLow(number, float(low))
        bounds.setHigh(number, float(high))
    space.setBounds(bounds)
    return space


def space_information(checker: Checker, space: Any = None) -> Any:
    """Creates space information with both checks, ready for planners."""
    information = base.SpaceInformation(state_space(checker) if space is None else space)
    information.setStateValidityChecker(StateValidityChecker(information, checker))
    information.setMotionValidator(MotionValidator(information, checker))
    information.setup()
    return information


def solution(path: Any, checker: Checker) -> NDArray[np.float64]:
    """Returns the configurations of a `PathGeometric`, `(n, dof)` of the group."""
    count = len(checker.joint_names)
    return np.array([configuration(path.getState(k), count) for k in range(path.getStateCount())])
