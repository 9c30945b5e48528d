//! Trees, cuts, rays and witnesses (sections 7 to 9).

use crate::cbor::Value;
use crate::dyadic::{Dyadic, Vector, dot, sum};
use crate::error::{CheckError, Result, require, required};
use crate::fields::numbers;
use crate::header::{Claim, Region as Domain, Statement};
use crate::interval::{Enclosure, Interval, Region, around, difference, inner, side, turns};
use crate::kinematics::filter::RoughPair;
use crate::kinematics::{Cell, Center, Kinematics, Pair, Placed, SPLITS};
use crate::shape::{INTEGERS, Mesh, Part, Shape};
use std::array::from_fn;
use std::cell::OnceCell;

/// Paths of further obligations, and the smallest proven distance, rounded down.
pub(crate) type Outcome = (Vec<Vec<i64>>, f64);

impl Kinematics<'_> {
    /// Checks a proof item.
    pub(crate) fn check_proof(
        &self,
        statement: &Statement,
        (_, pair, edge, path): &(usize, usize, usize, Vec<i64>),
        tree: &Value,
    ) -> Result<Outcome> {
        let tokens = tree.array().filter(|tokens| !tokens.is_empty() && **tokens != [Value::Null]);
        let tokens = required(tokens, "E-TREE", "the tree proves nothing")?;
        let mut stack = vec![cell_of(statement, path)?];
        let (mut added, mut clearance) = (Vec::new(), f64::INFINITY);
        for token in tokens {
            let cell = required(stack.pop(), "E-TREE", "tokens are left after the tree")?;
            match token {
                Value::Null => added.push(cell.path),
                Value::Array(leaf) => {
                    let center = Center::new(statement, self.model, *edge, &cell);
                    self.check_leaf(statement, *pair, &center, leaf, &mut clearance)?;
                }
                Value::Integer(dimension) => {
                    let dimension = required(cell.splittable(*dimension), "E-TREE", "no parameter is split")?;
                    stack.push(cell.half(dimension, 1)?);
                    stack.push(cell.half(dimension, 0)?);
                }
                _ => return Err(CheckError::new("E-TREE", "a token of a tree is none")),
            }
        }
        require(stack.is_empty(), "E-TREE", "the tree ends too early")?;
        Ok((added, clearance))
    }

    fn check_leaf(
        &self,
        statement: &Statement,
        pair: usize,
        center: &Center,
        leaf: &[Value],
        clearance: &mut f64,
    ) -> Result<()> {
        if statement.claim == Claim::Colliding {
            let named = leaf.first().and_then(|value| value.index(statement.pairs.len()));
            let named = required(named, "E-WITNESS", "a witness names no pair")?;
            let shown = is_witness(&self.pair(statement.pairs[named], center), leaf)?;
            return require(shown, "E-WITNESS", "a witness shows no common point");
        }
        if statement.claim == Claim::NotInside {
            let shown = is_outside(&self.pair(statement.pairs[pair], center), leaf)?;
            return require(shown, "E-WITNESS", "a witness shows no point outside");
        }
        let (a, b) = statement.pairs[pair];
        let mut claimed = Dyadic::ZERO;
        if statement.claim == Claim::Separated {
            let paddings = [a, b].map(|body| self.model.bodies[body].padding.clone());
            claimed = &statement.clearance + &sum(paddings);
        }
        let is_still = matches!(statement.region, Domain::At(_));
        let (rough, exact) = (self.rough_pair((a, b), center, &claimed), OnceCell::new());
        let planes = Planes { own: self, bodies: (a, b), center, rough, exact, claimed, is_still };
        planes.check_cut(leaf, clearance)
    }

    /// Checks a rays item.
    pub(crate) fn check_rays(&self, statement: &Statement, pair: usize, rays: &[Value]) -> Result<()> {
        let halves = vec![Dyadic::ZERO; self.model.joints.len()];
        let center = Center { halves, ..Center::new(statement, self.model, 0, &Cell::whole(statement)) };
        let placed = self.pair(statement.pairs[pair], &center);
        for (solid, rays) in [1, 0].into_iter().zip(rays) {
            let inside = solid == 1 && statement.claim == Claim::Inside;
            let [solid_shape, other] = placed.ordered(solid).map(|body| body.shape);
            let count = if solid_shape.solid().is_some() { other.component_count() } else { 0 };
            let rays = rays.array().filter(|rays| rays.len() == count);
            let rays = required(rays, "E-RAY", "there is not one ray for each component")?;
            for (component, ray) in rays.iter().enumerate() {
                let number = placed.winding(solid, &other.probe(component), ray)?;
                require((number != 0) == inside, "E-RAY", "a component is on the wrong side")?;
            }
        }
        Ok(())
    }
}

