//! Bodies and groups, as scene files have them.

use super::body::{Body, FieldSource, Group, Shape};
use super::body_names::{BodyNames, no_such_body};
use super::physics::physics;
use crate::data::entry::{Item, Table};
use crate::data::generated;
use crate::data::pose::pose_of;
use crate::data::suggest::{did_you_mean, shortened};
use noli::world::Pattern;
use noli_formats::{FileError, Kernel, MeshFormat, Place, Units, UnknownCells};
use noli_geom::MeshKind;
use noli_implicit::FormulaError;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

const SHAPES: [&str; 14] = [
    "file",
    "points",
    "grid",
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
const SHAPE_REMEDY: &str = "give one of file, points, grid, box, sphere, capsule, ellipsoid, cylinder, cone, half_space, \
    torus, formula, formula_file or generator";

/// A name of the file to be resolved when all are read, and its place.
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
    let Place::Line(line) = name_item.place() else { unreachable!("items of a scene have lines") };
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
    let without_faces = match shape {
        Shape::Points { .. } => Some(["a point cloud", "drop `as`: its points are spheres"]),
        Shape::Grid { .. } => Some(["a grid", "drop `as`: its cells are solid"]),
        _ => None,
    };
    if let (Some(MeshKind::Surface), Some([what, remedy])) = (kind, without_faces) {
        return Err(table.error(format!("{} is {what} and has no faces", table.what()), remedy));
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
        "points" => points(table, &item, units),
        "grid" => grid(table, &item),
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
    let own = table.take("units").map(|item| item.units()).transpose()?;
    let own = own.or_else(|| {
        // What says its unit itself; glTF has always been taken as the scene is.
        let said = MeshFormat::from_extension(&path).filter(|format| *format != MeshFormat::Gltf);
        Kernel::of(&path).map(Kernel::units).or_else(|| said?.own_units())
    });
    Ok(Shape::File { path, object, units: own.unwrap_or(units) })
}

fn points(table: &mut Table<'_>, item: &Item<'_>, units: Units) -> Result<Shape, FileError> {
    let path = PathBuf::from(item.name()?);
    let radius = table.take("radius").map(|item| item.positive()).transpose()?;
    let thin = table.take("thin").map(|item| item.positive()).transpose()?;
    let own = table.take("units").map(|item| item.units()).transpose()?;
    Ok(Shape::Points { path, radius, thin, units: own.unwrap_or(units) })
}

fn grid(table: &mut Table<'_>, item: &Item<'_>) -> Result<Shape, FileError> {
    let path = PathBuf::from(item.name()?);
    let choices = [("obstacle", UnknownCells::Obstacle), ("free", UnknownCells::Free)];
    let unknown = table.take("unknown").map(|item| item.choice(&choices)).transpose()?;
    Ok(Shape::Grid { path, unknown: unknown.unwrap_or_default() })
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
    let bounds = table.take("bounds").map(|item| vertices(&item)).transpose()?;
    let own = table.take("units").map(|item| item.units()).transpose()?;
    let cells = count(table, "cells", 48, 4..=256)?;
    Ok(Shape::Field { source, bounds, units: own.unwrap_or(units), cells })
}

fn vertices(item: &Item<'_>) -> Result<[[f64; 3]; 2], FileError> {
    let remedy = "give two vertices, `[[x, y, z], [x, y, z]]`, the first with the smaller numbers";
    let [low, high]: [Item<'_>; 2] = item.array()?.try_into().map_err(|_| item.wrong(remedy))?;
    let (low, high): ([f64; 3], [f64; 3]) = (low.numbers()?, high.numbers()?);
    let ordered = low.iter().zip(&high).all(|(low, high)| low < high);
    if ordered {
        Ok([low, high])
    } else {
        Err(item.error("the vertices of the bounds are not in order", remedy))
    }
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
        bodies.get_mut(body).into_iter().for_each(|body| body.parent = Some(number));
    }
    let Some(looped) = find_loop(bodies).and_then(|looped| bodies.get(looped)) else { return Ok(()) };
    let reason = format!("body `{}` is its own ancestor", shortened(&looped.name));
    let place = Place::Line(looped.line);
    Err(FileError::new(place, reason, "give one of the bodies of the loop no `parent`"))
}

/// A body that is reached again by following parents. Linear: every body is entered once.
#[allow(clippy::indexing_slicing, reason = "parents were found by their names among the bodies")]
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
    names: &mut BodyNames<'_>,
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
            let pattern = names.pattern(&item)?;
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
            groups.len().saturating_sub(1)
        });
        groups.get_mut(number).into_iter().for_each(|group| group.bodies.push(body));
    }
    groups
}
