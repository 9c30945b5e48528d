//! Certificates of tests, written by hand.
#![allow(dead_code, reason = "each test uses a part")]

use noli_verify::{Options, Report, check, mesh_sha256};

/// An item of CBOR.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    Text(String),
    Array(Vec<Item>),
    Map(Vec<(&'static str, Item)>),
    Bool(bool),
    Null,
}

impl From<i64> for Item {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Item {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Item {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<bool> for Item {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl<I: Into<Item>> From<Vec<I>> for Item {
    fn from(values: Vec<I>) -> Self {
        Self::Array(values.into_iter().map(Into::into).collect())
    }
}

impl<I: Into<Item>, const N: usize> From<[I; N]> for Item {
    fn from(values: [I; N]) -> Self {
        Self::Array(values.into_iter().map(Into::into).collect())
    }
}

/// An array of items of several kinds.
#[macro_export]
macro_rules! list {
    ($($entry:expr),* $(,)?) => { $crate::support::Item::Array(vec![$($crate::support::Item::from($entry)),*]) };
}

impl Item {
    fn head(major: u8, length: u64, out: &mut Vec<u8>) {
        out.push(major << 5 | 27);
        out.extend(length.to_be_bytes());
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Int(value @ 0..) => Self::head(0, value.unsigned_abs(), out),
            Self::Int(value) => Self::head(1, value.unsigned_abs() - 1, out),
            Self::Float(value) => {
                out.push(0xfb);
                out.extend(value.to_be_bytes());
            }
            Self::Bytes(bytes) => {
                Self::head(2, bytes.len() as u64, out);
                out.extend(bytes);
            }
            Self::Text(text) => {
                Self::head(3, text.len() as u64, out);
                out.extend(text.as_bytes());
            }
            Self::Array(entries) => {
                Self::head(4, entries.len() as u64, out);
                entries.iter().for_each(|entry| entry.write(out));
            }
            Self::Map(entries) => {
                Self::head(5, entries.len() as u64, out);
                for (key, value) in entries {
                    Self::from(*key).write(out);
                    value.write(out);
                }
            }
            Self::Bool(value) => out.push(0xf4 + u8::from(*value)),
            Self::Null => out.push(0xf6),
        }
    }
}

/// A certificate in the making.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) version: i64,
    pub(crate) sources: Vec<Item>,
    pub(crate) shapes: Vec<Item>,
    pub(crate) links: Vec<Item>,
    pub(crate) bodies: Vec<Item>,
    pub(crate) statements: Vec<Item>,
    pub(crate) items: Vec<Item>,
}

impl Draft {
    /// A certificate with a world and nothing in it.
    pub(crate) fn new() -> Self {
        let world = Item::Map(vec![("name", "world".into())]);
        let none = Vec::new;
        let (sources, shapes, bodies, statements, items) = (none(), none(), none(), none(), none());
        Self { version: 2, sources, shapes, links: vec![world], bodies, statements, items }
    }

    /// A body of the world.
    pub(crate) fn add_body(&mut self, name: &str, link: i64, shape: i64, pose: impl Into<Item>) {
        let entries = [("name", name.into()), ("link", link.into()), ("shape", shape.into())];
        let pose = ("pose", pose.into());
        self.bodies.push(Item::Map(entries.into_iter().chain([pose]).collect()));
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let list = |items: &Vec<Item>| Item::Array(items.clone());
        let header = Item::Map(vec![
            ("format", "noli-certificate".into()),
            ("version", self.version.into()),
            ("generator", "by hand".into()),
            ("units", "".into()),
            ("sources", list(&self.sources)),
            ("shapes", list(&self.shapes)),
            ("links", list(&self.links)),
            ("bodies", list(&self.bodies)),
            ("statements", list(&self.statements)),
        ]);
        let end = list!["end", self.items.len() as i64];
        let mut bytes = Vec::new();
        [header].iter().chain(&self.items).chain([&end]).for_each(|item| item.write(&mut bytes));
        bytes
    }
}

/// Three points.
pub(crate) type Triangle = [[f64; 3]; 3];

/// A solid mesh of canonical triangles.
pub(crate) fn solid(triangles: &[Triangle]) -> (Item, Vec<Triangle>) {
    let mut faces: Vec<Triangle> = triangles.iter().map(|t| least_rotation(*t)).collect();
    faces.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut obj = String::new();
    for [a, b, c] in &faces {
        [a, b, c].iter().for_each(|[x, y, z]| obj.push_str(&format!("v {x} {y} {z}\n")));
        obj.push_str("f -3 -2 -1\n");
    }
    let hash = mesh_sha256("own.obj", obj.as_bytes()).unwrap();
    let data = faces.iter().flatten().flatten().flat_map(|x| x.to_be_bytes()).collect();
    let shape = Item::Map(vec![
        ("kind", "mesh".into()),
        ("sha256", Item::Bytes(hash.to_vec())),
        ("count", (faces.len() as i64).into()),
        ("solid", true.into()),
        ("triangles", Item::Bytes(data)),
    ]);
    (shape, faces)
}

fn least_rotation([a, b, c]: Triangle) -> Triangle {
    let all = [[a, b, c], [b, c, a], [c, a, b]];
    all.into_iter().min_by(|x, y| x.partial_cmp(y).unwrap()).unwrap()
}

/// A tetrahedron with legs along the axes; its faces look in if it is turned inside out.
pub(crate) fn tetrahedron(at: [f64; 3], size: f64, inside_out: bool) -> Vec<Triangle> {
    let leg = |k: usize| std::array::from_fn(|d| at[d] + if d == k { size } else { 0.0 });
    let (x, y, z) = (leg(0), leg(1), leg(2));
    let faces = [[at, y, x], [at, x, z], [at, z, y], [x, y, z]];
    faces.map(|[a, b, c]| if inside_out { [c, b, a] } else { [a, b, c] }).to_vec()
}

/// A leaf of a cover with these faces, in a box around all of the mesh; coordinates are multiples of 1/8.
pub(crate) fn leaf(faces: &[Triangle], listed: Vec<i64>) -> Item {
    let points = || faces.iter().flatten();
    let end = |k: usize, pick: fn(f64, f64) -> f64| points().map(|p| p[k]).reduce(pick).unwrap();
    let ends: [[f64; 2]; 3] = [0, 1, 2].map(|k| [end(k, f64::min), end(k, f64::max)]);
    let center = ends.map(|[low, high]| ((low + high) * 8.0) as i64);
    let half = ends.map(|[low, high]| ((high - low) * 8.0) as i64);
    let [x, y, z] = half;
    let mut numbers = vec![-4];
    numbers.extend(center);
    numbers.extend([x, 0, 0, 0, y, 0, 0, 0, z]);
    list![1i64, numbers, listed]
}

pub(crate) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn det(u: [f64; 3], v: [f64; 3], w: [f64; 3]) -> f64 {
    let n = [v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]];
    u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
}

/// The crossing of a ray with a face, in doubles that are exact here.
pub(crate) fn crossing(p: [f64; 3], d: [f64; 3], [a, b, c]: Triangle) -> i64 {
    let signs = [[a, b], [b, c], [c, a]].map(|[x, y]| det(d, minus(x, p), minus(y, p)));
    if signs.iter().any(|s| *s > 0.0) && signs.iter().any(|s| *s < 0.0) {
        return 0;
    }
    assert!(signs.iter().all(|s| *s != 0.0), "another direction is needed");
    let side = det(minus(b, a), minus(c, a), minus(p, a));
    if (side > 0.0) == (signs[0] > 0.0) { 0 } else { signs[0].signum() as i64 }
}

pub(crate) fn report(bytes: &[u8]) -> Report {
    check(bytes, &Options::default().with_threads(1))
}

pub(crate) fn code(bytes: &[u8]) -> &'static str {
    report(bytes).error.map_or("valid", |error| error.code)
}
