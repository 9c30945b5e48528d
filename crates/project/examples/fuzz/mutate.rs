//! Deterministic damage to files: bytes, numbers, words and lines, and intersections of two files.

use noli_testing::Random;

/// Words of the mesh formats, and separators.
pub const MESH_WORDS: &[&str] = &[
    "\n",
    " ",
    "-",
    "#",
    "\\\n",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "v ",
    "f ",
    "o ",
    "g ",
    "solid ",
    "facet ",
    "endloop ",
    "OFF",
    "ply",
    "element face 9",
    "property list uchar int x\n",
    "end_header\n",
    "\"nodes\":",
    "\"children\":[0]",
    "\"mesh\":0,",
    "\"count\":",
    "\"byteStride\":1,",
    "\"mode\":5,",
    "\"bufferView\":0,",
    "\"sparse\":",
    "\"matrix\":",
    "0\nINSERT\n2\nB\n",
    "0\nBLOCK\n",
    "0\nENDBLK\n",
    "0\nVERTEX\n",
    "0\nSEQEND\n",
    "0\nENDSEC\n",
    "0\nMESH\n",
    "70\n",
    "71\n",
    "90\n",
    "93\n",
    "10\n",
    "210\n",
];
/// Words of scenes and lists of poses, and separators.
pub const SCENE_WORDS: &[&str] = &[
    "\n",
    " ",
    "#",
    "\"",
    "'",
    "\"\"\"",
    "\\u0000",
    "{",
    "}",
    "[",
    "]",
    ",",
    ".",
    "=",
    "[[body]]\n",
    "[[group]]\n",
    "[[motion]]\n",
    "[check]\n",
    "[body.pose]\n",
    "name = \"a\"\n",
    "name = \"",
    "box = [1, 1, 1]\n",
    "sphere = { radius = 1 }\n",
    "file = \"a.obj\"\n",
    "object = \"o\"\n",
    "generator = { scene = \"gearbox\" }\n",
    "split = true\n",
    "parent = \"a\"\n",
    "parent = \"b\"\n",
    "group = \"g\"\n",
    "as = \"solid\"\n",
    "units = \"ft\"\n",
    "pose = { xyz = [0, 0, 0] }\n",
    "quaternion = [0, 0, 0, 0]",
    "axis = [0, 0, 0], angle_deg = 1",
    "skip = [\"*\"]\n",
    "only = [[\"a*\", \"*b\"]]\n",
    "margins = [{ pair = [\"a\", \"b\"], margin = 1 }]\n",
    "kind = \"screw\"\n",
    "kind = \"keyframes\"\n",
    "keys = [{ time = 0 }, { time = 1 }]\n",
    "seconds = 0\n",
    "true",
    "0x7fffffff",
    "1979-05-27",
    "t,",
    "qw,",
];
/// Words of programs, robots and joint paths, and separators.
pub const ROBOT_WORDS: &[&str] = &[
    "\n",
    " ",
    ",",
    ":",
    "#",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "- ",
    "=",
    "&amp;",
    "é",
    "MOVE ",
    "MOVES ",
    "APPRO part1, 50\n",
    "DEPART 50\n",
    "DRIVE 1, 20, 50\n",
    "SET a = ",
    "TRANS(1, 2, 3, 4, 5, 6)",
    "SHIFT(a BY 1, 2, 3)",
    "#PPOINT(",
    "a:b",
    "OPENI\n",
    "GRASP 30, 10\n",
    "WAIT SIG(1004)\n",
    "SIGNAL 5\n",
    "REACTI 1004, MAIN\n",
    "IGNORE 1004\n",
    "IF x == 1 THEN\n",
    "ELSE\n",
    "END\n",
    "CASE x OF\nVALUE 1:\n",
    "WHILE 1 DO\n",
    "DO\nUNTIL 0\n",
    "FOR i = 1 TO 1e9\n",
    "GOTO 10\n",
    "10 ",
    "CALL main\n",
    ".PROGRAM a()\n",
    ".END\n",
    "TYPE /S, /F9.3, x\n",
    "SPEED 10 MMPS ALWAYS\n",
    "<link name=\"a\"/>",
    "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>",
    "</joint>",
    "type=\"floating\"",
    "<mimic joint=\"j\" multiplier=\"-1\" offset=\"0\"/>",
    "<origin xyz=\"0 0 0\" rpy=\"1 2 3\"/>",
    "<axis xyz=\"0 0 1\"/>",
    "<limit lower=\"0\" upper=\"1\"/>",
    "<geometry><mesh filename=\"m\" scale=\"-1 1 1\"/></geometry>",
    "<group name=\"g\"><group name=\"g\"/></group>",
    "<disable_collisions link1=\"a\" link2=\"b\"/>",
    "[[joint]]\n",
    "alpha_deg = 90\n",
    "convention = \"modified\"\n",
    "kind = \"prismatic\"\n",
    "range_deg = [-1, 1]\n",
    "[tool]\nxyz = [0, 0, 1]\n",
    "[[location]]\nname = \"a\"\n",
    "[[signal]]\nnumber = 7\n",
    "positions: [0, 1, 2, 3, 4, 5]\n",
    "time_from_start: {secs: 1, nsecs: 5}\n",
    "interpolation: b-spline\n",
    "profile: s-curve\n",
    "knots: [0, 0, 1, 1]\n",
    "&anchor ",
    "*anchor",
    "|\n",
    "? ",
    "j1_deg",
    "true",
];
/// Words of files in XML.
pub const XML_WORDS: &[&str] = &[
    "\n",
    " ",
    "\"",
    "<",
    ">",
    "/>",
    "</",
    "&lt;",
    "&#0;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?xml?>",
    "<!DOCTYPE a [<!ENTITY b \"&b;\">]>",
    "xmlns:p=\"a\" ",
    "id=\"1\" ",
    "objectid=\"1\" ",
    "transform=\"1 0 0 0 1 0 0 0 1 0 0 0\" ",
    "unit=\"inch\" ",
    "type=\"other\" ",
    "<item objectid=\"1\"/>",
    "<component objectid=\"1\"/>",
    "<triangle v1=\"0\" v2=\"1\" v3=\"2\"/>",
    "<vertex x=\"0\" y=\"0\" z=\"0\"/>",
    "<instance_node url=\"#n\"/>",
    "<instance_geometry url=\"#g\"/>",
    "<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>",
    "<rotate>0 0 1 90</rotate>",
    "<vcount>3</vcount>",
    "<p>0 1 2</p>",
    "count=\"3\" ",
    "stride=\"3\" ",
    "<Comment Guid=\"a\"/>",
    "<TopicStatus>Open</TopicStatus>",
];
/// Numbers that have broken parsers before.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
    "-1e308",
    "5e-324",
    "nan",
    "inf",
    "1e90",
    "2e90",
    "0.1",
    "1e-400",
    "00000000000000000000001",
];
/// Inputs are kept below this.
pub const LONGEST: usize = 4096;

