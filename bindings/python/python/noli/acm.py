"""The allowed collision matrix of a robot: load, edit and save as SRDF.

>>> import noli.acm
>>> acm = noli.acm.AllowedCollisionMatrix()
>>> acm.allow("hand", "cup", "Grasp")
>>> acm.is_allowed("cup", "hand"), len(acm)
(True, 1)
"""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from ._noli import Robot

__all__ = ["AllowedCollisionMatrix"]

_BY_SRDF = "disabled by the SRDF: "
_KEPT = ("held together", "the attached object may touch it")


class AllowedCollisionMatrix:
    """Pairs of links and objects that may collide, with the reason of each."""

    def __init__(self) -> None:
        self._reasons: dict[frozenset[str], str] = {}
        self._read: set[frozenset[str]] = set()
        self._document: ElementTree.Element | None = None
        self._robot = ""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> AllowedCollisionMatrix:
        """Reads the disabled pairs of an SRDF file; its other elements are kept for `save`."""
        return cls.from_text(Path(path).read_text(encoding="utf-8"))

    @classmethod
    def from_text(cls, text: str) -> AllowedCollisionMatrix:
        """Reads the text of an SRDF file."""
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise ValueError("an SRDF has no document type; remove it")
        try:
            document = ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            raise ValueError(f"this is not XML: {error}; give an SRDF file") from error
        if document.tag != "robot":
            raise ValueError(f"the root element is <{document.tag}>, not <robot>; give an SRDF file")
        acm = cls()
        acm._document, acm._robot = document, document.get("name", "")
        for element in document.iter("disable_collisions"):
            first, second = element.get("link1"), element.get("link2")
            if first and second and first != second:
                acm.allow(first, second, element.get("reason", ""))
        acm._read = set(acm._reasons)
        return acm

    @classmethod
    def of_robot(cls, robot: Robot) -> AllowedCollisionMatrix:
        """Reads the disabled pairs of a robot; the other elements of its SRDF are kept for `save`."""
        acm = cls() if robot.srdf is None else cls.from_text(robot.srdf)
        acm._robot = acm._robot or robot.name
        acm._add_disabled(robot)
        return acm

    def _add_disabled(self, robot: Robot) -> None:
        """Adds the disabled pairs of a robot that are not known yet."""
        for first, second, reason in robot.disabled_pairs():
            pair = frozenset((first, second))
            if pair not in self._reasons:
                self._reasons[pair] = reason.removeprefix(_BY_SRDF).removeprefix(_BY_SRDF.removesuffix(": "))
                self._read.add(pair)

    def allow(self, a: str, b: str, reason: str = "User") -> None:
        """Lets a pair collide: it is not checked."""
        if a == b:
            raise ValueError(f"`{a}` is no pair; name two links")
        self._reasons[frozenset((a, b))] = reason
        self._read.discard(frozenset((a, b)))

    def require(self, a: str, b: str) -> None:
        """Removes a pair, so that it is checked."""
        self._reasons.pop(frozenset((a, b)), None)

    def is_allowed(self, a: str, b: str) -> bool:
        """Returns `True` if a pair may collide."""
        return frozenset((a, b)) in self._reasons

    def reason(self, a: str, b: str) -> str | None:
        """Returns the reason of a pair; `None` if it is checked."""
        return self._reasons.get(frozenset((a, b)))

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        for pair, reason in self._reasons.items():
            first, second = sorted(pair)
            yield first, second, reason

    def __len__(self) -> int:
        return len(self._reasons)

    def copy(self) -> AllowedCollisionMatrix:
        """Returns an independent copy."""
        other = AllowedCollisionMatrix()
        other._reasons, other._read = dict(self._reasons), set(self._read)
        other._document, other._robot = self._document, self._robot
        return other

    def to_srdf(self, robot: str | None = None) -> str:
        """Returns the text of an SRDF file; groups and other elements of the loaded file are kept.

        Pairs that nothing moves against each other, and those that touch an attached object, are disabled without it.
        """
        root = ElementTree.Element("robot", {"name": robot or self._robot})
        for element in self._document if self._document is not None else ():
            if element.tag != "disable_collisions":
                root.append(element)
        for first, second, reason in sorted(self):
            if reason.startswith(_KEPT):
                continue
            attributes = {"link1": first, "link2": second, "reason": reason}
            ElementTree.SubElement(root, "disable_collisions", attributes)
        ElementTree.indent(root)
        return ElementTree.tostring(root, encoding="unicode") + "\n"

    def save(self, path: str | os.PathLike[str], robot: str | None = None) -> None:
        """Writes an SRDF file."""
        Path(path).write_text(self.to_srdf(robot), encoding="utf-8")

    def apply(self, robot: Robot) -> Robot:
        """Returns the robot with just these pairs disabled, of those that can move relative to each other.

        A name that is no link and no object of the robot is an error; one that an SRDF file names is a warning.
        """
        self.check_names({*robot.link_names, *(name for pair in robot.pair_names for name in pair)})
        return self._applied(robot)

    def check_names(self, names: set[str]) -> None:
        """Raises `ValueError` for a pair with a name that is none of these; pairs of an SRDF file are warnings."""
        for pair in self._reasons:
            for name in sorted(pair - names):
                near = difflib.get_close_matches(name, names, 1)
                hint = f"; did you mean `{near[0]}`?" if near else ""
                text = f"the allowed collision matrix names `{name}`, which is no link and no object{hint}"
                if pair not in self._read:
                    raise ValueError(text)
                warnings.warn(text, stacklevel=3)

    def _applied(self, robot: Robot) -> Robot:
        now = {frozenset((a, b)): reason for a, b, reason in robot.disabled_pairs()}
        names = {frozenset(pair) for pair in robot.pair_names}
        for pair in self._reasons.keys() - now.keys():
            if pair in names:
                first, second = sorted(pair)
                robot = robot.disable_pair(first, second)
        # Pairs that never move relative to each other, and touch links of attached objects, stay disabled.
        wanted = self._reasons.keys() | {pair for pair, reason in now.items() if reason.startswith(_KEPT)}
        for pair in now.keys() - wanted:
            first, second = sorted(pair)
            robot = robot.with_margin(first, second, 0.0)
        return robot
