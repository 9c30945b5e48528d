"""First contact of a turning blade with a thin post: ten samples miss it, the proof does not."""

import math

import noli

blade = noli.Model(noli.Mesh.cuboid([2, 0.1, 0.1]).solid())
post = noli.Model(noli.Mesh.cylinder(1, 0.01, 16).solid()).at(noli.Pose([0, 0.98, 0]))
turn = noli.Motion.screw(noli.Pose(), [0, 0, 0], [0, 0, 1], 3.0)

samples = [noli.overlap(post, blade.at(turn.pose(k / 9))) for k in range(10)]
impact = noli.time_of_impact(post, blade.moving(turn))
print(f"ten samples find {sum(samples)} contacts")
print(f"proven free until {impact.safe_until:.6f}, in contact by {impact.touching_by:.6f}")
assert not any(samples) and impact.kind == "at"
assert 0.4 < impact.safe_until < math.pi / 6
intervals = noli.contact_intervals(post, blade.moving(turn))
print("contact intervals:", [(round(begin, 4), round(end, 4)) for begin, _, end in intervals])
