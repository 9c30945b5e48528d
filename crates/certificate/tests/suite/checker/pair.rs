//! Two bodies at the centre of a cell: cuts, rays and witnesses.

use super::model::{Body, Joint, Link, Placement, Shape, Vector, dot};
use super::number::{I, Q};
use super::read::{Checked, Value, fault};

pub(crate) struct World {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) bodies: Vec<Body>,
}

pub(crate) struct Side<'w> {
    pub(crate) shape: &'w Shape,
    exact: Placement,
    m: [[Q; 3]; 3],
    t: Vector,
    pub(crate) error: Q,
}

pub(crate) struct Pair<'w> {
    pub(crate) sides: [Side<'w>; 2],
    pub(crate) motion: Q,
    motion_b: Q,
}

#[derive(Clone, Copy)]
enum Node {
    Cover(usize),
    Face(usize),
    Whole,
}

type Point = [I; 3];

impl World {
    pub(crate) fn ancestors(&self, mut link: usize) -> Vec<usize> {
        let mut all = Vec::new();
        while link != 0 {
            all.push(link);
            link = self.links[link].parent;
        }
        all
    }

    /// Both bodies for joint values, each of which may differ by its half width.
    pub(crate) fn pair(&self, bodies: [usize; 2], values: &[Q], halves: &[Q]) -> Pair<'_> {
        let mut up = bodies.map(|body| self.ancestors(self.bodies[body].link));
        while let (Some(a), Some(b)) = (up[0].last(), up[1].last())
            && a == b
        {
            for links in &mut up {
                links.pop();
            }
        }
        let mut axes: [Vec<(usize, Placement)>; 2] = [Vec::new(), Vec::new()];
        let sides: [Side<'_>; 2] = std::array::from_fn(|side| {
            let mut frame = Placement::identity();
            for &link in up[side].iter().rev() {
                frame = frame.then(&self.links[link].origin);
                if let Some(number) = self.links[link].joint {
                    axes[side].push((number, frame.clone()));
                    let joint = &self.joints[number];
                    frame = frame.then(&if joint.turns {
                        Placement::turn(&joint.axis, &values[number])
                    } else {
                        let by = |axis: &I| axis.clone() * I::point(values[number].clone());
                        Placement::translation(joint.axis.each_ref().map(by))
                    });
                }
            }
            let body = &self.bodies[bodies[side]];
            Side::new(&self.shapes[body.shape], frame.then(&body.pose))
        });
        let [mut of_a, of_b] = axes;
        of_a.reverse();
        let axes: Vec<(usize, Placement)> = of_a.into_iter().chain(of_b).collect();
        let reach_a = self.reaches(&axes, &sides[0], halves, false);
        let reach_b = self.reaches(&axes, &sides[1], halves, true);
        let (mut motion, mut motion_b) = (Q::zero(), Q::zero());
        for (k, (joint, _)) in axes.iter().enumerate() {
            motion = motion + halves[*joint].clone() * reach_a[k].clone().min(reach_b[k].clone());
            motion_b = motion_b + halves[*joint].clone() * reach_b[k].clone();
        }
        Pair { sides, motion, motion_b }
    }

    fn reaches(&self, axes: &[(usize, Placement)], side: &Side<'_>, halves: &[Q], backward: bool) -> Vec<Q> {
        let mut reaches = vec![Q::int(1); axes.len()];
        let (points, radius) = side.shape.extent();
        let points: Vec<Point> = points.iter().map(|point| side.intervals(point, &side.error)).collect();
        let mut beyond = Q::zero();
        for step in 0..axes.len() {
            let k = if backward { axes.len() - 1 - step } else { step };
            let (joint, frame) = &axes[k];
            if halves[*joint].sign() == 0 {
                continue;
            }
            if self.joints[*joint].turns {
                let axis = &self.joints[*joint].axis;
                let direction: Point = std::array::from_fn(|i| {
                    (0..3).fold(I::point(Q::zero()), |sum, j| sum + frame.m[i][j].clone() * axis[j].clone())
                });
                let distance = |p: &Point| {
                    let arm = subtract(p, &frame.t);
                    let sum = cross(&arm, &direction).iter().fold(Q::zero(), |sum, c| sum + c.square().hi);
                    sum.sqrt().hi
                };
                let most = points.iter().map(distance).max().unwrap_or(Q::zero());
                reaches[k] = most + radius.clone() + beyond.clone();
            }
            beyond = beyond + halves[*joint].clone() * reaches[k].clone();
        }
        reaches
    }
}

fn subtract(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| a[k].clone() - b[k].clone())
}

