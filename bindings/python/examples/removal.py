"""A peg that can be removed, and a linked ring that cannot: both are proven."""

import noli


def plan(bodies: dict[str, noli.Model], poses: dict[str, noli.Pose], part: str) -> None:
    world = noli.World()
    for name, model in bodies.items():
        world.add(name, model, poses.get(name))
    result = world.plan_removal(part)
    if result.verdict == "found":
        print(f"{part}: removed along {result.length:.1f}, clearance at least {result.clearance.at_least:.4f}")
    else:
        print(f"{part}: {result.verdict} by {', '.join(result.blocked_by)} ({result.how})")


ring = noli.Model(noli.Mesh.torus(10, 3, 32, 16).solid())
peg = noli.Model(noli.Mesh.cylinder(20, 5, 32).solid())
plan({"ring": ring, "peg": peg}, {}, "peg")

other = noli.Pose.from_axis_angle([1, 0, 0], 1.5707963, [10, 0, 0])
plan({"ring": ring, "linked": ring}, {"linked": other}, "linked")
