"""The comparison of certificates with descriptions of robots, and numbers in texts."""

import copy
import math
import os
import tempfile
import unittest

from support import check_bytes, encode
from test_partitions import canonical, leaf, mesh, tetrahedron

from noli_checker.check import check_file
from noli_checker.description import parsed
from noli_checker.errors import CheckError
from noli_checker.numerals import decimal, index, number, numbers
from noli_checker.sources import read_mesh, scaled

ROBOT = """<robot name="r"><link name="base"><collision><geometry><sphere radius="0.25"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="1 0 0" rpy="0 0 0.5"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<link name="foot"><collision><geometry><capsule radius="0.1" length="0.5"/></geometry></collision></link>
<joint name="a" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 10" rpy="0.1 0.2 0.3"/>
<axis xyz="0 0 2"/><limit lower="-1.5" upper="1.5"/></joint>
<joint name="s" type="prismatic"><parent link="base"/><child link="foot"/><origin xyz="9 0 0"/><limit upper="0.5"/></joint></robot>"""
PI = 3.1415926535897936  # a little more


def sequence():
    """The claim that the base meets neither the arm nor the foot, in all that the robot can do."""
    turn, slide = {"kind": "turn", "axis": [0, 0, 1], "name": "a"}, {"kind": "slide", "axis": [3, 0, 0], "name": "s"}
    header = {
        "format": "noli-certificate", "version": 2, "generator": "", "units": "m", "sources": [],
        "shapes": [{"kind": "sphere", "radius": 0.25}, {"kind": "box", "size": [1, 0.1, 0.1]}, {"kind": "capsule", "radius": 0.1, "length": 0.5}],
        "links": [
            {"name": "world"}, {"name": "base", "parent": 0, "origin": [0, 0, 0]},
            {"name": "arm", "parent": 1, "origin": [0, 0, 10, 0.1, 0.2, 0.3], "joint": turn},
            {"name": "foot", "parent": 1, "origin": [9, 0, 0], "joint": slide},
        ],
        "bodies": [
            {"name": "base", "link": 1, "shape": 0, "pose": [0, 0, 0]}, {"name": "arm", "link": 2, "shape": 1, "pose": [1, 0, 0, 0, 0, 0.5]},
            {"name": "foot", "link": 3, "shape": 2, "pose": [0, 0, 0]},
        ],
        "statements": [{"claim": "separated", "pairs": [[0, 1], [0, 2]], "region": {"box": [[-1.5, 1.5], [0, 0.5]]}}],
    }
    return [header, ["proof", 0, 0, 0, [], [[[0, 0, 1]]]], ["proof", 0, 1, 0, [], [[[1, 0, 0]]]], ["end", 2]]


