//! Parts, each used any number of times, brought to world coordinates.
//!
//! A part may be used a thousand times, so a small file can describe a large scene, and a hostile one
//! an endless scene: what comes out is limited by the size of the file.

use crate::error::{FileError, Place};
use crate::memory_limit::memory_limit;
use crate::number::index;
use crate::raw::Raw;
use crate::text::check_coordinate;
use glam::{DAffine3, DVec3};
use noli_geom::Polygons;

/// Vertices, vertices and names that a file may have for each of its bytes. A thousand uses of a part
/// of ten thousand triangles come to about a hundred.
const PER_BYTE: usize = 256;
/// Minimum limit, for the smallest file.
const FREE: usize = 1 << 16;
/// Bytes of memory for a placed vertex, with those of a growing list.
const MEMORY: u64 = 32;

/// Vertices and faces in the coordinates of a part.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Polygons,
}

impl Part {
    /// Adds the vertices and faces of another part. Their numbers must stay below `u32::MAX`, which
    /// [`Assembly::add`] refuses only later, so larger ones wrap until then.
    pub(crate) fn append(&mut self, other: &Part) {
        let first = index(self.vertices.len());
        self.vertices.extend(&other.vertices);
        other.faces.iter().for_each(|face| self.faces.push(face.iter().map(|&v| first.wrapping_add(v))));
    }
}

/// A file in the making whose objects are placed parts.
#[derive(Debug)]
pub(crate) struct Assembly {
    pub(crate) raw: Raw,
    left: usize,
}

impl Assembly {
    pub(crate) fn new(file_size: usize) -> Self {
        let limit = file_size.saturating_mul(PER_BYTE).saturating_add(FREE);
        let fits = usize::try_from(memory_limit() / MEMORY).unwrap_or(usize::MAX);
        // Vertex numbers are `u32`.
        Self { raw: Raw::default(), left: limit.min(fits).min(u32::MAX as usize) }
    }

    /// Counts work or memory to come against the limit.
    pub(crate) fn spend(&mut self, amount: usize, place: Place) -> Result<(), FileError> {
        match self.left.checked_sub(amount) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(FileError::new(
                place,
                "the parts used here and before are too large, or used too often, for a file of this size",
                "check the counts and the containment, or place the parts from files of their own, or raise --memory",
            )),
        }
    }

    /// Starts the named object; faces follow.
    pub(crate) fn start(&mut self, name: &str, place: Place) -> Result<(), FileError> {
        self.spend(name.len().saturating_add(1), place)?;
        self.raw.objects.start(name.as_bytes(), self.raw.faces.len());
        Ok(())
    }

    /// Adds a part where `world_from_part` puts it; the faces of a mirrored part are turned over, so
    /// that they look outward as before.
    pub(crate) fn add(
        &mut self,
        part: &Part,
        world_from_part: &DAffine3,
        place: Place,
    ) -> Result<(), FileError> {
        let size = part.vertices.len().saturating_add(part.faces.vertices().len());
        self.spend(size.saturating_add(1), place)?;
        let first = index(self.raw.vertices.len());
        for &vertex in &part.vertices {
            let moved = world_from_part.transform_point3(vertex);
            for x in moved.to_array() {
                check_coordinate(x, place)?;
            }
            self.raw.vertices.push(moved);
        }
        let mirrored = world_from_part.matrix3.determinant() < 0.0;
        for face in part.faces.iter() {
            let vertices = face.iter().map(|&vertex| first.saturating_add(vertex));
            if mirrored {
                self.raw.faces.push(vertices.rev());
            } else {
                self.raw.faces.push(vertices);
            }
        }
        Ok(())
    }
}
