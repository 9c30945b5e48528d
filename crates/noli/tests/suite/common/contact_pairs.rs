//! Pairs of bodies that are near each other or touch, and what a list of their contacts must say: it is held against all
//! pairs of their features, by definitions alone, and against what then happens when bodies move.
#![allow(dead_code, reason = "every user takes a part of it")]
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::feature_oracle::{Faceted, Sure};
use super::polycubes::{Case, pick};
use glam::{DQuat, DVec3, dvec3};
use noli::answer::Completeness;
use noli::contacts::{FeatureContact, contacts};
use noli::model::MeshOptions;
use noli::seams::contacts_of_all;
use noli::{Convex, Mesh, Model, Overlap, Placed, Pose, Relation, clearance, overlap, relation};
use noli_scenes::SplitMix64;

/// An answer, or what is wrong in words.
pub(crate) type Checked<T> = Result<T, String>;

/// A grid of `n × n` squares of two triangles each, bent by a function.
pub(crate) fn sheet(n: u32, height: impl Fn(f64, f64) -> f64) -> Mesh {
    let at = |i: u32| f64::from(i) - 0.5 * f64::from(n);
    let vertices = (0..(n + 1) * (n + 1)).map(|k| {
        let (x, y) = (at(k % (n + 1)), at(k / (n + 1)));
        dvec3(x, y, height(x, y))
    });
    let mut triangles = Vec::new();
    for k in 0..n * n {
        let a = k % n + k / n * (n + 1);
        let (b, c, d) = (a + 1, a + n + 2, a + n + 1);
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    Mesh::from_triangles(vertices.collect(), triangles, &MeshOptions::default()).unwrap()
}

/// Meshes with and without flat parts, open and closed, far smaller and larger than each other, and round bodies.
pub(crate) fn zoo() -> Vec<Model> {
    let solid = |mesh: Result<Mesh, noli::MeshError>| Model::from(mesh.unwrap().into_solid());
    let thin = noli_scenes::cuboid(dvec3(0.02, 0.03, 2.0));
    let thin = Mesh::from_triangles(thin.vertices, thin.triangles, &MeshOptions::default()).unwrap();
    vec![
        solid(Mesh::cuboid(dvec3(1.0, 1.5, 0.7))),
        solid(Mesh::sphere(0.8, 3)),
        solid(Mesh::torus(1.0, 0.35, 14, 9)),
        Model::from(sheet(6, |x, y| 0.3 * (1.7 * x).sin() * (1.3 * y).cos())),
        Model::from(thin),
        Model::new(Convex::capsule(1.0, 0.25).unwrap()).unwrap(),
        Model::new(Convex::sphere(0.5).unwrap()).unwrap(),
    ]
}

/// A pose in which the second body is near the first: at about the given clearance unless it is free all the way in.
pub(crate) fn near_pose(a: &Model, b: &Model, seed: u64, gap: f64) -> Pose {
    let mut random = SplitMix64::new(seed);
    let (direction, turn) = (random.direction(), random.rotation());
    let (mut far, mut near) = (20.0, 0.0);
    for _ in 0..40 {
        let middle: f64 = 0.5 * (far + near);
        let place = b.at(Pose::new(turn, direction * middle));
        let separated = clearance(&a.at(Pose::IDENTITY), &place).distance.at_least;
        if separated > gap { far = middle } else { near = middle }
    }
    Pose::new(turn, direction * far)
}

/// The contacts of two bodies, after these are held against all pairs of features; and such as must be among them.
fn listed(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Checked<(Vec<FeatureContact>, Vec<Sure>)> {
    let found = contacts(a, b, within);
    if found.completeness != Completeness::Complete {
        return Err("the search was not finished".to_owned());
    }
    let items = found.items;
    let Some(all) = contacts_of_all(a, b, within) else { return Ok((items, Vec::new())) };
    if all != items {
        let only = |list: &[FeatureContact], other: &[FeatureContact]| -> Vec<FeatureContact> {
            list.iter().filter(|contact| !other.contains(contact)).copied().collect()
        };
        let (walk, pairs) = (only(&items, &all), only(&all, &items));
        return Err(format!("only by the walk: {walk:?}; only by all pairs of triangles: {pairs:?}"));
    }
    let faceted = [a, b].map(Faceted::new);
    let [Some(x), Some(y)] = &faceted else { return Ok((items, Vec::new())) };
    let sure = x.sure_contacts(y, within);
    for sure in &sure {
        if !items.iter().any(|contact| sure.is(contact)) {
            return Err(format!("{sure:?} is missing in {items:?}"));
        }
    }
    match items.iter().find_map(|contact| x.refuses(y, contact, within)) {
        Some(reason) => Err(reason),
        None => Ok((items, sure)),
    }
}

/// Bodies near each other: their list is complete, and nothing comes nearer in a small motion than it says. How many
/// contacts there are.
pub(crate) fn near_pair(a: &Model, b: &Model, pose: Pose, within: f64) -> Checked<usize> {
    let (at_a, at_b) = (a.at(Pose::IDENTITY), b.at(pose));
    let (items, _) = listed(&at_a, &at_b, within)?;
    let known = clearance(&at_a, &at_b).distance;
    let least = items.iter().map(|c| c.clearance).fold(f64::INFINITY, f64::min);
    if known.at_least > within {
        return if items.is_empty() { Ok(0) } else { Err(format!("{known:?}, but {items:?}")) };
    }
    if !((least - known.at_most).abs() <= 1e-9) {
        return Err(format!("the least clearance is {least}, the clearance {known:?}"));
    }
    // To first order.
    let size = a.aabb().size().length() + b.aabb().size().length();
    let mut random = SplitMix64::new(items.len() as u64);
    let step = 0.1 * known.at_least.min(1e-4);
    for _ in 0..4 {
        let (linear, angular) = (random.direction(), random.direction() / size);
        let moved = |p: DVec3| (linear + angular.cross(p - pose.translation)) * step;
        let turn = DQuat::from_scaled_axis(angular * step) * pose.rotation;
        let then = b.at(Pose::new(turn, pose.translation + linear * step));
        let now = clearance(&at_a, &then).distance;
        let told =
            items.iter().map(|c| c.clearance + c.normal.dot(moved(c.on_b.point))).fold(within, f64::min);
        if !(now.at_most >= told - 1e-3 * step - 1e-12) {
            return Err(format!("{now:?} after {step}, but told was {told}"));
        }
    }
    Ok(items.len())
}

/// Two of the zoo, anywhere near each other.
pub(crate) fn random_near_pair(zoo: &[Model], random: &mut SplitMix64) -> Checked<usize> {
    let (a, b) = (pick(random, zoo.len()), pick(random, zoo.len()));
    let clearance = [1e-3, 1e-6, 3e-2][pick(random, 3)];
    let within = [2.0 * clearance, 0.1, 0.3][pick(random, 3)];
    let pose = near_pose(&zoo[a], &zoo[b], random.next_u64(), clearance);
    near_pair(&zoo[a], &zoo[b], pose, within).map_err(|wrong| format!("{a} {b} {pose:?} {within}: {wrong}"))
}

/// Common points of two bodies that touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touched {
    pub(crate) contacts: usize,
    /// `true` if they can separate along the mean of their normals.
    pub(crate) leaves: bool,
}

/// Solids that touch: their list is complete and all its clearances are zero, what it lets go is free, and what goes against a
/// contact that is sure overlaps at once.
pub(crate) fn touching_pair(
    a: &Placed<'_>,
    b: (&Model, Pose),
    random: &mut SplitMix64,
    size: f64,
) -> Checked<Touched> {
    let (items, sure) = listed(a, &b.0.at(b.1), 1e-9 * size)?;
    if items.is_empty() {
        return Err("they touch, but nowhere".to_owned());
    }
    let odd =
        |c: &&FeatureContact| c.clearance.abs() > 1e-12 * size || (c.normal.length() - 1.0).abs() > 1e-12;
    if let Some(odd) = items.iter().find(odd) {
        return Err(format!("{odd:?}"));
    }
    let mean: DVec3 = items.iter().map(|c| c.normal).sum::<DVec3>().normalize_or_zero();
    let mut leaves = false;
    for number in 0..9 {
        let path = [mean, -mean].get(number).copied().unwrap_or_else(|| random.direction());
        let then = b.0.at(Pose::new(b.1.rotation, b.1.translation + path * (1e-3 * size)));
        let least = items.iter().map(|c| c.normal.dot(path)).fold(1.0, f64::min);
        let blocked = sure.iter().any(|sure| sure.normal.dot(path) < -1e-3);
        let hit = overlap(a, &then);
        if path != DVec3::ZERO && least > 1e-9 && hit != Overlap::Free {
            return Err(format!("{path} leaves all of {items:?} and overlaps"));
        }
        if blocked && hit != Overlap::Hit {
            return Err(format!("{path} goes against one of {sure:?} and is free"));
        }
        leaves |= number == 0 && least > 0.01;
    }
    Ok(Touched { contacts: items.len(), leaves })
}

/// Bricks and wedges on a grid: vertices on edges, edges on edges, faces on faces, all exactly. `None` where they do not touch.
pub(crate) fn bricks(random: &mut SplitMix64) -> Option<Checked<Touched>> {
    let brick = |random: &mut SplitMix64| {
        let mut side = || 0.5 * (1 + pick(random, 4)) as f64;
        let (x, y, z) = (side(), side(), side());
        let vertices = [0.0, x].into_iter().flat_map(|x| {
            [0.0, y].into_iter().flat_map(move |y| [0.0, z].into_iter().map(move |z| dvec3(x, y, z)))
        });
        // A wedge is a brick without two vertices.
        let vertices: Vec<DVec3> = vertices.skip(2 * pick(random, 2)).collect();
        let hull = Convex::hull(vertices).unwrap();
        Model::from(hull.core().to_hull().unwrap().to_mesh().unwrap().into_solid())
    };
    let (a, b) = (brick(random), brick(random));
    let mut place = || 0.25 * (pick(random, 17) as f64 - 8.0);
    let pose = Pose::from_translation(dvec3(place(), place(), place()));
    let at_a = a.at(Pose::IDENTITY);
    if relation(&at_a, &b.at(pose)) != Relation::Touching {
        return None;
    }
    Some(
        touching_pair(&at_a, (&b, pose), random, 1.0).map_err(|wrong| format!("bricks at {pose:?}: {wrong}")),
    )
}

/// Solids of cells, with grooves and steps, turned without rounding.
pub(crate) fn cells(random: &mut SplitMix64) -> Option<Checked<Touched>> {
    let case = Case::random(random);
    if case.truth().relation != Relation::Touching {
        return None;
    }
    let [a, b] = case.models(random);
    let size = 0.1 * b.0.aabb().size().max_element();
    Some(touching_pair(&a.0.at(a.1), (&b.0, b.1), random, size).map_err(|wrong| format!("cells: {wrong}")))
}

/// Two solids that touch, of either kind.
pub(crate) fn random_touching_pair(random: &mut SplitMix64) -> Checked<Touched> {
    loop {
        let found = if pick(random, 2) == 0 { bricks(random) } else { cells(random) };
        if let Some(found) = found {
            return found;
        }
    }
}