/// Returns the cell that a path of splits leads to.
fn cell_of(statement: &Statement, path: &[i64]) -> Result<Cell> {
    require(path.len() <= SPLITS, "E-LIMIT", "a path has more than 512 splits")?;
    path.iter().try_fold(Cell::whole(statement), |cell, step| {
        let dimension = cell.splittable(step.div_euclid(2)).filter(|_| *step >= 0);
        let dimension = required(dimension, "E-OBLIGATION", "a path splits no parameter")?;
        cell.half(dimension, usize::from(step.rem_euclid(2) == 1))
    })
}

fn root(shape: &Shape) -> Part {
    if shape.mesh().is_some() { Part::Cover(0) } else { Part::Whole }
}

/// Appends the children of a node, the last first.
fn push_children(shape: &Shape, node: Part, mut push: impl FnMut(Part)) -> bool {
    let (Part::Cover(index), Some(cover)) = (node, shape.mesh().and_then(|mesh| mesh.cover.as_ref())) else {
        return false;
    };
    let parent = &cover.nodes[index];
    let child = |k: usize| if parent.is_leaf { Part::Face(k) } else { Part::Cover(k) };
    parent.list.iter().rev().for_each(|&k| push(child(k)));
    true
}

/// Reads a direction: three integers, not all 0.
pub(crate) fn direction(token: &Value, code: &'static str) -> Result<[i64; 3]> {
    if let Value::Direction(n) = token {
        return Ok(*n);
    }
    let wrong = || CheckError::new(code, "a token is no direction of three integers");
    let Some([x, y, z]) = token.array() else { return Err(wrong()) };
    let found = x.integer().zip(y.integer()).zip(z.integer()).map(|((x, y), z)| [x, y, z]);
    let found = found.filter(|n| *n != [0; 3]).ok_or_else(wrong)?;
    let small = found.iter().all(|x| x.unsigned_abs() <= INTEGERS.unsigned_abs());
    require(small, "E-LIMIT", "a direction is beyond 2^62")?;
    Ok(found)
}

impl<'m> Pair<'m> {
    /// The winding number of a point of the other body, by a ray over the cover of the solid.
    fn winding(&self, solid: usize, probe: &Vector, ray: &Value) -> Result<i64> {
        let Some([towards, Value::Array(tokens)]) = ray.array() else {
            return Err(CheckError::new("E-RAY", "a ray is not [direction, tokens]"));
        };
        let d = direction(towards, "E-RAY")?;
        let shape = self.ordered(solid)[0].shape;
        let (mut stack, mut number) = (vec![root(shape)], 0);
        for token in tokens {
            let node = required(stack.pop(), "E-RAY", "tokens are left after a ray")?;
            match token {
                Value::Integer(0) => {
                    let split = push_children(shape, node, |child| stack.push(child));
                    require(split, "E-RAY", "nothing to split")?;
                }
                Value::Integer(1) => {
                    let Part::Face(face) = node else {
                        return Err(CheckError::new("E-RAY", "only a face is crossed"));
                    };
                    let found = self.crossing(solid, face, probe, d);
                    let found =
                        required(found, "E-RAY", "a ray is too close to an edge, or its origin to a face")?;
                    number = i64::saturating_add(number, found);
                }
                _ => {
                    let n = direction(token, "E-RAY")?;
                    // Three products of at most 2^124.
                    let along = n.iter().zip(d).map(|(n, d)| i128::from(*n).saturating_mul(i128::from(d)));
                    let holds = along.sum::<i128>() >= 0 && self.excludes(solid, node, probe, n);
                    require(holds, "E-RAY", "a plane does not exclude the ray")?;
                }
            }
        }
        require(stack.is_empty(), "E-RAY", "a ray ends too early")?;
        Ok(number)
    }

