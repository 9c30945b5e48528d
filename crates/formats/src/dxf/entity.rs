//! Entities of a DXF file that hold faces, or place blocks that do.

use super::pairs::Pair;
use crate::assembly::Part;
use crate::error::{FileError, Place};
use crate::number::index;
use crate::text::excerpt;
use glam::{DAffine3, DMat3, DVec3};

/// Something to be drawn, on a layer.
#[derive(Debug)]
pub(super) struct Entity {
    pub(super) layer: String,
    pub(super) place: Place,
    pub(super) shape: Shape,
}

#[derive(Debug)]
pub(super) enum Shape {
    Faces(Part),
    Insert(Insert),
}

/// A reference to a block: where it is put, how often.
#[derive(Debug)]
pub(super) struct Insert {
    /// The name of the block, in capitals.
    pub(super) block: String,
    frame: DMat3,
    point: DVec3,
    scale: DVec3,
    rotation_degrees: f64,
    columns: u32,
    rows: u32,
    spacing: DVec3,
}

/// The layer of an entity, and whether it lies in paper space.
pub(super) fn common(pairs: &[Pair<'_>]) -> (String, bool) {
    let value = |code| pairs.iter().find(|pair| pair.code == code).map(|pair| pair.value);
    let layer = String::from_utf8_lossy(value(8).unwrap_or(b"0")).into_owned();
    (layer, value(67) == Some(b"1"))
}

/// A point whose coordinates have the codes `x_code`, `x_code + 10` and `x_code + 20`.
pub(super) fn point(pairs: &[Pair<'_>], x_code: i64) -> Result<Option<DVec3>, FileError> {
    let mut found = [None; 3];
    for (value, step) in found.iter_mut().zip([0, 10, 20]) {
        let code = x_code.saturating_add(step);
        *value = pairs.iter().find(|p| p.code == code).map(Pair::coordinate).transpose()?;
    }
    let [x, y, z] = found;
    // A missing z means zero.
    Ok(x.zip(y).map(|(x, y)| DVec3::new(x, y, z.unwrap_or(0.0))))
}

/// A whole number, or what it is when absent.
pub(super) fn whole(pairs: &[Pair<'_>], code: i64, absent: i64) -> Result<i64, FileError> {
    pairs.iter().find(|pair| pair.code == code).map_or(Ok(absent), Pair::integer)
}

fn real(pairs: &[Pair<'_>], code: i64, absent: f64) -> Result<f64, FileError> {
    let value = pairs.iter().find(|pair| pair.code == code).map_or(Ok(absent), Pair::number)?;
    if value.is_finite() {
        return Ok(value);
    }
    let place = pairs.iter().find(|pair| pair.code == code).map_or(Place::Whole, |pair| pair.place);
    Err(FileError::new(place, format!("a number is {value}"), "give it a finite value"))
}

/// The triangle or quadrangle of a 3DFACE.
pub(super) fn face(pairs: &[Pair<'_>], place: Place) -> Result<Part, FileError> {
    let corners = [point(pairs, 10)?, point(pairs, 11)?, point(pairs, 12)?, point(pairs, 13)?];
    let [Some(a), Some(b), Some(c), d] = corners else {
        let reason = "a 3DFACE lacks one of its first three vertices";
        return Err(FileError::new(place, reason, "give it the codes 10 to 12, 20 to 22, 30 to 32"));
    };
    let mut part = Part { vertices: vec![a, b, c, d.unwrap_or(c)], ..Part::default() };
    // Triangles are quadrangles with a vertex named twice, mostly the third.
    part.vertices.dedup();
    if part.vertices.len() > 3 && d == Some(a) {
        part.vertices.pop();
    }
    while let (Some(&last), true) = (part.vertices.last(), part.vertices.len() < 3) {
        part.vertices.push(last);
    }
    part.faces.push(0..index(part.vertices.len()));
    Ok(part)
}

/// Returns the faces of a MESH, and `true` if it requests smoothing.
pub(super) fn mesh(pairs: &[Pair<'_>], place: Place) -> Result<(Part, bool), FileError> {
    let start = pairs.iter().position(|pair| pair.code == 100 && pair.value == b"AcDbSubDMesh");
    let pairs = start.and_then(|start| pairs.split_at_checked(start)).map_or(pairs, |(_, own)| own);
    let mut part = Part::default();
    for (i, pair) in pairs.iter().enumerate().filter(|(_, pair)| pair.code == 10) {
        let rest = pairs.get(i..).unwrap_or_default();
        let own = rest.get(..3).unwrap_or(rest);
        let Some(vertex) = point(own, 10)? else {
            return Err(FileError::new(pair.place, "a vertex of a MESH is cut short", "give x, y and z"));
        };
        part.vertices.push(vertex);
    }
    let mut items = pairs.iter();
    let Some(list) = items.find(|pair| pair.code == 93) else {
        return Err(FileError::new(place, "a MESH has no list of faces (code 93)", "write it again"));
    };
    let count = usize::try_from(list.integer()?).unwrap_or(usize::MAX);
    let items = items.as_slice();
    let length = items.iter().take(count).take_while(|pair| pair.code == 90).count();
    let Some(items) = items.get(..count).filter(|_| length == count) else {
        let reason = format!("a MESH claims {count} numbers for its faces, but has {length}");
        return Err(FileError::new(list.place, reason, "check that it was written completely"));
    };
    mesh_faces(items, &mut part)?;
    let smooth = whole(pairs, 91, 0)? > 0;
    Ok((part, smooth))
}

/// Faces as a list: the number of vertices, then the vertices, counted from 0.
fn mesh_faces(mut items: &[Pair<'_>], part: &mut Part) -> Result<(), FileError> {
    while let Some((head, rest)) = items.split_first() {
        let size = head.integer()?;
        let split = usize::try_from(size).ok().filter(|&size| size > 0);
        let Some((vertices, rest)) = split.and_then(|size| rest.split_at_checked(size)) else {
            let reason = format!("a face of a MESH claims {size} vertices, which it cannot have");
            return Err(FileError::new(head.place, reason, "correct the list of faces"));
        };
        let numbers = vertices.iter().map(|pair| vertex_number(pair, 0, part.vertices.len()));
        part.faces.push(numbers.collect::<Result<Vec<u32>, FileError>>()?);
        items = rest;
    }
    Ok(())
}

/// A vertex number, counted from `first` in the file and from 0 here.
pub(super) fn vertex_number(pair: &Pair<'_>, first: i64, vertices: usize) -> Result<u32, FileError> {
    let number = pair.integer()?.abs();
    let from_zero = usize::try_from(number.saturating_sub(first)).ok().filter(|&number| number < vertices);
    from_zero.map(index).ok_or_else(|| {
        let reason = format!("a face names vertex {number}, but there are {vertices} before it");
        FileError::new(pair.place, reason, format!("correct the number (they start at {first})"))
    })
}

impl Insert {
    pub(super) fn read(pairs: &[Pair<'_>], place: Place) -> Result<Self, FileError> {
        let Some(block) = pairs.iter().find(|pair| pair.code == 2) else {
            return Err(FileError::new(place, "an INSERT names no block", "give its name with code 2"));
        };
        let count = |code| {
            let number = whole(pairs, code, 1)?;
            // AutoCAD takes 0 for 1.
            u32::try_from(number).map(|count| count.max(1)).map_err(|_| {
                let reason = format!("an INSERT has {number} columns or rows");
                FileError::new(place, reason, "give it 1 or more")
            })
        };
        let normal = point(pairs, 210)?.unwrap_or(DVec3::Z);
        Ok(Self {
            block: key(block.value),
            frame: frame(normal).ok_or_else(|| {
                FileError::new(place, "the extrusion direction of an INSERT has no length", "use 0, 0, 1")
            })?,
            point: point(pairs, 10)?.unwrap_or(DVec3::ZERO),
            scale: DVec3::new(real(pairs, 41, 1.0)?, real(pairs, 42, 1.0)?, real(pairs, 43, 1.0)?),
            rotation_degrees: real(pairs, 50, 0.0)?,
            columns: count(70)?,
            rows: count(71)?,
            spacing: DVec3::new(real(pairs, 44, 0.0)?, real(pairs, 45, 0.0)?, 0.0),
        })
    }

    /// Returns the placements of the block with base point `base`: one for each column and row.
    pub(super) fn placements(&self, base: DVec3) -> impl Iterator<Item = DAffine3> {
        let turn = self.frame * rotation_z(self.rotation_degrees);
        let matrix3 = turn * DMat3::from_diagonal(self.scale);
        let origin = self.frame * self.point - matrix3 * base;
        let cells = (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (column, row)));
        cells.map(move |(column, row)| {
            let step = self.spacing * DVec3::new(f64::from(column), f64::from(row), 0.0);
            DAffine3 { matrix3, translation: origin + turn * step }
        })
    }

    pub(super) fn shown_block(&self) -> String {
        excerpt(self.block.as_bytes())
    }
}

/// The name of a block without regard to case, as AutoCAD compares them.
pub(super) fn key(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_uppercase()
}

/// Computes the axes of an extrusion direction by AutoCAD's "arbitrary axis algorithm".
fn frame(normal: DVec3) -> Option<DMat3> {
    let z = normal.try_normalize()?;
    let near_z = z.x.abs() < 1.0 / 64.0 && z.y.abs() < 1.0 / 64.0;
    let x = if near_z { DVec3::Y } else { DVec3::Z }.cross(z).try_normalize()?;
    Some(DMat3::from_cols(x, z.cross(x), z))
}

/// A turn about z; quarter turns are exact.
fn rotation_z(degrees: f64) -> DMat3 {
    let turned = degrees.rem_euclid(360.0);
    let (sin, cos) = match turned {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => turned.to_radians().sin_cos(),
    };
    DMat3::from_cols(DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0), DVec3::Z)
}
