"""The items of a certificate and its verdict (sections 1, 6 and 10)."""

import multiprocessing

from . import cbor
from .binding import bind
from .errors import CheckError, require
from .kinematics import Kinematics
from .model import Model, is_index
from .over import down, over
from .packing import unpacked
from .proof import Checker, Clearance
from .shape import Cover
from .sources import Files

NOT_COVERED = "names, titles, units, reasons of disabled pairs and the generator are words of the file, not of the proof"
RAYS = ("separated", "inside")


def check_file(path, folder=None, urdf=None, jobs=1):
    """The report of section 10 about a file."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        return _report(CheckError("E-MISSING", f"{path}: {error.strerror}"))
    return check_bytes(data, folder, urdf, jobs)


def check_bytes(data, folder=None, urdf=None, jobs=1):
    """The report of section 10 about the content of a file."""
    certificate = Certificate(jobs)
    try:
        certificate.check(cbor.items(memoryview(unpacked(data))), Files(folder))
        return certificate.report(folder, urdf)
    except CheckError as error:
        error.item = certificate.count if error.item is None else error.item
        return _report(error)
    except OSError as error:
        return _report(CheckError("E-MISSING", f"{error.filename}: {error.strerror}"))


def _report(error):
    return {"verdict": error.verdict(), "error": vars(error), "statements": []}


class Certificate:
    """The state of a check: what was discharged, and what is owed."""

    def __init__(self, jobs):
        self.jobs, self.count, self.model = jobs, -1, None
        self.proofs, self.rays, self.parted, self.owed, self.clearances = set(), set(), set(), set(), []

    def check(self, items, files):
        ended, tasks = False, self._tasks(items, files)
        for outcome in self._outcomes(tasks):
            if outcome is None:
                ended = True
                continue
            statement, pair, edge, added, least = outcome
            self.clearances[statement].merge(least)
            for path in added:
                key = (statement, pair, edge, path)
                require(key not in self.owed, "E-OBLIGATION", "two trees add the same obligation")
                self.owed.add(key)
        require(ended, "E-CBOR", "the file is truncated: there is no end item")
        self._check_obligations()

    def _outcomes(self, tasks):
        if self.jobs <= 1:
            yield from (run(self.checker, task) for task in tasks)
            return
        # Header and covers are read before the processes start, which then have them.
        first = next(tasks)
        pool = multiprocessing.get_context("fork").Pool(self.jobs, _begin, (self.checker,))
        with pool:
            yield run(self.checker, first)
            yield from pool.imap_unordered(_run, tasks, 16)

    def _tasks(self, items, files):
        """Yields what is to be checked on its own, and `None` at the end item."""
        for item in items:
            self.count += 1
            if self.count == 0:
                self.model = Model(item, files)
                self.clearances = [Clearance() for _ in self.model.statements]
                self.checker = None
                continue
            require(self.model is not None and self.count >= 0, "E-ITEM", "the end item is not the last")
            require(type(item) is list and item and type(item[0]) is str, "E-ITEM", "an item is of no known form")
            if item[0] == "cover" and len(item) == 3:
                self._cover(item)
                continue
            self._after_covers()
            if item[0] == "end" and len(item) == 2:
                right = type(item[1]) is int and item[1] == self.count - 1
                require(right, "E-ITEM", "the end item counts wrongly")
                require(next(items, items) is items, "E-CBOR", "something follows the end item")
                yield None
                return
            grouped = item[0] == "proofs" and len(item) == 5 and self.model.version > 1
            if grouped and is_index(item[1], len(self.model.statements)):
                require(self.model.statements[item[1]].claim in RAYS, "E-ITEM", "a statement has no cuts")
            for single in expanded(item) if grouped else (item,):
                yield self._task(single)

    def _cover(self, item):
        require(self.checker is None, "E-ITEM", "a cover follows a proof")
        shapes = self.model.shapes
        right = is_index(item[1], len(shapes)) and shapes[item[1]].is_mesh and shapes[item[1]].cover is None
        require(right, "E-COVER", "a cover is of no mesh, or the second of a mesh")
        shapes[item[1]].cover = Cover(shapes[item[1]], item[2])

    def _after_covers(self):
        if self.checker is None:
            lacking = any(shape.is_mesh and shape.cover is None for shape in self.model.shapes)
            require(not lacking, "E-COVER", "a mesh has no cover")
            self.checker = Checker(self.model, Kinematics(self.model))

    def _task(self, item):
        name, statements = item[0], self.model.statements
        form = {"proof": 6, "rays": 5}.get(name)
        require(form == len(item), "E-ITEM", f"an item {name[:20]!r} is of no known form")
        right = is_index(item[1], len(statements))
        require(right, "E-OBLIGATION", "an item is for no statement")
        statement = statements[item[1]]
        pairs = 1 if name == "proof" and statement.claim == "colliding" else len(statement.pairs)
        require(is_index(item[2], pairs), "E-OBLIGATION", "an item is for no pair of its statement")
        if name == "rays":
            needed = statement.claim in RAYS and any(map(self._is_solid, statement.pairs[item[2]]))
            require(needed, "E-OBLIGATION", "rays are not needed here")
            self._once(self.rays, (item[1], item[2]))
        else:
            right = is_index(item[3], statement.edges) and type(item[4]) is list
            require(right and all(type(step) is int for step in item[4]), "E-OBLIGATION", "an item is for no edge or path")
            self._once(self.proofs, (item[1], item[2], item[3], tuple(item[4])))
            # One plane between whole bodies at one configuration: neither is inside the other.
            single = type(item[5]) is list and any(type(token) is list and len(token) == 1 for token in item[5])
            if single and statement.claim == "separated" and self.model.version > 1:
                self.parted.add((item[1], item[2]))
        return self.count, item

    @staticmethod
    def _once(seen, key):
        require(key not in seen, "E-OBLIGATION", "an obligation is discharged twice")
        seen.add(key)

    def _check_obligations(self):
        whole = {key for key in self.proofs if not key[3]}
        added = self.proofs - whole
        require(added <= self.owed, "E-OBLIGATION", "an item is for no obligation")
        require(self.owed <= added, "E-OPEN-OBLIGATION", "an obligation of a tree is not discharged")
        needed = open_rays = 0
        for number, statement in enumerate(self.model.statements):
            needed += (1 if statement.claim == "colliding" else len(statement.pairs)) * statement.edges
            for index, pair in enumerate(statement.pairs if statement.claim in RAYS else ()):
                shown = (number, index) in self.rays or (number, index) in self.parted
                open_rays += not shown and any(self._is_solid(body) for body in pair)
        require(len(whole) == needed, "E-OPEN-OBLIGATION", f"{needed - len(whole)} obligations have no proof")
        require(not open_rays, "E-OPEN-OBLIGATION", f"{open_rays} pairs have no rays")

    def _is_solid(self, body):
        return self.model.shapes[self.model.bodies[body].shape].solid

    def report(self, folder, urdf):
        robot, statements = bind(urdf, self.model) if urdf else None, []
        for statement, clearance in zip(self.model.statements, self.clearances):
            counts = {"pairs": len(statement.pairs), "disabled": len(statement.disabled)}
            where = over(self.model, statement, self.checker.kinematics, robot)
            said = {"title": statement.title, "claim": statement.claim, "over": where, **counts}
            if statement.claim == "separated":
                said["clearance_at_least"] = None if clearance.least is None else down(clearance.least)
            statements.append(said)
        report = {"verdict": "valid", "statements": statements, "not_covered": NOT_COVERED}
        if folder:
            report["sources"] = Files(folder).bind(self.model)
        if robot:
            report["urdf"] = "bound in part" if robot.not_compared else "bound"
            report["not_compared"] = robot.not_compared
        return report


def expanded(item):
    """The proof items that a `proofs` item stands for, with their references replaced by directions."""
    _, statement, first, edge, trees = item
    require(type(first) is int and type(trees) is list and trees, "E-ITEM", "an item 'proofs' is of no known form")
    directions = []
    for number, tree in enumerate(trees):
        if type(tree) is list:
            tree = [_resolved(leaf, directions) if type(leaf) is list else leaf for leaf in tree]
        yield ["proof", statement, first + number, edge, [], tree]


def _resolved(leaf, directions):
    """A cut with its references replaced: 2 is the last direction before it, 3 the one before that."""
    cut = []
    for token in leaf:
        if type(token) is list:
            directions.append(token)
        elif type(token) is int and token >= 2:
            require(token - 1 <= len(directions), "E-CUT", "a reference names no direction")
            token = directions[1 - token]
        cut.append(token)
    return cut


def run(checker, task):
    """Checks one item: its statement, pair and edge, the obligations that it adds, and the smallest clearance."""
    if task is None:
        return None
    count, item = task
    statement = checker.model.statements[item[1]]
    try:
        if item[0] == "rays":
            checker.rays(statement, item[2], item[3], item[4])
            return item[1], item[2], 0, [], None
        added, least = checker.proof(statement, item[2], item[3], item[4], item[5])
        return item[1], item[2], item[3], added, least
    except CheckError as error:
        raise CheckError(error.code, f"statement {item[1]}, pair {item[2]}: {error.message}", count) from None


_CHECKER = None


def _begin(checker):
    global _CHECKER
    _CHECKER = checker


def _run(task):
    return run(_CHECKER, task)
