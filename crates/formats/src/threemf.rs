//! 3MF: meshes in a zip archive, placed by the items to be built.
//!
//! Every mesh that an item of the build places is an object: the item itself, or each of its components, named
//! `item/component`, because CAD programs write an assembly as one item. An item of a single component keeps its
//! name. Objects that the file does not declare as solids (supports, others) are left out with a warning, as
//! they are not parts. Parts in other files of the archive (the production extension) are found. Lengths are
//! returned in millimetres. Beams, slices, colours and materials are skipped; unsupported extensions that the
//! file requires are rejected by name.

use crate::assembly::{Assembly, Part};
use crate::display_name::UniqueNames;
use crate::error::{FileError, Place};
use crate::memory_limit::check_xml;
use crate::packed::Archive;
use crate::raw::Raw;
use crate::text::{check_coordinate, excerpt};
use crate::units::Units;
use glam::{DAffine3, DMat3, DVec3};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;

const MAX_NODES: u32 = 64_000_000;
/// Deeper than components are nested; one that holds itself ends here.
const MAX_DEPTH: usize = 64;
/// Files of an archive that may be read for one model.
const MAX_FILES: usize = 4096;
/// Default path of the model in the archive.
const USUAL: &str = "3D/3dmodel.model";
const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06";
/// Extensions whose meshes are ours to read, or that do not change where a surface is.
const KNOWN: [&str; 5] = [
    PRODUCTION,
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    "http://www.w3.org/XML/1998/namespace",
];

pub(crate) fn parse(bytes: &[u8]) -> Result<Raw, FileError> {
    let mut archive = Archive::new(bytes)?;
    let root = root_model(&mut archive)?;
    let mut reader = Reader { archive, models: HashMap::new(), objects: HashMap::new(), size: bytes.len() };
    reader.load(&root)?;
    let mut bodies = Bodies { assembly: Assembly::new(reader.size), names: UniqueNames::default() };
    let Some(model) = reader.models.get(&root).cloned() else { return Ok(bodies.assembly.raw) };
    for item in &model.items {
        let key = (item.path.clone().unwrap_or_else(|| root.clone()), item.object);
        reader.load(&key.0)?;
        let object = reader.objects.get(&key).ok_or_else(|| missing(&key, item.place))?;
        let name = [&item.name, &object.name].into_iter().find(|name| !name.is_empty());
        let name = name.cloned().unwrap_or_else(|| format!("object {}", item.object));
        reader.place(&Use { key, world_from_object: item.transform, name, depth: 0 }, &mut bodies)?;
    }
    Ok(bodies.assembly.raw)
}

/// Objects in the making, with unique names: an object that is built twice is two bodies.
struct Bodies {
    assembly: Assembly,
    names: UniqueNames,
}

/// An object where an item or a component places it.
struct Use {
    key: (String, u32),
    world_from_object: DAffine3,
    name: String,
    /// Number of components around it.
    depth: usize,
}

fn broken(reason: impl Into<String>) -> FileError {
    FileError::new(Place::Whole, reason, "export the file again")
}

fn missing((path, object): &(String, u32), place: Place) -> FileError {
    FileError::new(place, format!("object {object} is not in {path}"), "export the file again")
}

/// The model that the archive begins with.
fn root_model(archive: &mut Archive<'_>) -> Result<String, FileError> {
    if let Some(bytes) = archive.file("_rels/.rels")? {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let document = Document::parse(text.trim_start_matches('\u{feff}'))
            .map_err(|error| broken(format!("_rels/.rels in the archive: {error}")))?;
        let is_model = |node: &Node<'_, '_>| {
            node.attribute("Type").is_some_and(|kind| kind.to_ascii_lowercase().ends_with("/3dmodel"))
        };
        if let Some(target) = document.descendants().find(is_model).and_then(|node| node.attribute("Target"))
        {
            return Ok(target.trim_start_matches('/').to_owned());
        }
    }
    Ok(USUAL.to_owned())
}

/// An item to be built.
#[derive(Clone, Debug)]
struct Item {
    object: u32,
    path: Option<String>,
    name: String,
    transform: DAffine3,
    place: Place,
}

#[derive(Clone, Debug, Default)]
struct Model {
    items: Vec<Item>,
    /// Other files that it takes objects from.
    named: Vec<String>,
}

#[derive(Debug, Default)]
struct Object {
    name: String,
    kind: String,
    /// `true` if it is a printing aid, or a surface that is not a part.
    is_aside: bool,
    mesh: Part,
    components: Vec<Item>,
    place: Place,
}

