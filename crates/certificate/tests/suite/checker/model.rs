//! Shapes, covers, links and bodies of a certificate.

use super::number::{I, Q};
use super::read::{Checked, Value, fault, need};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

pub(crate) type Vector = [Q; 3];

pub(crate) fn dot(a: &Vector, b: &Vector) -> Q {
    (0..3).fold(Q::zero(), |sum, k| sum + a[k].clone() * b[k].clone())
}

pub(crate) fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k].clone() - b[k].clone())
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone()
    })
}

pub(crate) enum Shape {
    Mesh(Mesh),
    Box([Q; 3]),
    Sphere(Q),
    Capsule(Q, Q),
    Cylinder(Q, Q),
}

#[derive(Default)]
pub(crate) struct Mesh {
    pub(crate) triangles: Vec<[Vector; 3]>,
    pub(crate) solid: bool,
    pub(crate) nodes: Vec<CoverNode>,
    pub(crate) probes: Vec<Vector>,
}

pub(crate) struct CoverNode {
    pub(crate) inner: bool,
    pub(crate) center: Vector,
    pub(crate) axes: [Vector; 3],
    pub(crate) list: Vec<usize>,
}

fn positive(value: Q, zero: bool) -> Checked<Q> {
    if value.sign() > 0 || (zero && value.sign() == 0) {
        Ok(value)
    } else {
        fault("E-HEADER", "not positive")
    }
}

impl Shape {
    pub(crate) fn read(value: &Value) -> Checked<Self> {
        let Value::Map(entries) = value else { return fault("E-HEADER", "shape") };
        let kind = entries.iter().find(|(key, _)| key == "kind").map(|(_, kind)| kind);
        let known: &[&str] = match need(kind, "kind")?.text()? {
            "mesh" => &["kind", "sha256", "count", "solid", "triangles", "source", "scale"],
            "box" => &["kind", "size"],
            "sphere" => &["kind", "radius"],
            "capsule" | "cylinder" => &["kind", "radius", "length"],
            _ => return fault("E-HEADER", "kind of shape"),
        };
        let get = value.map(known)?;
        let number = |key: &str, zero| need(get(key), key)?.number().and_then(|value| positive(value, zero));
        Ok(match need(get("kind"), "kind")?.text()? {
            "mesh" => {
                let bytes = match get("triangles") {
                    Some(bytes) => bytes.bytes()?,
                    None => return fault("E-MISSING", "triangles"),
                };
                if Sha256::digest(bytes).as_slice() != need(get("sha256"), "sha256")?.bytes()? {
                    return fault("E-HASH", "triangles");
                }
                let count = need(get("count"), "count")?.index(1 << 24)?;
                Self::Mesh(Mesh::new(bytes, count, need(get("solid"), "solid")?.bool()?)?)
            }
            "box" => match &need(get("size"), "size")?.numbers()?[..] {
                [x, y, z] => Self::Box([
                    positive(x.half(), false)?,
                    positive(y.half(), false)?,
                    positive(z.half(), false)?,
                ]),
                _ => return fault("E-HEADER", "size"),
            },
            "sphere" => Self::Sphere(number("radius", false)?),
            "capsule" => Self::Capsule(number("radius", false)?, number("length", true)?.half()),
            _ => Self::Cylinder(number("radius", false)?, number("length", false)?.half()),
        })
    }

    pub(crate) fn mesh(&self) -> Option<&Mesh> {
        if let Self::Mesh(mesh) = self { Some(mesh) } else { None }
    }

    pub(crate) fn is_solid_mesh(&self) -> bool {
        self.mesh().is_some_and(|mesh| mesh.solid)
    }

    /// Points and a radius.
    pub(crate) fn extent(&self) -> (Vec<Vector>, Q) {
        let corners = |half: &[Q; 3]| {
            let signed = |k: usize, axis: usize| {
                if k >> axis & 1 == 1 { half[axis].clone() } else { -half[axis].clone() }
            };
            (0..8).map(|k| [signed(k, 0), signed(k, 1), signed(k, 2)]).collect::<Vec<Vector>>()
        };
        let along = |z: Q| [Q::zero(), Q::zero(), z];
        match self {
            Self::Mesh(mesh) => (mesh.extent(), Q::zero()),
            Self::Box(half) => (corners(half), Q::zero()),
            Self::Sphere(radius) => (vec![along(Q::zero())], radius.clone()),
            Self::Capsule(radius, half) => (vec![along(half.clone()), along(-half.clone())], radius.clone()),
            Self::Cylinder(radius, half) => {
                (corners(&[radius.clone(), radius.clone(), half.clone()]), Q::zero())
            }
        }
    }

