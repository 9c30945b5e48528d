"""Calls a second of noli's validators as OMPL makes them from Python: one state, one motion a call.

    python benches/ompl_calls.py ROBOT.urdf --srdf FILE [--packages DIR] [--count 20000]

For a release build (`pip install ./bindings/python`) and the package ompl. Motions are a twentieth of the space long and
start at valid states.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import noli
import noli.ompl
from noli.checker import Checker


def rate(call: Callable[[Any], bool], items: list[Any]) -> tuple[list[Any], float]:
    """The items of which the answer is yes, and the calls a second."""
    begun = time.perf_counter()
    answers = [call(item) for item in items]
    seconds = time.perf_counter() - begun
    return [item for item, answer in zip(items, answers) if answer], len(items) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot")
    parser.add_argument("--srdf")
    parser.add_argument("--packages", action="append", default=[])
    parser.add_argument("--count", type=int, default=20_000)
    arguments = parser.parse_args()
    checker = Checker.from_urdf(arguments.robot, srdf=arguments.srdf, packages=arguments.packages)
    checker.add_object("post", noli.Model(noli.Convex.cylinder(1.0, 0.12)), noli.Pose([0.8, 0.5, 0.0]))
    information = noli.ompl.space_information(checker)
    sampler = information.allocStateSampler()

    def drawn(draw: Callable[[Any], None]) -> Any:
        state = information.allocState()
        draw(state)
        return state

    states = [drawn(sampler.sampleUniform) for _ in range(arguments.count)]
    valid, a_second = rate(information.isValid, states)
    print(f"{len(valid)} of {len(states)} states are valid; {a_second:,.0f} calls a second")
    reach = 0.05 * information.getMaximumExtent()

    def near(start: Any) -> Any:
        return drawn(lambda state: sampler.sampleUniformNear(state, start, reach))

    motions = [(start, near(start)) for start in valid[:5000]]
    proven, a_second = rate(lambda ends: information.checkMotion(*ends), motions)
    print(f"{len(proven)} of {len(motions)} motions are proven free; {a_second:,.0f} calls a second")


if __name__ == "__main__":
    main()