fn cross(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone()
    })
}

fn det(a: &Point, b: &Point, c: &Point) -> I {
    let n = cross(b, c);
    (0..3).fold(I::point(Q::zero()), |sum, k| sum + a[k].clone() * n[k].clone())
}

impl<'w> Side<'w> {
    fn new(shape: &'w Shape, exact: Placement) -> Self {
        let (points, radius) = shape.extent();
        let far = points.iter().flatten().map(Q::abs).max().unwrap_or(Q::zero()) + radius;
        let mut error = Q::zero();
        for i in 0..3 {
            error = error + exact.t[i].radius();
            for j in 0..3 {
                error = error + exact.m[i][j].radius() * far.clone();
            }
        }
        let m = exact.m.each_ref().map(|row| row.each_ref().map(I::middle));
        let t = exact.t.each_ref().map(I::middle);
        Self { shape, exact, m, t, error }
    }

    fn place(&self, p: &Vector) -> Vector {
        std::array::from_fn(|i| dot(&self.m[i], p) + self.t[i].clone())
    }

    fn intervals(&self, p: &Vector, error: &Q) -> Point {
        self.place(p).map(|c| I::around(&c, error))
    }

    fn root(&self) -> Node {
        if self.shape.mesh().is_some() { Node::Cover(0) } else { Node::Whole }
    }

    fn children(&self, node: Node) -> Vec<Node> {
        match (node, self.shape.mesh()) {
            (Node::Cover(number), Some(mesh)) => {
                let node = &mesh.nodes[number];
                let child = |&item: &usize| if node.inner { Node::Cover(item) } else { Node::Face(item) };
                node.list.iter().map(child).collect()
            }
            _ => Vec::new(),
        }
    }

    fn support(&self, node: Node, n: &Vector) -> Q {
        let column = |j: usize| [self.m[0][j].clone(), self.m[1][j].clone(), self.m[2][j].clone()];
        let w: Vector = std::array::from_fn(|j| dot(n, &column(j)));
        let long = || dot(&w, &w).sqrt().hi;
        let local = match (self.shape, node) {
            (Shape::Mesh(mesh), Node::Cover(number)) => {
                let node = &mesh.nodes[number];
                node.axes.iter().fold(dot(&w, &node.center), |sum, axis| sum + dot(&w, axis).abs())
            }
            (Shape::Mesh(mesh), Node::Face(face)) => {
                mesh.triangles[face].iter().map(|v| dot(&w, v)).max().unwrap_or(Q::zero())
            }
            (Shape::Box(half), _) => dot(&w.each_ref().map(Q::abs), half),
            (Shape::Sphere(radius), _) => radius.clone() * long(),
            (Shape::Capsule(radius, half), _) => radius.clone() * long() + w[2].abs() * half.clone(),
            (Shape::Cylinder(radius, half), _) => {
                let flat = w[0].clone() * w[0].clone() + w[1].clone() * w[1].clone();
                radius.clone() * flat.sqrt().hi + w[2].abs() * half.clone()
            }
            (Shape::Mesh(_), Node::Whole) => Q::zero(),
        };
        dot(n, &self.t) + local
    }

    /// Whether a point in intervals is certainly in a primitive.
    fn contains(&self, x: &Point) -> bool {
        let offset = subtract(x, &self.exact.t);
        let y: Point = std::array::from_fn(|j| {
            (0..3).fold(I::point(Q::zero()), |sum, i| sum + self.exact.m[i][j].clone() * offset[i].clone())
        });
        let flat = y[0].square().hi + y[1].square().hi;
        match self.shape {
            Shape::Mesh(_) => false,
            Shape::Box(half) => (0..3).all(|k| y[k].most() <= half[k]),
            Shape::Sphere(radius) => flat + y[2].square().hi <= radius.clone() * radius.clone(),
            Shape::Capsule(radius, half) => {
                let beyond = (y[2].most() - half.clone()).max(Q::zero());
                flat + beyond.clone() * beyond <= radius.clone() * radius.clone()
            }
            Shape::Cylinder(radius, half) => flat <= radius.clone() * radius.clone() && y[2].most() <= *half,
        }
    }
}

/// Exceeds a distance along a direction.
fn exceeds(margin: &Q, room: &Q, n: &Vector) -> bool {
    let square = |x: &Q| x.clone() * x.clone();
    margin.sign() > 0 && square(margin) > square(room) * dot(n, n)
}

