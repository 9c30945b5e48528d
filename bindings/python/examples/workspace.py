"""The share of a robot's joint space that is collision-free among obstacles, with a confidence interval."""

import math

import noli
import numpy as np

robot = noli.Robot.puma560()
table = noli.Model(noli.Mesh.cuboid([2, 2, 0.05]).solid())
wall = noli.Model(noli.Mesh.cuboid([0.05, 2, 2]).solid())
cell = robot.with_body("table", table, noli.Pose([0, 0, -0.75])).with_body("wall", wall, noli.Pose([0.6, 0, 0]))

low, high = cell.limits[:, 0], cell.limits[:, 1]
random = np.random.default_rng(1)
states = random.uniform(low, high, (20_000, cell.dof))
for name, arm in [("alone", robot), ("in the cell", cell)]:
    free = 1 - arm.check(states).mean()
    error = 1.96 * math.sqrt(free * (1 - free) / len(states))
    print(f"{name}: {free:.1%} of the configurations are collision-free (± {error:.1%})")
hit = np.flatnonzero(cell.check(states) & ~robot.check(states))[0]
print("an obstacle is hit by", cell.colliding_pairs(states[hit])[0])
