"""Checks the examples of docs/certificates.md, with the verdicts that the page gives."""

import copy
import re
import unittest

from support import ROOT, cbor, check_bytes, encode, verdict

PAGE = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
EXAMPLES = [bytes.fromhex("".join(block.split())) for block in re.findall(r"```text\n([0-9a-f\n]+)```", PAGE)]


def items(example):
    return list(cbor.items(EXAMPLES[example]))


class Examples(unittest.TestCase):
    def test_the_files_of_the_page_are_valid(self):
        self.assertEqual(len(EXAMPLES), 7)
        for example in EXAMPLES:
            self.assertEqual(check_bytes(example)["verdict"], "valid", check_bytes(example))
        self.assertEqual(check_bytes(EXAMPLES[0])["statements"][0]["clearance_at_least"], 0.75)

    def test_planes_that_do_not_separate(self):
        sequence = items(0)
        sequence[2] = ["proof", 0, 0, 0, [], [[[1, 0, 1]]]]
        self.assertEqual(verdict(sequence), ("invalid", "E-PLANE"))
        sequence = items(0)
        sequence[0]["statements"][0]["clearance"] = 0.9375
        self.assertEqual(verdict(sequence), ("invalid", "E-PLANE"))
        sequence[2] = ["proof", 0, 0, 0, [], [[0, 1, [0, 0, 1]]]]
        report = check_bytes(b"".join(map(encode, sequence)))
        self.assertEqual((report["verdict"], report["statements"][0]["clearance_at_least"]), ("valid", 1.0))

    def test_edges_that_pass_by(self):
        for edge in (1, 2):
            sequence = items(1)
            sequence[2][5][0][4] = edge
            self.assertEqual(verdict(sequence), ("invalid", "E-WITNESS"))

    def test_an_edge_of_a_robot_in_parts(self):
        sequence = items(2)
        sequence[1] = ["proof", 0, 0, 0, [], [[[-1, 2, 0]]]]
        self.assertEqual(verdict(sequence), ("invalid", "E-PLANE"))
        parts = [["proof", 0, 0, 0, [], [0, None, [[-2, 5, 0]]]], ["proof", 0, 0, 0, [0], [[[-1, 2, 0]]]]]
        sequence = items(2)[:1] + parts + [["end", 2]]
        self.assertEqual(verdict(sequence), ("valid", None))
        sequence = items(2)[:1] + parts[:1] + [["end", 1]]
        self.assertEqual(verdict(sequence), ("invalid", "E-OPEN-OBLIGATION"))

    def test_curves_and_their_deviations(self):
        sequence = items(5)
        sequence[1] = ["proof", 0, 0, 0, [], [[[-1, 2, 0]]]]
        self.assertEqual(verdict(sequence), ("invalid", "E-PLANE"))
        sequence = items(5)
        region = sequence[0]["statements"][0]["region"]
        region["deviation"] = [0.5]
        self.assertEqual(verdict(sequence), ("invalid", "E-PLANE"))
        for wrong in ([], [-1], [0, 0], "0"):
            region["deviation"] = wrong
            self.assertEqual(verdict(sequence), ("invalid", "E-HEADER"))
        region["deviation"] = [0]
        for wrong in ([], [[]], [[[0]]], [[[0]] * 11], [[[0], [1]], [[0], [1]]], [[[0], ["1"]]], [[[0, 0], [1, 1]]]):
            region["curve"] = wrong
            self.assertEqual(verdict(sequence), ("invalid", "E-HEADER"), wrong)
        region["curve"] = [[[0], [65]]]
        self.assertEqual(verdict(sequence), ("invalid", "E-LIMIT"))
        sequence = items(5)
        sequence[0]["statements"][0]["region"] = {"along": [[0], [1.5]], "deviation": [0]}
        self.assertEqual(verdict(sequence), ("invalid", "E-HEADER"))

    def test_references_name_directions_of_their_item(self):
        for wrong in (3, 2**62, -1, 2.0, [2], None):
            sequence = items(6)
            sequence[1][4][1] = [[wrong]]
            self.assertEqual(verdict(sequence), ("invalid", "E-CUT"), wrong)
        for wrong in ([], None, 0):
            sequence = items(6)
            sequence[1][4] = wrong
            self.assertEqual(verdict(sequence), ("invalid", "E-ITEM"), wrong)
        sequence = items(6)
        sequence[0]["version"] = 1
        self.assertEqual(verdict(sequence), ("invalid", "E-ITEM"))
        # A direction is known to its own item only.
        sequence = items(6)[:1] + [["proofs", 0, 0, 0, [[[[0, 1, 0]]]]], ["proofs", 0, 1, 0, [[[2]]]], ["end", 2]]
        self.assertEqual(verdict(sequence), ("invalid", "E-CUT"))

    def test_one_plane_makes_rays_unnecessary(self):
        sequence = items(4)
        sequence[0]["statements"][0]["claim"] = "separated"
        sequence[0]["bodies"][0]["pose"] = [9, 9, 9]
        del sequence[-2]
        sequence[-2:] = [["proof", 0, 0, 0, [], [[[-1, -1, -1]]]], ["end", 3]]
        self.assertEqual(verdict(sequence), ("invalid", "E-OPEN-OBLIGATION"))
        sequence[0]["version"] = 2
        self.assertEqual(verdict(sequence), ("valid", None))
        # A cut of several planes shows nothing about the inside.
        sequence = items(4)
        sequence[0]["version"], sequence[0]["statements"][0]["claim"] = 2, "separated"
        del sequence[-2]
        sequence[-1] = ["end", 3]
        self.assertEqual(verdict(sequence), ("invalid", "E-OPEN-OBLIGATION"))

    def test_a_solid_inside_is_not_separated(self):
        sequence = items(4)
        sequence[0]["statements"][0]["claim"] = "separated"
        self.assertEqual(verdict(sequence), ("invalid", "E-RAY"))

    def test_parallel_checks_agree(self):
        for example in EXAMPLES:
            self.assertEqual(check_bytes(example, jobs=2)["verdict"], "valid")

    def test_every_missing_byte_is_noticed(self):
        for example in EXAMPLES:
            for length in range(len(example)):
                self.assertNotEqual(check_bytes(example[:length])["verdict"], "valid")

    def test_an_item_less_or_twice_is_noticed(self):
        for number, example in enumerate(EXAMPLES):
            sequence = items(number)
            for at in range(len(sequence)):
                self.assertNotEqual(verdict(sequence[:at] + sequence[at + 1 :])[0], "valid")
                twice = copy.deepcopy(sequence[: at + 1] + sequence[at:])
                self.assertNotEqual(verdict(twice)[0], "valid")


if __name__ == "__main__":
    unittest.main()
