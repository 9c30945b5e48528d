//! Bodies, their shapes, and groups.

use super::entry::{Item, Table, shortened};
use super::generated;
use super::ledger::Ledger;
use super::physics::{Physics, physics};
use super::pose::pose_of;
use super::suggest::did_you_mean;
use super::units::Units;
use crate::{FileError, MeshFormat};
use noli::world::Pattern;
use noli_geom::{MeshKind, Pose};
use noli_implicit::FormulaError;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// A body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name, unique in the scene.
    pub name: String,
    /// What it is made of.
    pub shape: Shape,
    /// Surface or solid; `None` where the scene does not say.
    pub kind: Option<MeshKind>,
    /// The body in whose frame the pose is given; the world if there is none.
    pub parent: Option<usize>,
    /// Where it stands in its parent's frame.
    pub pose: Pose,
    /// Whether every object of the file (or part of the generator) becomes a body of its own, named
    /// `body/object`.
    pub split: bool,
    /// Whether, when split, the parts of every object that share no edge become bodies of their own.
    pub shells: bool,
    /// What contact and dynamics want to know of it.
    pub physics: Physics,
    /// Where the scene says so, counted from 1.
    pub line: usize,
}

/// What a body is made of. Lengths are in the scene's unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A mesh file.
    File {
        /// Its path, as given: relative to the scene file.
        path: PathBuf,
        /// The object of the file that is meant; all of them if there is none.
        object: Option<String>,
        /// The unit of the file.
        units: Units,
    },
    /// A box about its origin.
    Box {
        /// Its edges.
        size: [f64; 3],
    },
    /// A sphere about its origin; its mesh is inscribed in it.
    Sphere {
        /// Its radius.
        radius: f64,
        /// Cuts per edge of the icosahedron it is made from.
        cuts: u32,
    },
    /// A segment along z, centred, and all within a radius of it; its mesh is inscribed in it.
    Capsule {
        /// Its radius.
        radius: f64,
        /// The length of the segment.
        length: f64,
        /// Cuts per edge of the icosahedron its ends are made from.
        cuts: u32,
    },
    /// An ellipsoid about its origin; its mesh is inscribed in it.
    Ellipsoid {
        /// Its half axes.
        radii: [f64; 3],
        /// Cuts per edge of the icosahedron it is made from.
        cuts: u32,
    },
    /// A cone about z with its tip up, centred at half its height; its mesh is inscribed in it.
    Cone {
        /// The radius of its base.
        radius: f64,
        /// Its height.
        height: f64,
        /// How many flat sides stand for the round one.
        slices: u32,
    },
    /// All points with `z <= 0`; it has no mesh.
    HalfSpace,
    /// A cylinder about z, centred; its mesh is inscribed in it.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its height.
        height: f64,
        /// How many flat sides stand for the round one.
        slices: u32,
    },
    /// A ring about z, as a mesh inscribed in its sections.
    Torus {
        /// Radius of its core.
        major: f64,
        /// Radius of its tube.
        minor: f64,
        /// Sections around; half as many points to a section.
        slices: u32,
    },
    /// Where a function is zero or negative.
    Field {
        /// The formula, or the file that holds it.
        source: FieldSource,
        /// Two corners that cut it off; needed where it has no end.
        bounds: Option<[[f64; 3]; 2]>,
        /// The unit of its coordinates.
        units: Units,
        /// Grid cells along its longest side, of the mesh for looking at.
        cells: u32,
    },
    /// A generated assembly or a part of it.
    Generated {
        /// Its name; `noli scenes list` has them.
        scene: String,
        /// The part; all of them if there is none.
        part: Option<String>,
        /// How fine.
        detail: u32,
    },
}

/// Where a formula comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldSource {
    /// The scene itself.
    Text(String),
    /// A `.vm` file, or any other text file with a formula; relative to the scene file.
    File(PathBuf),
}

/// Bodies that share one clock and are stopped together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The numbers of its bodies, in order; of a split one, all parts belong to it.
    pub bodies: Vec<usize>,
    /// Patterns of its members, for parts of split bodies.
    pub patterns: Vec<Pattern>,
}

const SHAPES: [&str; 12] = [
    "file",
    "box",
    "sphere",
    "capsule",
    "ellipsoid",
    "cylinder",
    "cone",
    "half_space",
    "torus",
    "formula",
    "formula_file",
    "generator",
];
const SHAPE_REMEDY: &str = "give one of file, box, sphere, capsule, ellipsoid, cylinder, cone, half_space, torus, \
    formula, formula_file or generator";

/// A name of the file that is to be looked up when all are known, and where it stands.
pub(super) struct Reference<'a> {
    name: String,
    item: Item<'a>,
}

