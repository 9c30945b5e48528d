"""Bodies with curved faces: fits are separated, touching or intersecting as designed."""

import pathlib

import noli
import numpy as np
import pytest


class Step:
    """A STEP file in the making: instances, numbered from 1."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, text: str) -> int:
        self.lines.append(f"#{len(self.lines) + 1} = {text};")
        return len(self.lines)

    def axis(self, z: float) -> int:
        point = self.add(f"CARTESIAN_POINT('',(0.,0.,{z!r}))")
        up, across = self.add("DIRECTION('',(0.,0.,1.))"), self.add("DIRECTION('',(1.,0.,0.))")
        return self.add(f"AXIS2_PLACEMENT_3D('',#{point},#{up},#{across})")

    def rim(self, radius: float, z: float) -> int:
        circle = self.add(f"CIRCLE('',#{self.axis(z)},{radius!r})")
        point = self.add(f"CARTESIAN_POINT('',({radius!r},0.,{z!r}))")
        vertex = self.add(f"VERTEX_POINT('',#{point})")
        return self.add(f"EDGE_CURVE('',#{vertex},#{vertex},#{circle},.T.)")

    def bound(self, edge: int, forward: bool) -> int:
        oriented = self.add(f"ORIENTED_EDGE('',*,*,#{edge},.{'T' if forward else 'F'}.)")
        loop = self.add(f"EDGE_LOOP('',(#{oriented}))")
        return self.add(f"FACE_BOUND('',#{loop},.T.)")

    def shaft(self, name: str, radius: float, low: float, high: float) -> int:
        rims = [self.rim(radius, z) for z in (low, high)]
        side = self.add(f"CYLINDRICAL_SURFACE('',#{self.axis(low)},{radius!r})")
        bounds = [self.bound(rims[0], True), self.bound(rims[1], False)]
        faces = [self.add(f"ADVANCED_FACE('side',(#{bounds[0]},#{bounds[1]}),#{side},.T.)")]
        for k, z in enumerate((low, high)):
            plane, bound = self.add(f"PLANE('',#{self.axis(z)})"), self.bound(rims[k], k == 1)
            faces.append(self.add(f"ADVANCED_FACE('end {k}',(#{bound}),#{plane},.{'FT'[k]}.)"))
        shell = self.add(f"CLOSED_SHELL('',({','.join(f'#{face}' for face in faces)}))")
        return self.add(f"MANIFOLD_SOLID_BREP('{name}',#{shell})")

    def write(self, path: pathlib.Path, solids: list[int]) -> None:
        unit = self.add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))")
        angle = self.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))")
        context = self.add(
            f"(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#{unit},#{angle})) REPRESENTATION_CONTEXT('',''))"
        )
        items = ",".join(f"#{solid}" for solid in solids)
        self.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({items}),#{context})")
        head = "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n"
        path.write_text(head + "\n".join(self.lines) + "\nENDSEC;\nEND-ISO-10303-21;\n")


def test_bodies_of_a_file(tmp_path: pathlib.Path) -> None:
    step = Step()
    path = tmp_path / "shafts.step"
    step.write(path, [step.shaft("lower", 5.0, 0.0, 20.0), step.shaft("upper", 4.0, 20.0, 30.0)])
    lower, upper = noli.CurvedBody.read(path)
    assert (lower.name, lower.faces, lower.is_solid) == ("lower", ["side", "end 0", "end 1"], True)
    np.testing.assert_allclose(lower.bounds, [[-5, -5, 0], [5, 5, 20]], atol=0.5)
    found = lower.relation(upper)
    assert (found.relation, found.certain, found.faces) == ("touching", True, ("end 1", "end 0"))
    lifted = lower.relation(upper.at(noli.Pose([0, 0, 0.25])))
    assert lifted.relation == "separated" and 0.25 in lifted.clearance and lifted.points.shape == (2, 3)
    lowered = lower.relation(upper.at(noli.Pose([0, 0, -0.25])))
    assert lowered.relation == "intersecting" and lowered.interference.at_least > 0


@pytest.mark.parametrize("clearance, relation", [(1e-3, "separated"), (0.0, "touching"), (-1e-3, "intersecting")])
def test_fits(clearance: float, relation: str) -> None:
    pin, bush = noli.CurvedBody.cylinder(8, 30), noli.CurvedBody.bush(8 + clearance, 16, 20)
    pose = noli.Pose.from_axis_angle([1, 2, 3], 0.7)
    found = pin.at(pose).relation(bush.at(pose))
    assert (found.relation, found.certain, found.faces) == (relation, True, ("shaft", "hole"))
    # The placement is rounded: 1e-9 is far above its error for bodies of 30 and far below the clearance of 1e-3.
    assert found.fits[0][:2] == ("shaft", "hole") and abs(found.fits[0][2] - clearance) < 1e-9


def test_bad_input(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="radius=-1"):
        noli.CurvedBody.sphere(-1)
    with pytest.raises(ValueError, match="outer - inner"):
        noli.CurvedBody.bush(2, 1, 1)
    with pytest.raises(ValueError, match="tolerance"):
        noli.CurvedBody.sphere(1).relation(noli.CurvedBody.sphere(1), tolerance=-1.0)
    with pytest.raises(noli.FileError, match="cannot be read"):
        noli.CurvedBody.read(tmp_path / "none.step")
    (tmp_path / "bad.step").write_text("solid cube")
    with pytest.raises(noli.FileError, match="line 1"):
        noli.CurvedBody.read(tmp_path / "bad.step")
