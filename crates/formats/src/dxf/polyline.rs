//! The two kinds of POLYLINE that hold faces: polyface meshes (vertices, then faces that name them)
//! and polygon meshes (a grid of vertices).

use super::entity::{point, vertex_number, whole};
use super::pairs::Pair;
use crate::assembly::Part;
use crate::error::{FileError, Place};

const CLOSED_M: i64 = 1;
const GRID: i64 = 16;
const CLOSED_N: i64 = 32;
const POLYFACE: i64 = 64;
/// Of a vertex: it guides a smooth surface, but does not lie on it.
const CONTROL: i64 = 16;
/// Of a vertex: it belongs to a polyface mesh; without [`POSITION`], it is a face.
const POLYFACE_VERTEX: i64 = 128;
const POSITION: i64 = 64;

/// A polyline in the making.
#[derive(Debug)]
pub(super) struct Polyline {
    place: Place,
    kind: Kind,
    part: Part,
}

#[derive(Debug)]
enum Kind {
    Line,
    Polyface,
    Grid { rows: i64, columns: i64, smooth: bool, flags: i64 },
}

impl Polyline {
    pub(super) fn start(pairs: &[Pair<'_>], place: Place) -> Result<Self, FileError> {
        let flags = whole(pairs, 70, 0)?;
        let kind = if flags & POLYFACE != 0 {
            Kind::Polyface
        } else if flags & GRID != 0 {
            let smooth = whole(pairs, 75, 0)? != 0;
            // A smooth surface lists its own vertices too, in numbers of their own.
            let [row_code, column_code] = if smooth { [73, 74] } else { [71, 72] };
            let (rows, columns) = (whole(pairs, row_code, 0)?, whole(pairs, column_code, 0)?);
            Kind::Grid { rows, columns, smooth, flags }
        } else {
            Kind::Line
        };
        Ok(Self { place, kind, part: Part::default() })
    }

    /// Adds a VERTEX.
    pub(super) fn vertex(&mut self, pairs: &[Pair<'_>], place: Place) -> Result<(), FileError> {
        let flags = whole(pairs, 70, 0)?;
        match self.kind {
            Kind::Line => return Ok(()),
            Kind::Polyface if flags & POLYFACE_VERTEX != 0 && flags & POSITION == 0 => {
                return self.face(pairs);
            }
            Kind::Grid { smooth: true, .. } if flags & CONTROL != 0 => return Ok(()),
            _ => {}
        }
        let Some(position) = point(pairs, 10)? else {
            return Err(FileError::new(place, "a VERTEX has no position", "give it the codes 10, 20, 30"));
        };
        self.part.vertices.push(position);
        Ok(())
    }

    /// Adds a face: up to four vertex numbers, negative where the edge is invisible.
    fn face(&mut self, pairs: &[Pair<'_>]) -> Result<(), FileError> {
        let mut vertices = Vec::with_capacity(4);
        for code in 71..=74 {
            let Some(pair) = pairs.iter().find(|pair| pair.code == code) else { continue };
            if pair.integer()? != 0 {
                vertices.push(vertex_number(pair, 1, self.part.vertices.len())?);
            }
        }
        // One or two vertices are points and edges, which polyface meshes may hold.
        if vertices.len() > 2 {
            self.part.faces.push(vertices);
        }
        Ok(())
    }

    /// The faces of the polyline; `None` if it is but a line.
    pub(super) fn finish(mut self) -> Result<Option<Part>, FileError> {
        match self.kind {
            Kind::Line => return Ok(None),
            Kind::Polyface => {}
            Kind::Grid { rows, columns, flags, .. } => self.grid(rows, columns, flags)?,
        }
        Ok(Some(self.part))
    }

    #[allow(clippy::arithmetic_side_effects, reason = "rows by columns is the number of vertices, a `u32`")]
    fn grid(&mut self, rows: i64, columns: i64, flags: i64) -> Result<(), FileError> {
        let vertices = self.part.vertices.len();
        let fits = rows.checked_mul(columns).and_then(|count| usize::try_from(count).ok()) == Some(vertices);
        let sides = [rows, columns].map(u32::try_from);
        let (true, [Ok(rows), Ok(columns)]) = (fits && u32::try_from(vertices).is_ok(), sides) else {
            let reason = format!("a polygon mesh of {rows} by {columns} has {vertices} vertices");
            return Err(FileError::new(self.place, reason, "correct the counts or the vertices"));
        };
        let steps = |count: u32, closed: bool| if closed { count } else { count.saturating_sub(1) };
        for i in 0..steps(rows, flags & CLOSED_M != 0) {
            for j in 0..steps(columns, flags & CLOSED_N != 0) {
                let vertex = |i: u32, j: u32| (i % rows) * columns + j % columns;
                self.part.faces.push([
                    vertex(i, j),
                    vertex(i + 1, j),
                    vertex(i + 1, j + 1),
                    vertex(i, j + 1),
                ]);
            }
        }
        Ok(())
    }
}
