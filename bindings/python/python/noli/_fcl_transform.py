"""Transforms of `noli.fcl`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._noli import Pose

Floats = NDArray[np.float64]

_ZERO: Floats = np.zeros(3)
_UPRIGHT: Floats = np.array([1.0, 0.0, 0.0, 0.0])


def _vector(value: ArrayLike, length: int = 3) -> Floats:
    array = np.array(value, dtype=np.float64).reshape(-1)
    if array.shape != (length,):
        raise ValueError(f"{length} numbers are wanted, not {array.shape[0]}")
    return array


class Transform:
    """A rigid transform: `Transform()`, `Transform(R)`, `Transform(q)`, `Transform(t)`, `Transform(R or q, t)`, or a copy.

    Quaternions have their real part first.
    """

    # Arrays are replaced and never changed in place, so copies share them.
    __slots__ = ("_pose", "_quaternion", "_rotation", "_translation")

    def __init__(self, *args: Any) -> None:
        self._rotation: Floats | None = None
        self._quaternion: Floats | None = None
        self._translation: Floats = _ZERO
        self._pose: Pose | None = None
        if len(args) > 2:
            raise ValueError("Too many arguments to Transform().")
        if len(args) == 1 and isinstance(args[0], Transform):
            other = args[0]
            self._rotation, self._quaternion = other._rotation, other._quaternion
            self._translation, self._pose = other._translation, other._pose
            return
        if len(args) == 1 and np.shape(args[0]) == (3,):
            self.setTranslation(args[0])
        elif args:
            shape = np.shape(args[0])
            if shape == (3, 3):
                self.setRotation(args[0])
            elif shape == (4,):
                self.setQuatRotation(args[0])
            else:
                raise ValueError("Invalid input to Transform().")
        if len(args) == 2:
            if np.squeeze(np.asarray(args[1])).shape != (3,):
                raise ValueError("Translation must be (3,).")
            self.setTranslation(args[1])

    def getRotation(self) -> Floats:
        """Returns the rotation matrix."""
        return self.pose().matrix[:3, :3] if self._rotation is None else self._rotation.copy()

    def getTranslation(self) -> Floats:
        """Returns the translation."""
        return self._translation.copy()

    def getQuatRotation(self) -> Floats:
        """Returns the rotation as a quaternion, its real part first."""
        return self.pose().wxyz

    def setRotation(self, R: ArrayLike) -> None:
        """Sets the rotation matrix."""
        matrix = np.array(R, dtype=np.float64)
        if matrix.shape != (3, 3):
            raise ValueError("a rotation is a (3, 3) matrix")
        self._rotation, self._quaternion, self._pose = matrix, None, None

    def setTranslation(self, T: ArrayLike) -> None:
        """Sets the translation."""
        self._translation, self._pose = _vector(T), None

    def setQuatRotation(self, q: ArrayLike) -> None:
        """Sets the rotation by a quaternion, its real part first."""
        self._rotation, self._quaternion, self._pose = None, _vector(q, 4), None

    def pose(self) -> Pose:
        """Returns the transform as a `noli.Pose`."""
        if self._pose is None:
            if self._rotation is None:
                rotation = _UPRIGHT if self._quaternion is None else self._quaternion
                self._pose = Pose(self._translation, rotation, quat="wxyz")
            else:
                matrix = np.eye(4)
                matrix[:3, :3], matrix[:3, 3] = self._rotation, self._translation
                self._pose = Pose.from_matrix(matrix)
        return self._pose