struct Reader<'b> {
    archive: Archive<'b>,
    models: HashMap<String, Model>,
    /// By file and number.
    objects: HashMap<(String, u32), Object>,
    /// Bytes of all models.
    size: usize,
}

impl Reader<'_> {
    /// Reads a model file, unless it was read, with those that it names.
    fn load(&mut self, path: &str) -> Result<(), FileError> {
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            if self.models.contains_key(&path) {
                continue;
            }
            if self.models.len() == MAX_FILES {
                return Err(broken(format!("the archive has more than {MAX_FILES} models")));
            }
            let bytes = self.archive.file(&path)?;
            let bytes = bytes.ok_or_else(|| broken(format!("{path} is not in the archive")))?;
            self.size = self.size.saturating_add(bytes.len());
            let model = self.model(&bytes, &path)?;
            open.extend(model.named.iter().cloned());
            self.models.insert(path, model);
        }
        Ok(())
    }

    fn model(&mut self, bytes: &[u8], path: &str) -> Result<Model, FileError> {
        let text = std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
            .map_err(|_| broken(format!("{path} in the archive is not UTF-8")))?;
        check_xml(bytes)?;
        let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| {
            FileError::new(
                Place::Line(error.pos().row as usize),
                format!("{path} in the archive: {error}"),
                "export the file again",
            )
        })?;
        let root = document.root_element();
        if root.tag_name().name() != "model" {
            return Err(broken(format!("{path} in the archive is no model")));
        }
        for prefix in root.attribute("requiredextensions").unwrap_or_default().split_ascii_whitespace() {
            let space = root.lookup_namespace_uri(Some(prefix)).unwrap_or(prefix);
            if !KNOWN.contains(&space) {
                let reason =
                    format!("it uses the extension `{}`, which is not read", excerpt(space.as_bytes()));
                let remedy = "export plain meshes, or STL";
                return Err(FileError::new(Place::Whole, reason, remedy));
            }
        }
        let units = units(root)?;
        let starts = text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n').map(|(_, next)| next);
        let lines: Vec<usize> = std::iter::once(0).chain(starts).collect();
        let at =
            |node: Node<'_, '_>| Place::Line(lines.partition_point(|&start| start <= node.range().start));
        let mut named = Vec::new();
        for node in root.descendants().filter(|node| node.tag_name().name() == "object") {
            let object = object(node, units, &at)?;
            let id = number(node, "id", at(node))?;
            named.extend(object.components.iter().filter_map(|component| component.path.clone()));
            self.objects.insert((path.to_owned(), id), object);
        }
        let items = root.descendants().filter(|node| node.tag_name().name() == "item");
        let items = items.map(|node| item(node, units, at(node))).collect::<Result<_, _>>()?;
        Ok(Model { items, named })
    }

    /// Adds a body for the mesh of an object, or for each of its components.
    fn place(&self, of: &Use, bodies: &mut Bodies) -> Result<(), FileError> {
        let Use { key, world_from_object, name, depth } = of;
        let object = self.objects.get(key).ok_or_else(|| missing(key, Place::Whole))?;
        if *depth == MAX_DEPTH {
            let reason = format!("object {} is nested too deep, or holds itself", key.1);
            return Err(FileError::new(object.place, reason, "export the file again"));
        }
        if object.is_aside {
            let text = format!("object {} is not a part ({}): left out", key.1, object.kind);
            bodies.assembly.raw.warn(object.place, text);
            return Ok(());
        }
        if object.components.is_empty() || !object.mesh.faces.is_empty() {
            bodies.assembly.start(&bodies.names.unique(name), object.place)?;
            bodies.assembly.add(&object.mesh, world_from_object, object.place)?;
        }
        for (number, component) in (1..).zip(&object.components) {
            let key = (component.path.clone().unwrap_or_else(|| key.0.clone()), component.object);
            let own = self.objects.get(&key).map_or("", |object| &object.name);
            let name = match (object.components.len(), own) {
                (1, _) => name.clone(),
                (_, "") => format!("{name}/{number}"),
                _ => format!("{name}/{own}"),
            };
            bodies.assembly.spend(name.len().saturating_add(1), component.place)?;
            let world_from_object = *world_from_object * component.transform;
            self.place(&Use { key, world_from_object, name, depth: depth.saturating_add(1) }, bodies)?;
        }
        Ok(())
    }
}