    pub(crate) fn probes(&self) -> Vec<Vector> {
        self.mesh().map_or(vec![[Q::zero(), Q::zero(), Q::zero()]], |mesh| mesh.probes.clone())
    }
}

impl Mesh {
    fn new(bytes: &[u8], count: usize, solid: bool) -> Checked<Self> {
        if bytes.len() != 72 * count || count == 0 {
            return fault("E-MESH", "length");
        }
        let floats: Vec<f64> =
            bytes.as_chunks::<8>().0.iter().map(|&bytes| f64::from_be_bytes(bytes)).collect();
        let limit = 2f64.powi(300);
        if floats.iter().any(|x| !x.is_finite() || x.abs() > limit || (*x == 0.0 && x.is_sign_negative())) {
            return fault("E-MESH", "coordinates");
        }
        let rows: Vec<&[f64]> = floats.chunks(9).collect();
        let rotated = |row: &[f64], by: usize| [&row[by..], &row[..by]].concat();
        let canonical = |row: &&[f64]| row.to_vec() <= rotated(row, 3) && row.to_vec() <= rotated(row, 6);
        if !rows.iter().all(canonical) || !rows.is_sorted() {
            return fault("E-MESH", "order");
        }
        let key = |row: &[f64], k: usize| -> [u64; 3] { std::array::from_fn(|i| row[3 * k + i].to_bits()) };
        if solid {
            let mut edges: HashMap<[[u64; 3]; 2], i64> = HashMap::new();
            for row in &rows {
                for k in 0..3 {
                    let (u, v) = (key(row, k), key(row, (k + 1) % 3));
                    if u != v {
                        *edges.entry([u.min(v), u.max(v)]).or_default() += if u < v { 1 } else { -1 };
                    }
                }
            }
            if edges.values().any(|&sum| sum != 0) {
                return fault("E-OPEN", "solid");
            }
        }
        let vector =
            |row: &[f64], k: usize| -> Vector { std::array::from_fn(|i| Q::from_f64(row[3 * k + i])) };
        let mut component: Vec<usize> = (0..count).collect();
        let mut at: HashMap<[u64; 3], usize> = HashMap::new();
        for (face, row) in rows.iter().enumerate() {
            for k in 0..3 {
                let other = *at.entry(key(row, k)).or_insert(face);
                let (x, y) = (component[face], component[other]);
                if x != y {
                    // Naive: relabel all.
                    component.iter_mut().filter(|c| **c == x.max(y)).for_each(|c| *c = x.min(y));
                }
            }
        }
        let probes =
            (0..count).filter(|&face| component[face] == face).map(|face| vector(rows[face], 0)).collect();
        let triangles = rows.iter().map(|row| std::array::from_fn(|k| vector(row, k))).collect();
        Ok(Self { triangles, solid, nodes: Vec::new(), probes })
    }

    fn extent(&self) -> Vec<Vector> {
        let root = &self.nodes[0];
        let nodes = if root.inner { root.list.clone() } else { vec![0] };
        let corner = |node: &CoverNode, k: usize| -> Vector {
            (0..3).fold(node.center.clone(), |sum, axis| {
                std::array::from_fn(|i| {
                    let part = node.axes[axis][i].clone();
                    sum[i].clone() + if k >> axis & 1 == 1 { part } else { -part }
                })
            })
        };
        nodes.iter().flat_map(|&node| (0..8).map(move |k| corner(&self.nodes[node], k))).collect()
    }

