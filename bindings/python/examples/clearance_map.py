"""A map of the clearance of a probe in a plane above a part, as characters."""

import noli
import numpy as np

part = noli.Model(noli.Mesh.torus(20, 5, 64, 32).solid())
probe = noli.Model(noli.Convex.sphere(1.0))

side = 33
xs = np.linspace(-32, 32, side)
poses = np.zeros((side * side, 7))
poses[:, 0], poses[:, 1] = (grid.ravel() for grid in np.meshgrid(xs, xs))
poses[:, 3] = 1.0

clearances = noli.clearance(part, probe, poses, quat="wxyz")
hits = noli.overlap(part, probe, poses, quat="wxyz")
assert (clearances.at_least[hits] == 0).all() and (clearances.at_most[~hits] > 0).all()

shades = np.array(list("#*+-. "))
level = np.minimum(clearances.at_least / 3, 5).astype(int)
for row in shades[level].reshape(side, side):
    print("".join(row))
print(f"{hits.sum()} of {hits.size} places collide; the largest clearance is {clearances.at_least.max():.3f}")
