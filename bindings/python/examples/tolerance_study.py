"""How often a pin with position and angle errors fails to fit into its hole: 20,000 random assemblies."""

import math

import noli
import numpy as np

COUNT = 20_000
random = np.random.default_rng(7)

plate = noli.Model(noli.Mesh.torus(12, 8, 48, 32).solid())   # a hole of radius 4 in a rounded plate
pin = noli.Model(noli.Mesh.cylinder(30, 3.5, 48).solid())

angles = np.radians(random.normal(0, 1.0, COUNT))
axes = random.normal(size=(COUNT, 2))
axes /= np.linalg.norm(axes, axis=1, keepdims=True)
poses = np.zeros((COUNT, 7))
poses[:, :2] = random.normal(0, 0.15, (COUNT, 2))
poses[:, 3] = np.cos(angles / 2)
poses[:, 4:6] = axes * np.sin(angles / 2)[:, None]

hits = noli.overlap(plate, pin, poses, quat="wxyz")
share = hits.mean()
error = 1.96 * math.sqrt(share * (1 - share) / COUNT)
print(f"{share:.3%} of the assemblies collide (95 %: {share - error:.3%} to {share + error:.3%})")
assert 0 < share < 0.5