fn pick<'a>(random: &mut Random, words: &[&'a str]) -> &'a [u8] {
    words[random.index(words.len())].as_bytes()
}

/// A short range of something that long.
fn range(random: &mut Random, length: usize) -> std::ops::Range<usize> {
    let start = random.index(length + 1);
    let most = [4, 16, 64, 1024][random.index(4)];
    start..(start + random.index(most + 1)).min(length)
}

/// One input from one or two others. Every other one has only numbers changed, which leaves the
/// structure in order and so reaches further.
pub fn mutate(random: &mut Random, words: &[&str], from: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = from.to_vec();
    let gentle = random.index(2) == 0;
    for _ in 0..=random.index(5) {
        if gentle {
            let at = random.index(bytes.len() + 1);
            replace_number(random, &mut bytes, at);
        } else {
            step(random, words, &mut bytes, other);
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

fn step(random: &mut Random, words: &[&str], bytes: &mut Vec<u8>, other: &[u8]) {
    let at = random.index(bytes.len() + 1);
    match random.index(10) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.index(8),
        1 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, random.bits() as u8][random.index(6)],
        2 => drop(bytes.drain(range(random, bytes.len()))),
        3 => {
            let copy = bytes[range(random, bytes.len())].to_vec();
            bytes.splice(at..at, copy);
        }
        4 => drop(bytes.splice(at..at, pick(random, words).to_vec())),
        5 | 6 => replace_number(random, bytes, at),
        7 => {
            let piece = other[range(random, other.len())].to_vec();
            let hole = range(random, bytes.len());
            bytes.splice(hole, piece);
        }
        8 => repeat_line(random, bytes, at),
        _ if random.index(8) == 0 => bytes.truncate(at),
        _ => replace_number(random, bytes, at),
    }
}

/// Puts a troublesome number in place of the first one from `at` on.
fn replace_number(random: &mut Random, bytes: &mut Vec<u8>, at: usize) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[at..].iter().position(is_digit).map(|start| at + start) else { return };
    let length = bytes[start..].iter().take_while(|byte| is_digit(byte)).count();
    let number = match random.index(3) {
        0 => random.index(12).to_string().into_bytes(),
        _ => pick(random, NUMBERS).to_vec(),
    };
    bytes.splice(start..start + length, number);
}

/// Copies the line at `at`, or the two from it on, to a place some lines on.
fn repeat_line(random: &mut Random, bytes: &mut Vec<u8>, at: usize) {
    let is_end = |byte: &u8| *byte == b'\n';
    let start = bytes[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
    let lines = 1 + random.index(8);
    let length: usize = bytes[start..].split_inclusive(is_end).take(lines).map(<[u8]>::len).sum();
    let copy = bytes[start..start + length].to_vec();
    let to = if random.index(2) == 0 { start } else { start + length };
    bytes.splice(to..to, copy);
}
