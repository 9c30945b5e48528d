"""For which configurations a statement holds, in words (section 10)."""

import math
from fractions import Fraction


def over(model, statement, kinematics, robot=None):
    """Names the ranges of the joints that matter, unless a description of the robot shows that they are everything."""
    if statement.region == "at":
        return "one configuration"
    if statement.region == "along":
        return f"edges: {statement.edges}"
    if statement.region == "curve":
        return f"curves: {statement.edges}" + (", with deviations" if any(statement.deviation) else "")
    ranges, between = [], _between(model, statement, kinematics)
    for number, (joint, ends) in enumerate(zip(model.joints, statement.ranges)):
        if number in between and ends is not None and not (robot and robot.is_all(number, *ends)):
            low, high = -down(-Fraction(ends[0])) + 0.0, down(Fraction(ends[1])) + 0.0
            ranges.append(f"{joint.name} in [{low!r}, {high!r}]")
    return "within " + ", ".join(ranges) if ranges else "every configuration"


def _between(model, statement, kinematics):
    """The joints between the bodies of the pairs, those that follow others replaced by what they follow."""
    joints, seen = set(), set()
    for a, b in statement.pairs:
        key = model.bodies[a].link, model.bodies[b].link
        if key in seen:
            continue
        seen.add(key)
        for path in kinematics.paths(a, b):
            for link in path:
                number = model.links[link].number
                if number is not None:
                    mimic = model.joints[number].mimic
                    joints.add(mimic[0] if mimic else number)
    return joints


def down(value):
    """The largest double not above a fraction."""
    nearest = float(value) if abs(value) < 2**1000 else math.copysign(2.0**1000, value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)
