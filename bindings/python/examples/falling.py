"""A leaning stack of boxes falls and comes to rest, without any penetration."""

import noli

sim = noli.Dynamics()
sim.add_fixed("floor", noli.Model("half-space"))
box = noli.Model(noli.Mesh.cuboid([0.2, 0.2, 0.2]).solid())
for k in range(4):
    sim.add(f"box {k}", box, noli.Pose([0.07 * k, 0, 0.11 + 0.21 * k]), mass=1, friction=0.4)

for _ in range(6):
    sim.advance(0.25)
    heights = ", ".join(f"{sim.pose(name).translation[2]:.3f}" for name in sim.names if name != "floor")
    print(f"{sim.time:4.2f} s: heights {heights}; energy {sim.energy:.3f}")
summary = sim.summary()
print(f"{summary['pieces']} pieces of motion proven, {summary['impacts']} impacts")
assert summary["penetrations"] == 0