impl Pair<'_> {
    pub(crate) fn check_cut(&self, room: &Q, tokens: &[Value]) -> Checked<()> {
        let mut tokens = tokens.iter();
        let mut open = vec![[self.sides[0].root(), self.sides[1].root()]];
        while let Some(nodes) = open.pop() {
            match tokens.next() {
                Some(&Value::Int(side @ (0 | 1))) => {
                    let side = side as usize;
                    let children = self.sides[side].children(nodes[side]);
                    if children.is_empty() {
                        return fault("E-CUT", "no children");
                    }
                    for child in children.into_iter().rev() {
                        let mut nodes = nodes;
                        nodes[side] = child;
                        open.push(nodes);
                    }
                }
                Some(plane @ Value::Array(_)) => {
                    let n = plane.direction("E-CUT")?;
                    let back = n.clone().map(|c| -c);
                    let margin =
                        -self.sides[1].support(nodes[1], &back) - self.sides[0].support(nodes[0], &n);
                    if !exceeds(&margin, room, &n) {
                        return fault("E-PLANE", format!("{plane:?}"));
                    }
                }
                _ => return fault("E-CUT", "token"),
            }
        }
        if tokens.next().is_some() { fault("E-CUT", "tokens are left") } else { Ok(()) }
    }

    /// Checks that a point of the first body is outside of the second.
    pub(crate) fn check_outside(&self, leaf: &[Value]) -> Checked<()> {
        let [point, ray] = leaf else { return fault("E-WITNESS", "leaf") };
        let point: Vector = match self.sides[0].shape {
            Shape::Mesh(mesh) => {
                let number =
                    point.index(3 * mesh.triangles.len()).map_err(|(_, text)| ("E-WITNESS", text))?;
                mesh.triangles[number / 3][number % 3].clone()
            }
            shape => {
                let Ok(point) = <Vector>::try_from(point.numbers()?) else {
                    return fault("E-WITNESS", "point");
                };
                let alone = Side::new(shape, Placement::identity());
                if !alone.contains(&point.clone().map(I::point)) {
                    return fault("E-WITNESS", "a point that is not of the body");
                }
                point
            }
        };
        let errors = [self.sides[0].error.clone(), self.sides[1].error.clone() + self.motion_b.clone()];
        match self.winding(0, &point, &errors, ray)? {
            0 => Ok(()),
            _ => fault("E-WITNESS", "inside"),
        }
    }

    /// The winding number at a point of one side about the solid on the other.
    pub(crate) fn winding(&self, from: usize, probe: &Vector, errors: &[Q; 2], ray: &Value) -> Checked<i64> {
        let (other, solid) = (&self.sides[from], &self.sides[1 - from]);
        let Value::Array(ray) = ray else { return fault("E-RAY", "ray") };
        let [direction, Value::Array(tokens)] = &ray[..] else { return fault("E-RAY", "ray") };
        let d = direction.direction("E-RAY")?;
        let p = other.place(probe);
        let both = errors[0].clone() + errors[1].clone();
        let (mut tokens, mut open, mut sum) = (tokens.iter(), vec![solid.root()], 0);
        while let Some(node) = open.pop() {
            match (tokens.next(), node) {
                (Some(Value::Int(0)), _) => {
                    let children = solid.children(node);
                    if children.is_empty() {
                        return fault("E-RAY", "no children");
                    }
                    open.extend(children.into_iter().rev());
                }
                (Some(Value::Int(1)), Node::Face(face)) => {
                    let Some(mesh) = solid.shape.mesh() else { return fault("E-RAY", "no mesh") };
                    let vertices =
                        mesh.triangles[face].each_ref().map(|v| solid.intervals(v, &errors[1 - from]));
                    let start = p.clone().map(|c| I::around(&c, &errors[from]));
                    sum += crossing(&start, &d.clone().map(I::point), &vertices)?;
                }
                (Some(plane @ Value::Array(_)), _) => {
                    let n = plane.direction("E-RAY")?;
                    let margin = dot(&n, &p) - solid.support(node, &n);
                    if dot(&n, &d).sign() < 0 || !exceeds(&margin, &both, &n) {
                        return fault("E-RAY", "plane");
                    }
                }
                _ => return fault("E-RAY", "token"),
            }
        }
        if tokens.next().is_some() { fault("E-RAY", "tokens are left") } else { Ok(sum) }
    }

    pub(crate) fn check_witness(&self, leaf: &[Value]) -> Checked<()> {
        let errors = [self.sides[0].error.clone(), self.sides[1].error.clone() + self.motion_b.clone()];
        let index = |value: &Value, count: usize| value.index(count).map_err(|(_, text)| ("E-WITNESS", text));
        let accepted = match leaf {
            [Value::Int(0), side, face, k, other] => {
                let side = index(side, 2)?;
                let meshes = [self.sides[side].shape.mesh(), self.sides[1 - side].shape.mesh()];
                let [Some(own), Some(its)] = meshes else { return fault("E-WITNESS", "no mesh") };
                let face = &own.triangles[index(face, own.triangles.len())?];
                let k = index(k, 3)?;
                let edge =
                    [&face[k], &face[(k + 1) % 3]].map(|v| self.sides[side].intervals(v, &errors[side]));
                let other = &its.triangles[index(other, its.triangles.len())?];
                let other = other.each_ref().map(|v| self.sides[1 - side].intervals(v, &errors[1 - side]));
                passes_through(&edge, &other)
            }
            [Value::Int(1), side, face, weights] => {
                let side = index(side, 2)?;
                let x = &self.sides[side];
                let Some(mesh) = x.shape.mesh() else { return fault("E-WITNESS", "no mesh") };
                let face = &mesh.triangles[index(face, mesh.triangles.len())?];
                let weights = weights.direction("E-WITNESS")?;
                if weights.iter().any(|weight| weight.sign() < 0) {
                    return fault("E-WITNESS", "weights");
                }
                let total = weights.iter().cloned().fold(Q::zero(), |sum, weight| sum + weight).inverse();
                let point: Vector = std::array::from_fn(|i| {
                    (0..3).fold(Q::zero(), |sum, k| {
                        sum + face[k][i].clone() * weights[k].clone() * total.clone()
                    })
                });
                let error = x.error.clone() + self.motion_b.clone();
                self.sides[1 - side].contains(&x.intervals(&point, &error))
            }
            [Value::Int(2), point] => {
                let point = point.numbers().map_err(|(_, text)| ("E-WITNESS", text))?;
                let Ok(point) = <Vector>::try_from(point) else { return fault("E-WITNESS", "point") };
                let around = |radius: &Q| point.clone().map(|c| I::around(&c, radius));
                self.sides[0].contains(&around(&Q::zero())) && self.sides[1].contains(&around(&self.motion_b))
            }
            [Value::Int(3), side, component, ray] => {
                let side = index(side, 2)?;
                if !self.sides[1 - side].shape.is_solid_mesh() {
                    return fault("E-WITNESS", "no solid");
                }
                let probes = self.sides[side].shape.probes();
                self.winding(side, &probes[index(component, probes.len())?], &errors, ray)? != 0
            }
            _ => false,
        };
        if accepted { Ok(()) } else { fault("E-WITNESS", format!("{leaf:?}")) }
    }
}