    /// Bounds on the distance of the points of a body from their places, for all of the cell.
    fn errors(&self) -> [Dyadic; 2] {
        [self.a.error.clone(), &self.b.error + &self.motion_b]
    }

    /// A body and the other.
    fn ordered(&self, first: usize) -> [&Placed<'m>; 2] {
        if first == 0 { [&self.a, &self.b] } else { [&self.b, &self.a] }
    }

    /// Returns `true` if a plane has a node of the solid on the one side, and a point of the other body beyond.
    fn excludes(&self, solid: usize, node: Part, probe: &Vector, n: [i64; 3]) -> bool {
        let ([s, o], n) = (self.ordered(solid), n.map(Dyadic::integer));
        let p = o.place(probe);
        let error = &sum(self.errors()) * &(&s.over * &o.over);
        let margin = &(&dot(&n, &p) * &s.over) - &(&support(s, node, &n) * &o.over);
        margin.is_positive() && margin.squared() > &error.squared() * &dot(&n, &n)
    }

    /// The crossing of a ray from a point of the other body with a face; `None` if it is not certain.
    fn crossing(&self, solid: usize, face: usize, probe: &Vector, d: [i64; 3]) -> Option<i64> {
        let ([s, o], errors) = (self.ordered(solid), self.errors());
        let mesh = s.shape.mesh()?;
        let v = mesh.faces[face].map(|vertex| region(s, o, &s.place(&mesh.point(vertex)), &errors[solid]));
        let p = region(o, s, &o.place(probe), &errors[solid ^ 1]);
        let d = d.map(|x| Interval::of(&Dyadic::integer(x)));
        crossed(turns(&d, &p, &v).map(|turn| turn.sign()), side(&v, &p).sign())
    }
}

/// 1 or -1 if a ray crosses a face forwards, 0 if it does not, by the signs of its turns about the edges and of the side
/// that it begins on; `None` if they do not decide.
fn crossed(signs: [i32; 3], side: i32) -> Option<i64> {
    if signs.contains(&1) && signs.contains(&-1) {
        return Some(0);
    }
    let certain = !signs.contains(&0) && side != 0;
    certain.then(|| if side == signs[0] { 0 } else { i64::from(signs[0]) })
}

/// The planes of one cut.
struct Planes<'p, 'm> {
    own: &'p Kinematics<'m>,
    bodies: (usize, usize),
    center: &'p Center,
    /// The bodies in doubles, and exactly where those do not decide.
    rough: Option<RoughPair<'p>>,
    exact: OnceCell<Pair<'m>>,
    claimed: Dyadic,
    /// The clearance of a single configuration is reported without the slack of doubles.
    is_still: bool,
}

impl Planes<'_, '_> {
    /// Checks that all pairs of points are further from each other than the room of a leaf.
    fn check_cut(&self, tokens: &[Value], clearance: &mut f64) -> Result<()> {
        let [a, b] = [self.bodies.0, self.bodies.1].map(|body| self.own.model.shape_of(body));
        let mut stack = vec![(root(a), root(b))];
        for token in tokens {
            let nodes = required(stack.pop(), "E-CUT", "tokens are left after the cut")?;
            let split = match token {
                Value::Integer(0) => push_children(a, nodes.0, |child| stack.push((child, nodes.1))),
                Value::Integer(1) => push_children(b, nodes.1, |child| stack.push((nodes.0, child))),
                _ => self.check(direction(token, "E-CUT")?, nodes.into(), clearance).map(|()| true)?,
            };
            require(split, "E-CUT", "a node without children is split")?;
        }
        require(stack.is_empty(), "E-CUT", "the cut ends too early")
    }

