"""Examples in docstrings and in the readme run; the stubs match the module."""

import doctest
import inspect
import pathlib
import re
import subprocess
import sys

import noli
import noli._noli
import noli.acm
import noli.campaign
import noli.checker
import noli.fcl
import noli.trimesh
import pytest

HERE = pathlib.Path(__file__).parent
MODULES = [("noli", noli), ("noli.campaign", noli.campaign), ("noli.trimesh", noli.trimesh)]
MODULES += [("noli.acm", noli.acm), ("noli.checker", noli.checker), ("noli.fcl", noli.fcl)]
CLASSES = [("Report", noli.Report), ("Relation", noli.Relation), ("Location", noli.Location)]
THINGS = [*MODULES, *vars(noli._noli).items(), *CLASSES]
MEMBERS = [(f"{name}.{member}", of) for name, thing in THINGS if inspect.isclass(thing) for member, of in vars(thing).items()]
EXAMPLES = [(name, thing) for name, thing in THINGS + MEMBERS if ">>>" in (inspect.getdoc(thing) or "")]


@pytest.mark.parametrize("name, thing", EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_examples_of_docstrings(name: str, thing: object) -> None:
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", {}, name, None, None)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    assert runner.tries > 0 and runner.failures == 0


def test_examples_are_found() -> None:
    assert len(EXAMPLES) >= 20


def test_everything_public_is_documented() -> None:
    undocumented = []
    for name in noli.__all__:
        thing = getattr(noli, name)
        if inspect.isclass(thing) or callable(thing):
            if not inspect.getdoc(thing):
                undocumented.append(name)
        if inspect.isclass(thing) and thing.__module__ == "noli":
            for member, value in vars(thing).items():
                if not member.startswith("_") and not inspect.getdoc(value):
                    undocumented.append(f"{name}.{member}")
    assert not undocumented


def test_readme() -> None:
    text = (HERE.parent / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_stubs_match_the_module(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    allow = tmp_path / "allow"
    # Type aliases of the stub, and the functions of pickle.
    allow.write_text(
        "noli\\._noli\\.(Path|Quat|Kind|Device|Guarantee|RelationWord|LocationWord|Floats|Bools|Codes|Body|Mover|Poses|OnePose|Shape|Feature)\n"
        "noli\\._noli\\.__all__\n"
        "noli\\._noli\\._(pose|mesh|convex|field|model|motion|robot|world|point_cloud)\n"
        "noli\\._noli\\.[A-Za-z]+\\.__(reduce|repr|new|init)__\n"
    )
    command = [sys.executable, "-m", "mypy.stubtest", "noli._noli", "--allowlist", str(allow)]
    command += ["--ignore-unused-allowlist", "--ignore-disjoint-bases"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_of_an_example(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(HERE / "typed_example.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr


TUTORIALS = sorted((HERE.parents[2] / "docs" / "tutorials").glob("*.md"))


@pytest.mark.parametrize("path", TUTORIALS, ids=[path.stem for path in TUTORIALS])
def test_python_of_tutorials_runs(path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a page share their names, as in one session; blocks with `skip=` are left out."""
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    for block in re.findall(r"```python\n(.*?)```", path.read_text(), re.S):
        exec(compile(block, path.name, "exec"), namespace)


EXAMPLES_TO_COPY = sorted((HERE.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES_TO_COPY, ids=[path.stem for path in EXAMPLES_TO_COPY])
def test_examples_run(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout, done.stdout + done.stderr


def test_examples_and_tutorials_are_there() -> None:
    assert len(EXAMPLES_TO_COPY) == 11 and len(TUTORIALS) >= 8


NOTEBOOKS = sorted((HERE.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebooks_run(path: pathlib.Path) -> None:
    import json

    cells = json.loads(path.read_text())["cells"]
    namespace: dict = {}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}[{number}]", "exec"), namespace)


def test_notebooks_are_there() -> None:
    assert len(NOTEBOOKS) == 3