class Descriptions(unittest.TestCase):
    def setUp(self):
        self.own = sequence()
        self.header = self.own[0]

    def report(self, robot=ROBOT, files=()):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("own.cert", "robot.urdf")]
            for path, data in zip(paths, (b"".join(map(encode, self.own)), robot.encode())):
                with open(path, "wb") as file:
                    file.write(data)
            for name, text in files:
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            return check_file(paths[0], urdf=paths[1])

    def over(self, robot=ROBOT):
        report = self.report(robot)
        self.assertEqual(report["verdict"], "valid", report)
        return report["statements"][0]["over"]

    def refused(self, robot=ROBOT, **more):
        report = self.report(robot, **more)
        self.assertEqual(report.get("error", {}).get("code"), "E-BINDING", report)

    def said(self, *words, robot=ROBOT, **more):
        report = self.report(robot, **more)
        self.assertEqual(report["verdict"], "valid", report)
        self.assertEqual(report["urdf"], "bound in part" if words else "bound")
        self.assertEqual(len(report["not_compared"]), len(words), report)
        for text, part in zip(report["not_compared"], words):
            self.assertIn(part, text)

    def test_all_that_a_robot_can_do(self):
        self.said()
        self.assertEqual(self.over(), "every configuration")
        alone = check_bytes(b"".join(map(encode, self.own)))
        self.assertEqual(alone["statements"][0]["over"], "within a in [-1.5, 1.5], s in [0.0, 0.5]")
        self.assertNotIn("urdf", alone)

    def test_ranges_are_printed_unless_they_are_all_that_is_allowed(self):
        ranges = self.header["statements"][0]["region"]["box"]
        ranges[1] = [0, 0.25]
        self.assertEqual(self.over(), "within s in [0.0, 0.25]")
        ranges[:] = [[-1.5, 1.4375], [-1, 0.5]]
        self.assertEqual(self.over(), "within a in [-1.5, 1.4375]")
        ranges[:] = [[-1.5, 1.5], [0, 0.5]]
        for limit in ("", '<limit lower="1.5" upper="-1.5"/>', '<limit lower="-inf" upper="inf"/>', '<limit upper="1e999"/>'):
            robot = ROBOT.replace('<limit lower="-1.5" upper="1.5"/>', limit)
            self.assertEqual(self.over(robot), "within a in [-1.5, 1.5]", limit)
            self.assertEqual(self.over(ROBOT.replace('<limit upper="0.5"/>', limit)), "within s in [0.0, 0.5]", limit)
        continuous = ROBOT.replace('type="revolute"', 'type="continuous"')
        for half, text in ((PI, "every configuration"), (math.pi, f"within a in [{-math.pi}, {math.pi}]")):
            ranges[0] = [-half, half]
            self.assertEqual(self.over(continuous), text)

    def test_a_turn_is_everything_only_with_all_that_follows_it(self):
        link = self.header["links"][3]
        link["joint"] = {"kind": "turn", "axis": [1, 0, 0], "name": "s", "mimic": [0, 0, 0]}
        statement = self.header["statements"][0]
        statement["pairs"] = [[0, 2]]
        del self.own[1]
        self.own[-1], self.own[1][2] = ["end", 1], 0
        robot = ROBOT.replace('type="revolute"', 'type="continuous"').replace('type="prismatic"', 'type="continuous"')
        for multiplier, half, everything in ((2, PI, True), (-1, PI, True), (0.5, PI, False), (0.5, 2 * PI, True), (0.1, 9.9 * PI, False), (0.1, 10 * PI, True), (0.3333, 20 * PI, False)):
            link["joint"]["mimic"][1], statement["region"] = multiplier, {"box": [[-half, half], None]}
            geared = robot.replace('<limit upper="0.5"/>', f'<mimic joint="a" multiplier="{multiplier}"/>')
            self.assertEqual(self.over(geared) == "every configuration", everything, multiplier)
            self.refused(robot)
            self.refused(geared.replace(f'multiplier="{multiplier}"', 'multiplier="7"'))
        statement["region"] = {"at": [1, 0.3333]}
        link["joint"]["mimic"][1] = 0.3333
        self.said(robot=geared)
        statement["region"] = {"at": [1, 0.3334]}
        self.refused(geared)

    def test_whatever_differs_is_not_bound(self):
        def name(d): d["bodies"][1]["name"] = "left/arm"
        def other_link(d): d["bodies"][1].update(link=1, pose=[1, 0, 10])
        def size(d): d["shapes"][1]["size"] = [1, 0.1, 0.1000001]
        def radius(d): d["shapes"][0]["radius"] = 0.2499999
        def kind(d): d["bodies"][2]["shape"] = 0
        def pose(d): d["bodies"][0]["pose"] = [0, 1e-9, 0]
        def turned(d): d["bodies"][0]["pose"] = [0, 0, 0, 0, 0, 1e-9]
        def axis(d): d["links"][3]["joint"]["axis"] = [1, 1e-9, 0]
        def joint(d): d["links"][2]["joint"]["kind"] = "slide"
        def joint_name(d): d["links"][2]["joint"]["name"] = "b"
        def none(d): del d["links"][2]["joint"]; d["statements"][0]["region"]["box"].pop(0)
        def link(d): d["links"][3]["name"] = "feet"
        def twin(d): d["links"].append({"name": "foot", "parent": 0, "origin": [0, 0, 0]})
        def origin(d): d["links"][3]["origin"] = [9, 0, 1e-9]
        def parent(d): d["links"][3]["parent"] = 0
        def limits(d): d["links"][3]["joint"]["limits"] = [0, 0.25]
        def mimic(d): d["links"][3]["joint"]["mimic"] = [0, 0, 0]; d["statements"][0]["region"]["box"][1] = None
        def second(d):
            d["links"].insert(3, {"name": "#foot", "parent": 1, "origin": [0, 0, 0], "joint": {"kind": "turn", "axis": [1, 0, 0], "name": "x"}})
            d["links"][4]["parent"], d["bodies"][2]["link"] = 3, 4
            d["statements"][0]["region"]["box"].insert(1, [0, 0])
        whole = copy.deepcopy(self.header)
        for change in (name, other_link, size, radius, kind, pose, turned, axis, joint, joint_name, none, link, twin, origin, parent, limits, mimic, second):
            self.own[0] = copy.deepcopy(whole)
            change(self.own[0])
            with self.subTest(change.__name__):
                self.assertEqual(check_bytes(b"".join(map(encode, self.own)))["verdict"], "valid")
                self.refused()

    def test_what_is_not_compared_is_said(self):
        self.header["bodies"].append({"name": "table", "link": 0, "shape": 0, "pose": [0, 0, 0]})
        self.header["links"][1]["origin"] = [0, 0, 1]
        self.said('place of "base"', 'body 3 "table"')
        del self.header["bodies"][3]
        self.header["links"][1]["origin"] = [0, 0, 0]
        planar = ROBOT.replace('type="prismatic"', 'type="planar"')
        self.said('joint "s", which is planar', robot=planar)
        self.assertEqual(self.over(planar), "within s in [0.0, 0.5]")
        two = ROBOT.replace('<link name="foot">', '<link name="foot"><collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.25"/></geometry></collision>')
        self.refused(two)
        self.header["bodies"].append({"name": "foot", "link": 3, "shape": 0, "pose": [0, 0, -1]})
        self.said('"base" and "foot"', robot=two)
        del self.header["bodies"][3]
        self.header["statements"][0]["region"] = {"at": [0, 2]}
        self.said('joint "s" is beyond its limits')

    def test_meshes_are_compared_by_their_triangles(self):
        faces = canonical(tetrahedron((0, 0, 0), 1))
        self.header["shapes"][0] = mesh(faces)
        self.own.insert(1, ["cover", 0, [leaf(faces, [0, 1, 2, 3])]])
        self.own[-1] = ["end", 3]
        robot = lambda text: ROBOT.replace('<sphere radius="0.25"/>', f"<mesh {text}/>")
        obj = lambda k: f"v 0 0 0\nv {k} 0 0\nv 0 {k} 0\nv 0 0 {k}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        file = lambda k: [("pkg/mesh.OBJ", obj(k))]
        self.said(robot=robot('filename="pkg/mesh.OBJ"'), files=file(1))
        self.said(robot=robot('filename="package://pkg/mesh.OBJ" scale="0.5 0.5 0.5"'), files=file(2))
        self.refused(robot('filename="pkg/mesh.OBJ"'), files=file(2))
        self.refused(robot('filename="pkg/mesh.OBJ" scale="2 1 1"'), files=file(1))
        self.said("its file is not there", robot=robot('filename="mesh.OBJ"'), files=file(1))
        self.said("its format is not read", robot=robot('filename="pkg/mesh.dae"'), files=[("pkg/mesh.dae", "x")])
        self.header["shapes"][0]["solid"] = False
        self.said("about its surface", robot=robot('filename="pkg/mesh.OBJ"'), files=file(1))

    def test_descriptions_that_do_not_say_one_thing(self):
        for part, other in (
            ("<robot ", "<model "), ('<limit upper="0.5"/>', '<limit upper="0.5"/>' * 2), ('<origin xyz="9 0 0"/>', '<origin xyz="9 0 0"/>' * 2),
            ('<sphere radius="0.25"/>', '<sphere radius="0.25"/>' * 2), ("</robot>", '<link name="base"/></robot>'), ("</robot>", '<link name="loose"/></robot>'),
            ("</robot>", '<joint name="t" type="fixed"><parent link="arm"/><child link="base"/></joint></robot>'),
            ('xyz="9 0 0"', 'xyz="9 0"'), ('xyz="9 0 0"', 'xyz="9 0 nan"'), ('xyz="9 0 0"', 'xyz="9,0,0"'), ('"0.25"', '"0.25m"'),
            ("<robot ", "<!DOCTYPE robot><robot "), ('link="arm"', 'link="nobody"'), ("/></joint></robot>", "/></joint>"),
        ):
            self.assertIn(part, ROBOT)
            self.refused(ROBOT.replace(part, other, 1))
        self.assertEqual(check_bytes(b"".join(map(encode, self.own)), urdf="no/such.urdf")["error"]["code"], "E-MISSING")


