//! glTF 2.0, text and binary. Every node of the scene with a mesh is an object in world coordinates. Axes and
//! unit are those of the file (by the specification y up, metres). Materials, cameras and animations are
//! skipped.
//!
//! A reader over `serde_json`, not the `gltf` crate, so that an error names the line and the item. Every claim
//! is checked against the buffers before memory is allocated. Compressed geometry (Draco, meshopt), copies in an
//! extension and morph targets with a weight are rejected; skins are left at rest.

mod accessor;
mod buffer;
mod container;
mod document;
mod nodes;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "it writes: numbers of its own lists, keys of objects of its own"
)]
mod write;

pub(crate) use container::is_binary;
pub use write::{GltfBody, GltfTrack, write_gltf};

use crate::assembly::{Assembly, Part};
use crate::display_name::UniqueNames;
use crate::error::{FileError, Place};
use crate::number::index;
use crate::raw::Raw;
use crate::text::excerpt;
use accessor::Accessors;
use buffer::Buffers;
use document::{Document, Mesh, Node, Primitive};
use nodes::{Ancestors, Nodes, Placed};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

pub(crate) fn parse(bytes: &[u8], folder: Option<&Path>) -> Result<Raw, FileError> {
    let (document, binary_chunk) = container::open(bytes)?;
    check_version(&document)?;
    check_extensions(&document)?;
    let buffers = Buffers::new(&document, binary_chunk, folder);
    let mut reader = Reader {
        document: &document,
        accessors: Accessors { document: &document, buffers },
        assembly: Assembly::new(bytes.len()),
        meshes: (0..document.count::<Mesh>()).map(|_| None).collect(),
        names: UniqueNames::default(),
        odd: Odd::default(),
    };
    let nodes = Nodes::read(&document)?;
    let placed = nodes.scene(&document)?;
    let ancestors = Ancestors::new(&placed);
    for (number, node) in placed.iter().enumerate() {
        reader.place(node, &ancestors, number)?;
    }
    Ok(reader.finish())
}

fn check_version(document: &Document<'_>) -> Result<(), FileError> {
    let asset = &document.root.asset;
    let needed = asset.min_version.as_ref().unwrap_or(&asset.version);
    if needed.starts_with("2.") {
        return Ok(());
    }
    let reason = format!("glTF of version `{}` is not supported", excerpt(needed.as_bytes()));
    Err(FileError::new(Place::Whole, reason, "save it as glTF 2.0"))
}

/// Refuses extensions without which the geometry cannot be known; looks do not matter.
fn check_extensions(document: &Document<'_>) -> Result<(), FileError> {
    let harmless = |name: &String| {
        let looks = ["KHR_texture_", "EXT_texture_", "MSFT_texture_", "KHR_materials_", "KHR_lights_"];
        name == "KHR_mesh_quantization" || looks.iter().any(|prefix| name.starts_with(prefix))
    };
    match document.root.extensions_required.iter().find(|name| !harmless(name)) {
        None => Ok(()),
        Some(name) => {
            let reason = format!("the extension `{}` is needed to read the file", excerpt(name.as_bytes()));
            Err(FileError::new(Place::Whole, reason, "save it without compression and extensions"))
        }
    }
}

/// A mesh, read once and used by any number of nodes.
struct Shape {
    name: Option<String>,
    part: Part,
    /// Weights of its morph targets; 0 where they are missing. `None` without targets.
    weights: Option<Vec<f64>>,
    /// Ranges of its vertices, by accessor.
    vertices: HashMap<usize, Range<usize>>,
}

/// Skipped content, each kind reported once.
#[derive(Default)]
struct Odd {
    no_triangles: Option<(usize, usize)>,
    skinned: Option<usize>,
    incomplete: Option<usize>,
}

struct Reader<'a> {
    document: &'a Document<'a>,
    accessors: Accessors<'a>,
    assembly: Assembly,
    meshes: Vec<Option<Shape>>,
    names: UniqueNames,
    odd: Odd,
}

