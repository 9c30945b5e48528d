"""A robot path between two configurations, proven between its waypoints."""

import noli
import numpy as np

robot = noli.Robot.puma560()
post = noli.Model(noli.Convex.cylinder(1.4, 0.05))
cell = robot.with_body("post", post, noli.Pose([0.3, 0.38, 0]))

start = np.zeros(6)
goal = np.array([-1.5, -0.5, 0, 0, 0, 0])
path = cell.plan(start, goal)
assert path is not None
print(f"{len(path)} configurations")
assert cell.check_path(path).kind == "free"       # at all times, not at samples
clearance, nearest = cell.clearance(path[-1])
print(f"clearance at the goal: {clearance.at_least:.4f} m, nearest {nearest}")

blocked = cell.check_edge(start, np.array([1.5, 0, 0, 0, 0, 0]))
print(f"the straight edge to the other side: {blocked.kind} {blocked.parts}")
assert blocked.is_hit
