"""Clearance along the insertion of a bulb into a ring, with its tightest place."""

import noli

ring = noli.Model(noli.Mesh.torus(12, 3, 64, 32).solid())
bulb = noli.Model(noli.Mesh.ellipsoid([8, 8, 14], 6).solid())
path = noli.Motion.between(noli.Pose([0.4, 0, 40]), noli.Pose([0, 0, 0]))

moving, fixed = bulb.moving(path), ring.at(noli.Pose([0, 0, 0]))
impact = noli.time_of_impact(fixed, moving)
assert impact.kind == "free", impact.kind          # proven at all times
closest, time = noli.closest_approach(fixed, moving)
print(f"smallest clearance {closest.at_least:.4f} to {closest.at_most:.4f} at time {time:.3f}")

profile = noli.clearance_profile(fixed, moving, 20)
for at, distance in zip(profile.times, profile.at_least, strict=True):
    print(f"{at:5.2f} {distance:8.3f} {'#' * int(distance)}")
assert closest.at_least <= profile.at_most.min()