impl Reader<'_> {
    fn place(
        &mut self,
        placed: &Placed<'_>,
        ancestors: &Ancestors<'_, '_>,
        number: usize,
    ) -> Result<(), FileError> {
        let Some(mesh) = placed.node.mesh else { return Ok(()) };
        let place = self.document.place::<Node>(placed.index);
        if placed.node.skin.is_some() {
            self.odd.skinned.get_or_insert(placed.index);
        }
        if placed.node.extensions.instancing.is_some() {
            let remedy = "save the copies as nodes of their own (without EXT_mesh_gpu_instancing)";
            return Err(self.document.error::<Node>(
                placed.index,
                "its copies are in an extension that is not read",
                remedy,
            ));
        }
        if !matches!(self.meshes.get(mesh), Some(Some(_))) {
            let shape = self.shape(mesh, place)?;
            if let Some(known) = self.meshes.get_mut(mesh) {
                *known = Some(shape);
            }
        }
        let Some(Some(shape)) = self.meshes.get(mesh) else { return Ok(()) };
        let weights = shape.weights.as_ref().map(|own| placed.node.weights.as_ref().unwrap_or(own));
        if weights.into_iter().flatten().any(|&weight| weight != 0.0) {
            let reason = "its shape is changed by morph targets, which are not applied";
            let remedy = "apply the shape keys before saving, or save with all weights 0";
            return Err(self.document.error::<Node>(placed.index, reason, remedy));
        }
        let given = [&placed.node.name, &shape.name].into_iter().flatten().find(|name| !name.is_empty());
        let mut path = ancestors.names(number);
        let own = given.cloned().unwrap_or_else(|| format!("node {}", placed.index));
        path.push(&own);
        self.assembly.spend(path.iter().map(|name| name.len().saturating_add(1)).sum(), place)?;
        let name = path.join("/");
        // Three copies are kept of it.
        self.assembly.spend(name.len().saturating_mul(3), place)?;
        self.assembly.start(&self.names.unique(&name), place)?;
        self.assembly.add(&shape.part, &placed.world_from_node, place)
    }

    fn shape(&mut self, index: usize, from: Place) -> Result<Shape, FileError> {
        let mesh: Mesh = self.document.item(index, from)?;
        let is_morphed = mesh.primitives.iter().any(|primitive| !primitive.targets.is_empty());
        let weights = is_morphed.then_some(mesh.weights);
        let (part, vertices) = (Part::default(), HashMap::new());
        let mut shape = Shape { name: mesh.name, part, weights, vertices };
        for primitive in &mesh.primitives {
            self.primitive(index, primitive, &mut shape)?;
        }
        Ok(shape)
    }

    fn primitive(&mut self, mesh: usize, primitive: &Primitive, shape: &mut Shape) -> Result<(), FileError> {
        let mode = match primitive.mode.unwrap_or(4) {
            4 => Mode::Triangles,
            5 => Mode::Strip,
            6 => Mode::Fan,
            0..=3 => {
                let (_, count) = self.odd.no_triangles.get_or_insert((mesh, 0));
                *count = count.saturating_add(1);
                return Ok(());
            }
            other => {
                let remedy = "use 4 for triangles, 5 for strips or 6 for fans";
                return Err(self.document.error::<Mesh>(mesh, format!("{other} is no mode"), remedy));
            }
        };
        let Some(positions) = primitive.attributes.position else {
            let remedy = "give it the attribute POSITION, uncompressed";
            return Err(self.document.error::<Mesh>(mesh, "a primitive has no positions", remedy));
        };
        let place = self.document.place::<Mesh>(mesh);
        let vertices = self.vertices(positions, place, shape)?;
        let numbers = match primitive.indices {
            Some(indices) => self.accessors.indices(indices, vertices.len(), place, &mut self.assembly)?,
            None => (0..index(vertices.len())).collect(),
        };
        if mode == Mode::Triangles && !numbers.len().is_multiple_of(3) {
            self.odd.incomplete.get_or_insert(mesh);
        }
        // A strip has up to three times as many vertices as numbers.
        self.assembly.spend(numbers.len().saturating_mul(3), place)?;
        let first = index(vertices.start);
        mode.triangles(&numbers, |corners| {
            shape.part.faces.push(corners.map(|vertex| first.saturating_add(vertex)));
        });
        Ok(())
    }

    /// The vertices of an accessor, in the part; primitives often share them.
    fn vertices(
        &mut self,
        accessor: usize,
        from: Place,
        shape: &mut Shape,
    ) -> Result<Range<usize>, FileError> {
        if let Some(known) = shape.vertices.get(&accessor) {
            return Ok(known.clone());
        }
        let start = shape.part.vertices.len();
        shape.part.vertices.extend(self.accessors.positions(accessor, from, &mut self.assembly)?);
        let range = start..shape.part.vertices.len();
        shape.vertices.insert(accessor, range.clone());
        Ok(range)
    }

    fn finish(self) -> Raw {
        let Self { document, assembly: Assembly { mut raw, .. }, odd, .. } = self;
        let mut warn = |place: Place, text: String| raw.warn(place, text);
        if let Some((mesh, count)) = odd.no_triangles {
            let place = document.place::<Mesh>(mesh);
            warn(place, format!("points and lines cannot collide: {count} primitives passed over"));
        }
        if let Some(mesh) = odd.incomplete {
            let place = document.place::<Mesh>(mesh);
            warn(place, format!("mesh {mesh}: one or two vertices past the last triangle: passed over"));
        }
        if let Some(node) = odd.skinned {
            warn(document.place::<Node>(node), format!("node {node}: its skin is not applied"));
        }
        raw
    }
}

/// Order in which vertex numbers form triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Triangles,
    Strip,
    Fan,
}

impl Mode {
    fn triangles(self, numbers: &[u32], mut push: impl FnMut([u32; 3])) {
        match self {
            Self::Triangles => numbers.as_chunks::<3>().0.iter().for_each(|&vertices| push(vertices)),
            Self::Strip => {
                for (i, &[a, b, c]) in numbers.array_windows().enumerate() {
                    // Every other triangle of a strip is turned over.
                    push(if i % 2 == 0 { [a, b, c] } else { [a, c, b] });
                }
            }
            Self::Fan => {
                if let Some((&first, others)) = numbers.split_first() {
                    others.array_windows().for_each(|&[a, b]| push([a, b, first]));
                }
            }
        }
    }
}
