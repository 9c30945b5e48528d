"""A robot with an edited allowed collision matrix and an attached part: plan, check and export."""

import tempfile
from pathlib import Path

import numpy as np

import noli
from noli.checker import Checker

checker = Checker(noli.Robot.puma560())
acm = checker.acm
acm.allow("link1", "link3", "Never in this cell")
checker.acm = acm

checker.add_object("post", noli.Model(noli.Convex.cuboid([0.1, 0.1, 2])), noli.Pose([0.5, -0.3, 0]))
checker.attach("link6", "part", noli.Model(noli.Convex.cuboid([0.05, 0.05, 0.2])), noli.Pose([0, 0, 0.15]), may_touch=["link5"])

start, goal = {"j1": 0.6, "j2": -0.4}, {"j1": -1.9, "j2": -0.3, "j3": 0.2}
print("in collision:", checker.in_collision(start), checker.in_collision(goal))
print("straight motion:", checker.first_contact(start, goal).kind)
path = checker.plan(start, goal)
if path is None:
    raise SystemExit("no path was found")
near = checker.nearest(path, unique=True)
print(f"path of {len(path)} configurations, smallest clearance at them {near.at_least.min():.3f} m, to {near.pairs[int(np.argmin(near.at_least))]}")
print("proven between them:", checker.robot.check_path(path).kind)

with tempfile.TemporaryDirectory() as folder:
    np.savetxt(Path(folder) / "path.csv", path, delimiter=",", header=",".join(checker.joint_names), comments="")
    acm.save(Path(folder) / "puma.srdf")
    print("exported:", sorted(file.name for file in Path(folder).iterdir()))