class Numerals(unittest.TestCase):
    def test_numbers_have_one_spelling(self):
        for word, value in (("1", 1), ("-.5", -0.5), ("+5.", 5), ("007", 7), ("1e-3", 1e-3), ("2E+003", 2e3), ("-0", 0), ("1e-999", 0)):
            self.assertEqual(number(word), value)
        for word in ("", ".", "+", "e5", "1e", "1e+", "1e0005", "inf", "-inf", "nan", "0x10", "1_0", "1,5", "1e400", "--1", "1e5.0", "1 2", " 1", "1\n", "\u0661", "1" * 129):
            self.assertRaises(ValueError, number, word)
        self.assertEqual([index(word) for word in ("+3", "-1", "000012")], [3, -1, 12])
        for word in ("", "+", "1.0", "1_0", "1" * 19, "\u0661"):
            self.assertRaises(ValueError, index, word)
        self.assertEqual(numbers("1 \t2\r\n 3", 3), [1, 2, 3])
        for text in ("1 2\u00a03", "1 2 3 4", "1 2\x1f3"):
            self.assertRaises(ValueError, numbers, text, 3)
        self.assertEqual((10 * decimal("0.1")).denominator, 1)

    def test_files_of_meshes_have_these_numbers(self):
        self.assertEqual(read_mesh("a.OBJ", b"v 0 0 0 \x0c\nv 1 0 0\nv 0 1 0 # 1_0\nf 1/1 2/2/2 -1\n")[0][3], 1)
        for wrong in (b"v 0 0 1_0\n", b"v 0 0\n", b"v 0 0 inf\n", b"v 0\xc2\xa00 0\n", b"v 0 0 0\nf 1 1 0\n", b"v 0 0 0\nf 1 1 2\n"):
            self.assertRaises(CheckError, read_mesh, "a.obj", wrong)
        self.assertRaises(CheckError, read_mesh, "a.stl", b"vertex 0 0")
        self.assertEqual(scaled([tuple(range(9))], [-1, 1, 1])[0][3:6], (-6, 7, 8))
        self.assertEqual(scaled([tuple(range(9))], [-1, -1, 1])[0][3:6], (-3, -4, 5))

    def test_what_is_no_xml_is_refused(self):
        wrong = (
            "", "text", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>x", "<a b=1/>", "<a b='1'c='2'/>", "<a b='1' b='2'/>", "<!DOCTYPE a><a/>", "<a>&x;</a>",
            "<a b='&lt'/>", "<a b='<'/>", "<a>]]></a>", "<a><!-- -- --></a>", "<a>\1</a>", "<a b='&#0;'/>", "< a/>", "<1a/>", "<a b/>", "<a>" * 300,
        )
        for text in wrong:
            self.assertRaises(CheckError, parsed, text.encode())
        self.assertRaises(CheckError, parsed, b"<a b='\xff'/>")
        self.assertEqual(parsed("\ufeff<?xml version='1.0' encoding='latin-1'?><a b='\u00e9&amp;&#x41;\n'/>".encode()).attributes["b"], "\u00e9&A ")


if __name__ == "__main__":
    unittest.main()