    pub(crate) fn read_cover(&mut self, value: &Value) -> Checked<()> {
        let wrong = |text: &str| -> Checked<()> { fault("E-COVER", text) };
        if !self.nodes.is_empty() {
            return wrong("twice");
        }
        let cover = |(_, text): (&str, String)| ("E-COVER", text);
        let items = value.array().map_err(cover)?;
        let mut parents = vec![0; items.len()];
        for (number, item) in items.iter().enumerate() {
            let [kind, numbers, list] = item.array().map_err(cover)? else { return wrong("node") };
            let inner = kind.index(2).map_err(cover)? == 0;
            let count = if inner { items.len() } else { self.triangles.len() };
            let list: Checked<Vec<usize>> =
                list.array().map_err(cover)?.iter().map(|item| item.index(count)).collect();
            let list = list.map_err(cover)?;
            if list.is_empty() || (inner && list.iter().any(|&child| child <= number)) {
                return wrong("list");
            }
            if inner {
                list.iter().for_each(|&child| parents[child] += 1);
            }
            let numbers: Checked<Vec<i64>> = numbers.array().map_err(cover)?.iter().map(Value::int).collect();
            let numbers = numbers.map_err(cover)?;
            if numbers.len() != 13 || numbers[0].abs() > 1100 {
                return wrong("box");
            }
            let unit = Q::power_of_two(numbers[0] as i32);
            let vector = |first: usize| -> Vector {
                std::array::from_fn(|k| Q::int(numbers[first + k]) * unit.clone())
            };
            self.nodes.push(CoverNode {
                inner,
                center: vector(1),
                axes: [vector(4), vector(7), vector(10)],
                list,
            });
        }
        if self.nodes.is_empty() || parents[0] != 0 || parents[1..].iter().any(|&parents| parents != 1) {
            return wrong("no tree");
        }
        let mut seen = vec![0; self.triangles.len()];
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for number in (0..self.nodes.len()).rev() {
            let node = &self.nodes[number];
            let faces: Vec<usize> = if node.inner {
                node.list.iter().flat_map(|&child| below[child].clone()).collect()
            } else {
                node.list.iter().for_each(|&face| seen[face] += 1);
                node.list.clone()
            };
            if !faces.iter().flat_map(|&face| &self.triangles[face]).all(|vertex| node.contains(vertex)) {
                return wrong("a vertex is outside its box");
            }
            below[number] = faces;
        }
        if seen.iter().all(|&times| times == 1) { Ok(()) } else { wrong("a face is missing, or there twice") }
    }
}

impl CoverNode {
    fn contains(&self, vertex: &Vector) -> bool {
        let [u, v, w] = &self.axes;
        let determinant = dot(u, &cross(v, w)).abs();
        let offset = minus(vertex, &self.center);
        let rows = [cross(v, w), cross(w, u), cross(u, v)];
        determinant.sign() > 0 && rows.iter().all(|row| dot(row, &offset).abs() <= determinant)
    }
}

/// A placement in intervals.
#[derive(Clone)]
pub(crate) struct Placement {
    pub(crate) m: [[I; 3]; 3],
    pub(crate) t: [I; 3],
}

impl Placement {
    pub(crate) fn translation(t: [I; 3]) -> Self {
        let entry = |i, j| I::point(Q::int(i64::from(i == j)));
        Self { m: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))), t }
    }

    pub(crate) fn identity() -> Self {
        Self::translation(std::array::from_fn(|_| I::point(Q::zero())))
    }

    /// Rotation about a unit axis in intervals.
    pub(crate) fn turn(axis: &[I; 3], value: &Q) -> Self {
        let [sin, cos] = value.sin_cos();
        let versed = I::point(Q::int(1)) - cos.clone();
        let mut turn = Self::identity();
        for i in 0..3 {
            for j in 0..3 {
                let both = versed.clone() * axis[i].clone() * axis[j].clone();
                turn.m[i][j] = match (3 + j - i) % 3 {
                    0 => both + cos.clone(),
                    1 => both - sin.clone() * axis[3 - i - j].clone(),
                    _ => both + sin.clone() * axis[3 - i - j].clone(),
                };
            }
        }
        turn
    }

    pub(crate) fn read(value: &Value) -> Checked<Self> {
        let numbers = value.numbers()?;
        if ![3, 6, 7].contains(&numbers.len()) {
            return fault("E-HEADER", "placement");
        }
        let shift = Self::translation(std::array::from_fn(|k| I::point(numbers[k].clone())));
        let axis = |k: usize| -> [I; 3] { std::array::from_fn(|i| I::point(Q::int(i64::from(i == k)))) };
        match &numbers[3..] {
            [] => Ok(shift),
            [roll, pitch, yaw] => {
                let turned = shift.then(&Self::turn(&axis(2), yaw)).then(&Self::turn(&axis(1), pitch));
                Ok(turned.then(&Self::turn(&axis(0), roll)))
            }
            [x, y, z, w] => {
                let product = |a: &Q, b: &Q| a.clone() * b.clone();
                let square = |a: &Q| product(a, a);
                let norm = square(x) + square(y) + square(z) + square(w);
                if norm.sign() == 0 {
                    return fault("E-HEADER", "quaternion");
                }
                let (two, inverse) = (Q::int(2), norm.inverse());
                let rows = [
                    [
                        square(w) + square(x) - square(y) - square(z),
                        two.clone() * (product(x, y) - product(w, z)),
                        two.clone() * (product(x, z) + product(w, y)),
                    ],
                    [
                        two.clone() * (product(x, y) + product(w, z)),
                        square(w) - square(x) + square(y) - square(z),
                        two.clone() * (product(y, z) - product(w, x)),
                    ],
                    [
                        two.clone() * (product(x, z) - product(w, y)),
                        two.clone() * (product(y, z) + product(w, x)),
                        square(w) - square(x) - square(y) + square(z),
                    ],
                ];
                let m = rows.map(|row| row.map(|entry| I::point(entry * inverse.clone())));
                Ok(Self { m, ..shift })
            }
            _ => fault("E-HEADER", "placement"),
        }
    }

    /// This placement of what the other has placed.
    pub(crate) fn then(&self, other: &Self) -> Self {
        let row = |i: usize, column: &dyn Fn(usize) -> I| {
            (0..3).fold(I::point(Q::zero()), |sum, k| sum + self.m[i][k].clone() * column(k))
        };
        Self {
            m: std::array::from_fn(|i| std::array::from_fn(|j| row(i, &|k| other.m[k][j].clone()).rounded())),
            t: std::array::from_fn(|i| (row(i, &|k| other.t[k].clone()) + self.t[i].clone()).rounded()),
        }
    }
}