    fn check(&self, n: [i64; 3], nodes: [Part; 2], clearance: &mut f64) -> Result<()> {
        let sure = self.rough.as_ref().and_then(|rough| rough.separates(nodes, n));
        if let Some(least) = sure.filter(|least| !self.is_still || *least > *clearance) {
            *clearance = clearance.min(least);
            return Ok(());
        }
        let Pair { a, b, motion, .. } = self.exact.get_or_init(|| self.own.pair(self.bodies, self.center));
        let slack = sum([&a.error, &b.error, motion].map(Dyadic::clone));
        let up = n.map(Dyadic::integer);
        let down = up.each_ref().map(|x| -x);
        let margin = &(&-&support(b, nodes[1], &down) * &a.over) - &(&support(a, nodes[0], &up) * &b.over);
        let (over, squared) = (&a.over * &b.over, dot(&up, &up));
        let bound = &(&self.claimed + &slack) * &over;
        let holds = margin.is_positive() && margin.squared() > &bound.squared() * &squared;
        require(holds, "E-PLANE", format!("the plane {n:?} does not separate"))?;
        let distance = margin.divided_down(&(&over * &squared.root_up()));
        *clearance = clearance.min((&distance - &slack).to_double_down());
        Ok(())
    }
}

/// An upper bound of `n · x` over a placed node, times `over`.
fn support(body: &Placed<'_>, node: Part, n: &Vector) -> Dyadic {
    let w: Vector = from_fn(|j| dot(&from_fn(|i| body.rotation[i][j].clone()), n));
    let along = dot(n, &body.translation);
    let reach = match (node, body.shape) {
        (Part::Cover(index), Shape::Mesh(Mesh { cover: Some(cover), .. })) => {
            let cell = &cover.nodes[index].cell;
            let edges = cell.edges.iter().map(|edge| dot(&w, edge).abs());
            sum(std::iter::once(dot(&w, &cell.center)).chain(edges))
        }
        (Part::Face(face), Shape::Mesh(mesh)) => {
            let [a, b, c] = mesh.faces[face].map(|vertex| dot(&w, &mesh.point(vertex)));
            a.max(b).max(c)
        }
        (_, Shape::Box { halves }) => sum((0..3).map(|k| &w[k].abs() * &halves[k])),
        (_, Shape::Sphere { radius }) => radius * &dot(&w, &w).root_up(),
        (_, Shape::Capsule { radius, half }) => &(radius * &dot(&w, &w).root_up()) + &(&w[2].abs() * half),
        (_, Shape::Cylinder { radius, half }) => {
            let across = (&w[0].squared() + &w[1].squared()).root_up();
            &(radius * &across) + &(&w[2].abs() * half)
        }
        // A node of a cover exists only of a mesh that has one.
        _ => Dyadic::ZERO,
    };
    &along + &reach
}

/// Coordinates over the denominators of both bodies: places of one times the denominator of the other.
fn region(body: &Placed<'_>, partner: &Placed<'_>, place: &Vector, error: &Dyadic) -> Region {
    let scaled = place.each_ref().map(|x| x * &partner.over);
    around(&scaled, &(error * &(&body.over * &partner.over)))
}

/// Checks a leaf of a colliding statement.
fn is_witness(placed: &Pair<'_>, leaf: &[Value]) -> Result<bool> {
    let errors = placed.errors();
    let sided = |side: &Value| {
        let side = side.index(2)?;
        let [x, y] = placed.ordered(side);
        Some((x, y, [&errors[side], &errors[side ^ 1]]))
    };
    match leaf {
        [_, Value::Integer(0), side, face, k, other] => {
            let Some((x, y, errors)) = sided(side) else { return Ok(false) };
            Ok(edge_intersects(x, y, errors, [face, k, other]).unwrap_or(false))
        }
        [_, Value::Integer(1), side, face, weights] => {
            let Some((x, y, _)) = sided(side) else { return Ok(false) };
            let error = &x.error + &placed.motion_b;
            Ok(point_of_face(x, face, weights).is_some_and(|(point, over)| holds(y, &point, &over, &error)))
        }
        [_, Value::Integer(2), x] => {
            let Some(Ok(x)) = numbers(x).map(<Vector>::try_from) else { return Ok(false) };
            let one = Dyadic::integer(1);
            Ok(holds(&placed.a, &x, &one, &Dyadic::ZERO) && holds(&placed.b, &x, &one, &placed.motion_b))
        }
        [_, Value::Integer(3), side, component, ray] => {
            let Some(side) = side.index(2) else { return Ok(false) };
            let [x, y] = placed.ordered(side).map(|body| body.shape);
            let component = component.index(x.component_count());
            let (Some(component), Some(_)) = (component, y.solid()) else { return Ok(false) };
            Ok(placed.winding(side ^ 1, &x.probe(component), ray)? != 0)
        }
        _ => Ok(false),
    }
}

