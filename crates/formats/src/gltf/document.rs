//! JSON of a glTF file. Items are read on demand and keep their place.

use crate::error::{FileError, Place};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// The JSON and its place in the file.
pub(super) struct Document<'a> {
    json: &'a [u8],
    /// Line ends of a text file.
    line_ends: Vec<usize>,
    /// Offset of the JSON in a binary file; `None` in a text file.
    offset: Option<usize>,
    pub(super) root: Root<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root<'a> {
    pub(super) asset: Asset,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    #[serde(borrow, default)]
    scenes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    nodes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    meshes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    accessors: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    buffer_views: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    buffers: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<IgnoredAny>,
    /// Weights of morph targets, instead of those of the mesh.
    pub(super) weights: Option<Vec<f64>>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    #[serde(default)]
    pub(super) extensions: NodeExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
    /// Weights of morph targets; 0 where absent.
    #[serde(default)]
    pub(super) weights: Vec<f64>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<usize>,
    pub(super) mode: Option<u64>,
    #[serde(default)]
    pub(super) targets: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u64,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Sparse>,
}

/// Elements that differ from the buffer view, or from zero without one.
#[derive(Deserialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<std::borrow::Cow<'a, str>>,
    pub(super) byte_length: usize,
}

/// A kind of item with its array.
pub(super) trait Item<'a>: Deserialize<'a> {
    /// Name of an item in messages.
    const NAME: &'static str;
    fn all<'r>(root: &'r Root<'a>) -> &'r [&'a RawValue];
}

macro_rules! items {
    ($($item:ty, $name:literal, $field:ident;)*) => {$(
        impl<'a> Item<'a> for $item {
            const NAME: &'static str = $name;
            fn all<'r>(root: &'r Root<'a>) -> &'r [&'a RawValue] {
                &root.$field
            }
        }
    )*};
}

items! {
    Scene, "scene", scenes;
    Node, "node", nodes;
    Mesh, "mesh", meshes;
    Accessor, "accessor", accessors;
    BufferView, "buffer view", buffer_views;
    Buffer<'a>, "buffer", buffers;
}

impl<'a> Document<'a> {
    pub(super) fn parse(json: &'a [u8], offset: Option<usize>) -> Result<Self, FileError> {
        let root = serde_json::from_slice(json).map_err(|error| {
            let place = match offset {
                None => Place::Line(error.line()),
                Some(offset) => {
                    Place::Byte(offset.saturating_add(position(json, error.line(), error.column())))
                }
            };
            FileError::new(place, without_position(&error), "check that it is a complete glTF 2.0 file")
        })?;
        let ends = json.iter().enumerate().filter(|&(_, &byte)| byte == b'\n' && offset.is_none());
        Ok(Self { json, line_ends: ends.map(|(at, _)| at).collect(), offset, root })
    }

    pub(super) fn count<T: Item<'a>>(&self) -> usize {
        T::all(&self.root).len()
    }

    /// Reads an item; `from` is the place of its number.
    pub(super) fn item<T: Item<'a>>(&self, index: usize, from: Place) -> Result<T, FileError> {
        let all = T::all(&self.root);
        let Some(raw) = all.get(index) else {
            let reason = format!("{} {index} is named, but the file has {}", T::NAME, all.len());
            return Err(FileError::new(from, reason, "correct the number (they start at 0)"));
        };
        serde_json::from_str(raw.get()).map_err(|error| {
            let reason = format!("{} {index}: {}", T::NAME, without_position(&error));
            let inside = position(raw.get().as_bytes(), error.line(), error.column());
            let place = self.place_at(self.start(raw).saturating_add(inside));
            FileError::new(place, reason, "correct the item as the glTF 2.0 specification describes it")
        })
    }

    /// Returns the place of an item.
    pub(super) fn place<T: Item<'a>>(&self, index: usize) -> Place {
        T::all(&self.root).get(index).map_or(Place::Whole, |raw| self.place_at(self.start(raw)))
    }

    /// An error at an item.
    pub(super) fn error<T: Item<'a>>(
        &self,
        index: usize,
        reason: impl std::fmt::Display,
        remedy: &str,
    ) -> FileError {
        FileError::new(self.place::<T>(index), format!("{} {index}: {reason}", T::NAME), remedy)
    }

    /// Returns the offset of an item in the JSON, of which it is a slice.
    fn start(&self, raw: &RawValue) -> usize {
        (raw.get().as_ptr() as usize).saturating_sub(self.json.as_ptr() as usize)
    }

    fn place_at(&self, start: usize) -> Place {
        match self.offset {
            Some(offset) => Place::Byte(offset.saturating_add(start)),
            None => Place::Line(self.line_ends.partition_point(|&end| end < start).saturating_add(1)),
        }
    }
}

/// Returns the number of bytes before a line and column, both counted from 1.
fn position(text: &[u8], line: usize, column: usize) -> usize {
    let lines = text.split_inclusive(|&byte| byte == b'\n').take(line.saturating_sub(1));
    lines.map(<[u8]>::len).sum::<usize>().saturating_add(column.saturating_sub(1))
}

/// Returns the message alone: the position is reported relative to the whole file.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason).to_owned()
}