/// The bodies, and the group that each of them names.
pub(super) fn bodies<'a>(
    root: &mut Table<'a>,
    units: Units,
) -> Result<(Vec<Body>, Vec<Option<String>>), FileError> {
    let tables = root.take("body").map(|item| item.tables("body")).transpose()?.unwrap_or_default();
    let (mut bodies, mut groups, mut parents) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for mut table in tables {
        let body = body(&mut table, units)?;
        if !seen.insert(body.name.clone()) {
            let reason = format!("there are two bodies called `{}`", shortened(&body.name));
            return Err(table.error(reason, "give each its own name"));
        }
        groups.push(table.take("group").map(|item| item.name()).transpose()?);
        let parent = table.take("parent");
        parents.push(parent.map(|item| Ok(Reference { name: item.name()?, item })).transpose()?);
        table.finish()?;
        bodies.push(body);
    }
    link_parents(&mut bodies, &parents)?;
    Ok((bodies, groups))
}

fn body(table: &mut Table<'_>, units: Units) -> Result<Body, FileError> {
    let name_item = table.need("name", "add `name = \"…\"`")?;
    let name = name_item.name()?;
    table.rename(format!("body `{}`", shortened(&name)));
    let crate::Place::Line(line) = name_item.place() else { unreachable!("items of a scene have lines") };
    let pose = pose_of(table, "pose")?.unwrap_or_default();
    let kinds = [("solid", MeshKind::Solid), ("surface", MeshKind::Surface)];
    let kind = table.take("as").map(|item| item.choice(&kinds)).transpose()?;
    let (split, shells) = table.take("split").map(|item| split(&item)).transpose()?.unwrap_or_default();
    let physics = physics(table)?;
    let shape = shape(table, units)?;
    if shells && !matches!(shape, Shape::File { .. }) {
        let reason = format!("{} is not a mesh file and has no shells", table.what());
        return Err(table.error(reason, "write `split = true`"));
    }
    if split && !is_assembly(&shape) {
        let reason = format!("{} has nothing to split", table.what());
        return Err(table.error(reason, "drop `split`, or `object` or `part`"));
    }
    if kind == Some(MeshKind::Surface) && matches!(shape, Shape::Field { .. }) {
        let reason = format!("{} is given by a formula and has no faces", table.what());
        return Err(table.error(reason, "drop `as`: it is solid"));
    }
    if !split && matches!(shape, Shape::Generated { part: None, .. }) {
        let reason = format!("{} is a whole assembly", table.what());
        return Err(table.error(reason, "add `split = true` to the body, or a `part` to the generator"));
    }
    Ok(Body { name, shape, kind, parent: None, pose, split, shells, physics, line })
}

/// `true`, or `"shells"`.
fn split(item: &Item<'_>) -> Result<(bool, bool), FileError> {
    if item.is_text() {
        return item.choice(&[("objects", (true, false)), ("shells", (true, true))]);
    }
    Ok((item.boolean()?, false))
}

fn is_assembly(shape: &Shape) -> bool {
    matches!(shape, Shape::File { object: None, .. } | Shape::Generated { part: None, .. })
}

fn shape(table: &mut Table<'_>, units: Units) -> Result<Shape, FileError> {
    let Some((key, item)) = table.take_one(&SHAPES)? else {
        return Err(table.error(format!("{} has no shape", table.what()), SHAPE_REMEDY));
    };
    match key {
        "file" => file(table, &item, units),
        "formula" | "formula_file" => field(table, &item, key == "formula_file", units),
        "box" => sizes(&item).map(|size| Shape::Box { size }),
        "half_space" if item.boolean()? => Ok(Shape::HalfSpace),
        "half_space" => Err(item.wrong("give `true`: it fills all below z = 0 of its pose")),
        _ => {
            let mut inner = item.table()?;
            let shape = round_or_generated(key, &mut inner)?;
            inner.finish()?;
            Ok(shape)
        }
    }
}

fn file(table: &mut Table<'_>, item: &Item<'_>, units: Units) -> Result<Shape, FileError> {
    let path = PathBuf::from(item.name()?);
    let object = table.take("object").map(|item| item.name()).transpose()?;
    let own = table.take("units").map(|item| Units::parse(&item)).transpose()?;
    let own = own.or_else(|| {
        // What says its unit itself; glTF has always been taken as the scene is.
        let said = MeshFormat::from_extension(&path).filter(|format| *format != MeshFormat::Gltf);
        crate::convert::Kernel::of(&path).map(crate::convert::Kernel::units).or_else(|| said?.own_units())
    });
    Ok(Shape::File { path, object, units: own.unwrap_or(units) })
}