fn sides_of(p: &Point, d: &Point, v: &[Point; 3]) -> [I; 3] {
    let arms = v.each_ref().map(|v| subtract(v, p));
    [0, 1, 2].map(|k| det(d, &arms[k], &arms[(k + 1) % 3]))
}

fn height(x: &Point, v: &[Point; 3]) -> I {
    det(&subtract(&v[1], &v[0]), &subtract(&v[2], &v[0]), &subtract(x, &v[0]))
}

fn crossing(p: &Point, d: &Point, v: &[Point; 3]) -> Checked<i64> {
    let sides = sides_of(p, d, v);
    let [above, below] =
        [sides.each_ref().map(|s| s.lo.sign() > 0), sides.each_ref().map(|s| s.hi.sign() < 0)];
    if above.contains(&true) && below.contains(&true) {
        return Ok(0);
    }
    if above != [true; 3] && below != [true; 3] {
        return fault("E-RAY", "too close to an edge");
    }
    let side = height(p, v);
    if side.lo.sign() <= 0 && side.hi.sign() >= 0 {
        return fault("E-RAY", "on the plane of a face");
    }
    Ok(match ((side.lo.sign() > 0) == above[0], above[0]) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => -1,
    })
}

fn passes_through([p, q]: &[Point; 2], v: &[Point; 3]) -> bool {
    let sides = sides_of(p, &subtract(q, p), v);
    let [hp, hq] = [height(p, v), height(q, v)];
    let [above, below]: [fn(&I) -> bool; 2] = [|i| i.lo.sign() >= 0, |i| i.hi.sign() <= 0];
    let opposite = (above(&hp) && below(&hq)) || (below(&hp) && above(&hq));
    let strict = [&hp, &hq].into_iter().any(|h| h.lo.sign() > 0 || h.hi.sign() < 0);
    opposite && strict && (sides.iter().all(above) || sides.iter().all(below))
}

pub(crate) fn room(pair: &Pair<'_>) -> Q {
    pair.sides.iter().fold(pair.motion.clone(), |sum, side| sum + side.error.clone())
}
