import pathlib

import noli
import pytest


def test_files_are_checked(tmp_path: pathlib.Path) -> None:
    noli.Mesh.cuboid([2, 2, 2]).write(tmp_path / "block.obj")
    noli.Mesh.cylinder(3, 0.5).write(tmp_path / "pin.stl")
    report = noli.check(tmp_path / "block.obj", tmp_path / "pin.stl")
    assert report.outcome == "touching" and report and report.hits[0]["relation"] == "intersecting"
    assert {report.hits[0]["a"], report.hits[0]["b"]} == {"block", "pin"}
    assert noli.Report.from_json(report.to_json()) == report
    assert report.columns()["clearance_at_most"] == [0.0]
    assert "<table>" in report._repr_html_()
    assert len(noli.check(tmp_path / "block.obj", tmp_path / "pin.stl", segments=5).pairs[0]["segments"]) == 5
    with pytest.raises(noli.FileError, match="missing.obj"):
        noli.check(tmp_path / "missing.obj")
    with pytest.raises(ValueError, match="soup"):
        noli.check(tmp_path / "block.obj", kind="soup")
    with pytest.raises(ValueError, match='no body is called "bolt"'):
        noli.check(tmp_path / "block.obj", tmp_path / "pin.stl", only=["bolt"])


def test_scenes_are_checked(tmp_path: pathlib.Path) -> None:
    noli.Mesh.cuboid([1, 1, 1]).write(tmp_path / "cube.obj")
    scene = tmp_path / "scene.toml"
    scene.write_text(
        'units = "mm"\n'
        '[[body]]\nname = "left"\nfile = "cube.obj"\nas = "solid"\n'
        '[[body]]\nname = "right"\nfile = "cube.obj"\nas = "solid"\npose = { xyz = [1.0, 0, 0] }\n'
    )
    report = noli.check(scene)
    assert report.units == "mm" and [pair["relation"] for pair in report.pairs] == ["touching"]
    assert report and not noli.check(scene, touching=False)


@pytest.mark.further
def test_tables() -> None:
    report = noli.check(demo="engine-bay")
    pandas = pytest.importorskip("pandas")
    table = report.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == len(report.pairs)
    assert int(table["hit"].sum()) == len(report.hits)
    assert noli.demos()