/// Checks a leaf of a statement that a body is not inside a solid: a point of it that is outside.
fn is_outside(placed: &Pair<'_>, leaf: &[Value]) -> Result<bool> {
    let [point, ray] = leaf else { return Ok(false) };
    let body = placed.a.shape;
    let point = match body.mesh() {
        Some(mesh) => {
            point.index(mesh.faces.len().saturating_mul(3)).map(|k| mesh.point(mesh.faces[k / 3][k % 3]))
        }
        None => numbers(point).and_then(|x| x.try_into().ok()),
    };
    let own = |p: &Vector| body.mesh().is_some() || body.holds(&p.each_ref().map(Interval::of));
    point.filter(own).map_or(Ok(false), |point| Ok(placed.winding(1, &point, ray)? == 0))
}

fn edge_intersects(x: &Placed<'_>, y: &Placed<'_>, errors: [&Dyadic; 2], names: [&Value; 3]) -> Option<bool> {
    let (mesh_x, mesh_y) = (x.shape.mesh()?, y.shape.mesh()?);
    let (face, k, other) =
        (names[0].index(mesh_x.faces.len())?, names[1].index(3)?, names[2].index(mesh_y.faces.len())?);
    let end = |k: usize| {
        let vertex = mesh_x.faces[face][k % 3];
        region(x, y, &x.place(&mesh_x.point(vertex)), errors[0])
    };
    let (p, q) = (end(k), end(k.saturating_add(1)));
    let v = mesh_y.faces[other].map(|vertex| region(y, x, &y.place(&mesh_y.point(vertex)), errors[1]));
    let around_line = turns(&difference(&q, &p), &p, &v);
    let [g, h] = [p, q].map(|end| side(&v, &end));
    let not_below = |value: &Interval| !value.low.is_negative();
    let not_above = |value: &Interval| !value.high.is_positive();
    let one_side = around_line.iter().all(not_below) || around_line.iter().all(not_above);
    let crosses = not_below(&g) && not_above(&h) || not_below(&h) && not_above(&g);
    Some(one_side && crosses && (g.sign() != 0 || h.sign() != 0))
}

/// The placed point of a face by its weights, and the positive number that it is to be divided by.
fn point_of_face(x: &Placed<'_>, face: &Value, weights: &Value) -> Option<(Vector, Dyadic)> {
    let mesh = x.shape.mesh()?;
    let face = mesh.faces[face.index(mesh.faces.len())?];
    let weight = |value: &Value| value.integer().filter(|w| (0..=INTEGERS).contains(w)).map(Dyadic::integer);
    let weights: Vec<Dyadic> = weights.array()?.iter().map(weight).collect::<Option<_>>()?;
    let weights: [Dyadic; 3] = weights.try_into().ok()?;
    let total = sum(weights.iter().cloned());
    let places = face.map(|vertex| x.place(&mesh.point(vertex)));
    let point = from_fn(|d| sum((0..3).map(|k| &weights[k] * &places[k][d])));
    total.is_positive().then(|| (point, &total * &x.over))
}

/// Returns `true` if all points within an error of `point / over` are in a placed primitive.
fn holds(body: &Placed<'_>, point: &Vector, over: &Dyadic, error: &Dyadic) -> bool {
    if body.shape.mesh().is_some() {
        return false;
    }
    // The matrix and the translation are over `body.over`: y · over · body.over² = (M·body.over)ᵀ · (x − T)·over·body.over.
    let (rotation, translation) = body.intervals();
    let x = region_over(point, over, &body.over, error);
    let offset: Region = from_fn(|i| x[i].minus(&translation[i].times(&Interval::of(over))));
    let y: Region = from_fn(|j| inner(&from_fn(|i| rotation[i][j].clone()), &offset));
    let scale = over * &body.over.squared();
    let narrowed = y.map(|y| Interval { low: y.low.divided_down(&scale), high: y.high.divided_up(&scale) });
    body.shape.holds(&narrowed)
}

fn region_over(point: &Vector, over: &Dyadic, factor: &Dyadic, error: &Dyadic) -> Region {
    let scaled = point.each_ref().map(|x| x * factor);
    around(&scaled, &(error * &(over * factor)))
}