pub(crate) struct Link {
    pub(crate) parent: usize,
    pub(crate) origin: Placement,
    pub(crate) joint: Option<usize>,
}

pub(crate) struct Joint {
    pub(crate) turns: bool,
    pub(crate) axis: [I; 3],
    pub(crate) mimic: Option<(usize, Q, Q)>,
}

pub(crate) struct Body {
    pub(crate) link: usize,
    pub(crate) shape: usize,
    pub(crate) pose: Placement,
    pub(crate) padding: Q,
}

pub(crate) fn read_links(value: &Value) -> Checked<(Vec<Link>, Vec<Joint>)> {
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    let items = value.array()?;
    let count = items
        .iter()
        .filter(|item| matches!(item, Value::Map(entries) if entries.iter().any(|(key, _)| key == "joint")))
        .count();
    for (number, item) in items.iter().enumerate() {
        let known: &[&str] = if number == 0 { &["name"] } else { &["name", "parent", "origin", "joint"] };
        let get = item.map(known)?;
        need(get("name"), "name")?.text()?;
        if number == 0 {
            links.push(Link { parent: 0, origin: Placement::identity(), joint: None });
            continue;
        }
        let joint = match get("joint") {
            Some(joint) => {
                joints.push(read_joint(joint, count)?);
                Some(joints.len() - 1)
            }
            None => None,
        };
        links.push(Link {
            parent: need(get("parent"), "parent")?.index(number)?,
            origin: Placement::read(need(get("origin"), "origin")?)?,
            joint,
        });
    }
    let follows = |joint: &Joint| joint.mimic.as_ref().is_some_and(|(of, ..)| joints[*of].mimic.is_some());
    if links.is_empty() || joints.iter().any(follows) {
        return fault("E-HEADER", "links");
    }
    Ok((links, joints))
}

fn read_joint(value: &Value, count: usize) -> Checked<Joint> {
    let get = value.map(&["kind", "axis", "name", "limits", "mimic"])?;
    need(get("name"), "name")?.text()?;
    if let Some(limits) = get("limits")
        && !matches!(&limits.numbers()?[..], [low, high] if low <= high)
    {
        return fault("E-HEADER", "limits");
    }
    let axis = need(get("axis"), "axis")?.numbers()?;
    let Ok(axis) = <Vector>::try_from(axis) else { return fault("E-HEADER", "axis") };
    let length = dot(&axis, &axis);
    if length.sign() == 0 {
        return fault("E-HEADER", "axis");
    }
    let length = length.sqrt();
    let inverse = I { lo: length.hi.inverse(), hi: length.lo.inverse() };
    let mimic = match get("mimic").map(Value::array).transpose()? {
        Some([of, multiplier, offset]) => Some((of.index(count)?, multiplier.number()?, offset.number()?)),
        Some(_) => return fault("E-HEADER", "mimic"),
        None => None,
    };
    Ok(Joint {
        turns: match need(get("kind"), "kind")?.text()? {
            "turn" => true,
            "slide" => false,
            _ => return fault("E-HEADER", "kind of joint"),
        },
        axis: axis.map(|c| I::point(c) * inverse.clone()),
        mimic,
    })
}