fn field(table: &mut Table<'_>, item: &Item<'_>, is_file: bool, units: Units) -> Result<Shape, FileError> {
    let source = if is_file {
        FieldSource::File(PathBuf::from(item.name()?))
    } else {
        let text = item.text()?;
        if let Err(error) = noli_implicit::parse_formula(text) {
            let FormulaError { line, column, reason, remedy, .. } = error;
            let place = format!("in the formula, line {line}, column {column}: {reason}");
            return Err(item.error(place, remedy));
        }
        FieldSource::Text(text.to_owned())
    };
    let bounds = table.take("bounds").map(|item| corners(&item)).transpose()?;
    let own = table.take("units").map(|item| Units::parse(&item)).transpose()?;
    let cells = count(table, "cells", 48, 4..=256)?;
    Ok(Shape::Field { source, bounds, units: own.unwrap_or(units), cells })
}

fn corners(item: &Item<'_>) -> Result<[[f64; 3]; 2], FileError> {
    let remedy = "give two corners, `[[x, y, z], [x, y, z]]`, the first with the smaller numbers";
    let [low, high]: [Item<'_>; 2] = item.array()?.try_into().map_err(|_| item.wrong(remedy))?;
    let corners: [[f64; 3]; 2] = [low.numbers()?, high.numbers()?];
    let ordered = (0..3).all(|k| corners[0][k] < corners[1][k]);
    if ordered { Ok(corners) } else { Err(item.error("the corners of the bounds are not in order", remedy)) }
}

fn sizes(item: &Item<'_>) -> Result<[f64; 3], FileError> {
    let size: [f64; 3] = item.numbers()?;
    if size.iter().all(|&edge| edge > 0.0) {
        Ok(size)
    } else {
        Err(item.wrong("give 3 lengths greater than 0"))
    }
}

fn round_or_generated(key: &str, table: &mut Table<'_>) -> Result<Shape, FileError> {
    match key {
        "sphere" => {
            let radius = table.need("radius", "add `radius`")?.positive()?;
            Ok(Shape::Sphere { radius, cuts: count(table, "cuts", 16, 1..=512)? })
        }
        "cylinder" => {
            let radius = table.need("radius", "add `radius`")?.positive()?;
            let height = table.need("height", "add `height`")?.positive()?;
            Ok(Shape::Cylinder { radius, height, slices: count(table, "slices", 64, 3..=4096)? })
        }
        "capsule" => {
            let radius = table.need("radius", "add `radius`")?.positive()?;
            let length = table.need("length", "add `length`, that of its core")?.positive()?;
            Ok(Shape::Capsule { radius, length, cuts: count(table, "cuts", 8, 1..=512)? })
        }
        "ellipsoid" => {
            let radii = sizes(&table.need("radii", "add `radii`, the three half axes")?)?;
            Ok(Shape::Ellipsoid { radii, cuts: count(table, "cuts", 16, 1..=512)? })
        }
        "cone" => {
            let radius = table.need("radius", "add `radius`")?.positive()?;
            let height = table.need("height", "add `height`")?.positive()?;
            Ok(Shape::Cone { radius, height, slices: count(table, "slices", 64, 3..=4096)? })
        }
        "torus" => torus(table),
        _ => generated(table),
    }
}

fn torus(table: &mut Table<'_>) -> Result<Shape, FileError> {
    let major = table.need("major", "add `major`, the radius of the core")?.positive()?;
    let item = table.need("minor", "add `minor`, the radius of the tube")?;
    let minor = item.positive()?;
    if minor >= major {
        return Err(item.error("the tube is wider than the ring", "give `minor` less than `major`"));
    }
    Ok(Shape::Torus { major, minor, slices: count(table, "slices", 64, 6..=2048)? })
}

fn generated(table: &mut Table<'_>) -> Result<Shape, FileError> {
    let item = table.need("scene", "add `scene`, one of `noli scenes list`")?;
    let names: Vec<(&str, &str)> = generated::names().map(|name| (name, name)).collect();
    let scene = item.choice(&names)?.to_owned();
    let detail = count(table, "detail", 1, 1..=32)?;
    let Some(item) = table.take("part") else { return Ok(Shape::Generated { scene, part: None, detail }) };
    let part = item.name()?;
    let known = generated::part_names(&scene);
    if !known.contains(&part) {
        let reason = format!("`{scene}` has no part `{}`", shortened(&part));
        let suggestion = did_you_mean(&part, known.iter().map(String::as_str));
        return Err(item.error(reason, suggestion.unwrap_or_else(|| "see `noli scenes list`".into())));
    }
    Ok(Shape::Generated { scene, part: Some(part), detail })
}

fn count(
    table: &mut Table<'_>,
    key: &'static str,
    usual: u32,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32, FileError> {
    table.take(key).map_or(Ok(usual), |item| item.whole(range))
}

fn link_parents(bodies: &mut [Body], parents: &[Option<Reference<'_>>]) -> Result<(), FileError> {
    let numbers: HashMap<String, usize> =
        bodies.iter().enumerate().map(|(number, body)| (body.name.clone(), number)).collect();
    for (body, parent) in parents.iter().enumerate() {
        let Some(Reference { name, item }) = parent else { continue };
        let Some(&number) = numbers.get(name) else { return Err(no_such_body(item, name, bodies)) };
        bodies[body].parent = Some(number);
    }
    let Some(looped) = find_loop(bodies) else { return Ok(()) };
    let reason = format!("body `{}` is its own ancestor", shortened(&bodies[looped].name));
    let place = crate::Place::Line(bodies[looped].line);
    Err(FileError::new(place, reason, "give one of the bodies of the loop no `parent`"))
}

pub(super) fn no_such_body(item: &Item<'_>, name: &str, bodies: &[Body]) -> FileError {
    let suggestion = did_you_mean(name, bodies.iter().map(|body| body.name.as_str()));
    let remedy = suggestion.unwrap_or_else(|| "name a body of this scene".into());
    item.error(format!("there is no body `{}`", shortened(name)), remedy)
}

/// A body that is reached again by following parents. Linear: every body is entered once.
fn find_loop(bodies: &[Body]) -> Option<usize> {
    let mut visit = vec![usize::MAX; bodies.len()];
    for start in 0..bodies.len() {
        let mut next = Some(start);
        while let Some(body) = next.filter(|&body| visit[body] == usize::MAX) {
            visit[body] = start;
            next = bodies[body].parent;
        }
        if next.is_some_and(|body| visit[body] == start) {
            return next;
        }
    }
    None
}

/// The groups: those that have tables, in order, then those that only bodies name.
pub(super) fn groups(
    root: &mut Table<'_>,
    bodies: &[Body],
    named: Vec<Option<String>>,
    ledger: &mut Ledger<'_>,
) -> Result<Vec<Group>, FileError> {
    let mut member = named;
    let mut order: Vec<Group> = Vec::new();
    let tables = root.take("group").map(|item| item.tables("group")).transpose()?.unwrap_or_default();
    for mut table in tables {
        let name = table.need("name", "add `name = \"…\"`")?.name()?;
        table.rename(format!("group `{}`", shortened(&name)));
        if order.iter().any(|group| group.name == name) {
            return Err(
                table.error(format!("there are two groups called `{}`", shortened(&name)), "join them")
            );
        }
        let listed = table.need("bodies", "add `bodies`, a list of names or patterns")?;
        let mut patterns = Vec::new();
        for item in listed.array()? {
            let pattern = ledger.pattern(&item)?;
            join(&pattern, &name, &item, bodies, &mut member)?;
            patterns.push(pattern);
        }
        if patterns.is_empty() && !member.iter().flatten().any(|of| *of == name) {
            let reason = format!("{} has no bodies", table.what());
            return Err(listed.error(reason, "name some, or drop the group"));
        }
        table.finish()?;
        order.push(Group { name, bodies: Vec::new(), patterns });
    }
    Ok(gather(order, &member))
}

fn join(
    pattern: &Pattern,
    group: &str,
    item: &Item<'_>,
    bodies: &[Body],
    member: &mut [Option<String>],
) -> Result<(), FileError> {
    for (body, slot) in bodies.iter().zip(member).filter(|(body, _)| pattern.matches(&body.name)) {
        if let Some(other) = slot.as_deref().filter(|other| *other != group) {
            let [body, other] = [&body.name, other].map(shortened);
            let reason = format!("body `{body}` is already in group `{other}`");
            return Err(item.error(reason, "a body can be in one group only"));
        }
        *slot = Some(group.to_owned());
    }
    Ok(())
}

fn gather(mut groups: Vec<Group>, member: &[Option<String>]) -> Vec<Group> {
    let mut numbers: HashMap<String, usize> =
        groups.iter().enumerate().map(|(number, group)| (group.name.clone(), number)).collect();
    for (body, name) in member.iter().enumerate() {
        let Some(name) = name else { continue };
        let number = *numbers.entry(name.clone()).or_insert_with(|| {
            groups.push(Group { name: name.clone(), bodies: Vec::new(), patterns: Vec::new() });
            groups.len() - 1
        });
        groups[number].bodies.push(body);
    }
    groups
}