fn units(root: Node<'_, '_>) -> Result<Units, FileError> {
    Ok(match root.attribute("unit").unwrap_or("millimeter") {
        "micron" => Units::Micrometre,
        "millimeter" => Units::Millimetre,
        "centimeter" => Units::Centimetre,
        "inch" => Units::Inch,
        "foot" => Units::Foot,
        "meter" => Units::Metre,
        other => {
            let reason = format!("`{}` is no unit of 3MF", excerpt(other.as_bytes()));
            return Err(broken(reason));
        }
    })
}

fn number(node: Node<'_, '_>, name: &str, place: Place) -> Result<u32, FileError> {
    let text = node.attribute(name).unwrap_or_default();
    text.trim().parse().map_err(|_| {
        let reason = format!(
            "`{name}` of `{}` is not a number: {:?}",
            node.tag_name().name(),
            excerpt(text.as_bytes())
        );
        FileError::new(place, reason, "export the file again")
    })
}

fn coordinate(text: &str, place: Place) -> Result<f64, FileError> {
    let x: f64 = text.trim().parse().map_err(|_| {
        let reason = format!("`{}` is not a number", excerpt(text.as_bytes()));
        FileError::new(place, reason, "export the file again")
    })?;
    check_coordinate(x, place)?;
    Ok(x)
}

/// An item of the build, or a component.
fn item(node: Node<'_, '_>, units: Units, place: Place) -> Result<Item, FileError> {
    let mut transform = DAffine3::IDENTITY;
    if let Some(text) = node.attribute("transform") {
        let numbers = text.split_ascii_whitespace().map(|word| coordinate(word, place));
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>()?;
        let Ok(m) = <[f64; 12]>::try_from(numbers) else {
            return Err(FileError::new(place, "a transform has 12 numbers", "export the file again"));
        };
        // Points are rows before the matrix, so that its rows are our columns.
        let [ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z] = m;
        let columns = [DVec3::new(ax, ay, az), DVec3::new(bx, by, bz), DVec3::new(cx, cy, cz)];
        let [a, b, c] = columns;
        transform.matrix3 = DMat3::from_cols(a, b, c);
        transform.translation = DVec3::new(x, y, z).map(|x| units.convert(x, Units::Millimetre));
    }
    Ok(Item {
        object: number(node, "objectid", place)?,
        path: node.attribute((PRODUCTION, "path")).map(|path| path.trim_start_matches('/').to_owned()),
        name: node.attribute("partnumber").unwrap_or_default().to_owned(),
        transform,
        place,
    })
}

fn object(
    node: Node<'_, '_>,
    units: Units,
    at: &impl Fn(Node<'_, '_>) -> Place,
) -> Result<Object, FileError> {
    let kind = node.attribute("type").unwrap_or("model").to_owned();
    let mut object = Object {
        name: node.attribute("name").unwrap_or_default().to_owned(),
        is_aside: matches!(kind.as_str(), "support" | "solidsupport" | "other"),
        kind,
        place: at(node),
        ..Object::default()
    };
    let named = |name: &'static str| {
        let inner = move |node: Node<'_, '_>| node.tag_name().name() == name;
        node.descendants().filter(move |node| inner(*node))
    };
    // Places of single vertices cost more than reading them, so only those of wrong ones are looked up.
    for vertex in named("vertex") {
        let axis = |name: &str| coordinate(vertex.attribute(name).unwrap_or_default(), Place::Whole);
        let corner = [axis("x"), axis("y"), axis("z")];
        let [Ok(x), Ok(y), Ok(z)] = corner else {
            let wrong = corner.into_iter().find_map(Result::err);
            return Err(
                wrong.map_or_else(|| broken("a vertex is wrong"), |e| FileError { place: at(vertex), ..e })
            );
        };
        object.mesh.vertices.push(DVec3::new(x, y, z).map(|x| units.convert(x, Units::Millimetre)));
    }
    let count = object.mesh.vertices.len();
    for triangle in named("triangle") {
        let mut vertices = [0; 3];
        for (corner, name) in vertices.iter_mut().zip(["v1", "v2", "v3"]) {
            *corner =
                number(triangle, name, Place::Whole).map_err(|e| FileError { place: at(triangle), ..e })?;
            if *corner as usize >= count {
                let reason = format!("a triangle names vertex {corner}, and there are {count}");
                return Err(FileError::new(at(triangle), reason, "export the file again"));
            }
        }
        object.mesh.faces.push(vertices);
    }
    object.components =
        named("component").map(|node| item(node, units, at(node))).collect::<Result<_, _>>()?;
    Ok(object)
}
