//! Stanford PLY: text and binary of either byte order, every scalar type, lists, and any further
//! elements and properties, which are passed over. Faces are the list `vertex_indices` (or
//! `vertex_index`) of the element `face`; triangle strips are not read.

mod body;
mod header;

use crate::error::{FileError, Place};
use crate::number::{in_memory, whole};
use crate::raw::{LargestIndex, Raw};
use crate::text::{Text, check_coordinate};
use body::{BinaryValues, TextValues, Values};
use glam::dvec3;
use header::{Element, Encoding, Property};

pub(crate) fn parse(bytes: &[u8]) -> Result<Raw, FileError> {
    let mut text = Text::new(bytes);
    let header = header::parse(&mut text)?;
    match header.encoding {
        Encoding::Text => read(TextValues::new(text), &header.elements),
        Encoding::LittleEndian => read(BinaryValues::new(bytes, text.offset(), true), &header.elements),
        Encoding::BigEndian => read(BinaryValues::new(bytes, text.offset(), false), &header.elements),
    }
}

fn read(mut values: impl Values, elements: &[Element]) -> Result<Raw, FileError> {
    let mut raw = Raw::default();
    let mut largest = LargestIndex::default();
    for element in elements {
        check_size(&values, element)?;
        match element.name.as_str() {
            _ if element.count == 0 => {}
            "vertex" => vertices(&mut values, element, &mut raw)?,
            "face" => faces(&mut values, element, &mut raw, &mut largest)?,
            "tristrips" => {
                raw.warn(Place::Whole, "triangle strips (`tristrips`) are not read: passed over");
                pass_over(&mut values, element)?;
            }
            _ => pass_over(&mut values, element)?,
        }
    }
    largest.check(raw.vertices.len(), 0)?;
    Ok(raw)
}

/// Rejects an element that cannot fit into the rest of the file, before any memory is allocated.
fn check_size(values: &impl Values, element: &Element) -> Result<(), FileError> {
    let least: u64 = element.properties.iter().map(|property| values.least_size(property)).sum();
    if element.count.saturating_mul(least) <= values.bytes_left() as u64 {
        return Ok(());
    }
    let (count, name) = (element.count, &element.name);
    let reason = format!("the header claims {count} of `{name}`, more than the rest of the file can hold");
    Err(FileError::new(values.place(), reason, "check that it was written completely"))
}

/// Receives the positions of vertices and their places.
type EachPoint<'f> = dyn FnMut([f64; 3], Option<f64>, Place) -> Result<(), FileError> + 'f;

/// Passes the position of every vertex to `found`, finite or not, and its radius if it has one; returns `true` if the header has faces.
pub(crate) fn each_point(bytes: &[u8], found: &mut EachPoint<'_>) -> Result<bool, FileError> {
    let mut text = Text::new(bytes);
    let header = header::parse(&mut text)?;
    let (elements, start) = (&header.elements, text.offset());
    match header.encoding {
        Encoding::Text => points(TextValues::new(text), elements, found),
        Encoding::LittleEndian => points(BinaryValues::new(bytes, start, true), elements, found),
        Encoding::BigEndian => points(BinaryValues::new(bytes, start, false), elements, found),
    }?;
    Ok(elements.iter().any(has_faces))
}

/// Returns `true` if the header of a PLY file has vertices and no faces.
pub(crate) fn has_only_points(bytes: &[u8]) -> bool {
    header::parse(&mut Text::new(bytes)).is_ok_and(|header| !header.elements.iter().any(has_faces))
}

fn has_faces(element: &Element) -> bool {
    element.count > 0 && matches!(element.name.as_str(), "face" | "tristrips")
}

fn points(mut values: impl Values, elements: &[Element], found: &mut EachPoint<'_>) -> Result<(), FileError> {
    for element in elements {
        check_size(&values, element)?;
        if element.name == "vertex" && element.count > 0 {
            return each_vertex(&mut values, element, found);
        }
        pass_over(&mut values, element)?;
    }
    Ok(())
}

fn vertices(values: &mut impl Values, element: &Element, raw: &mut Raw) -> Result<(), FileError> {
    raw.vertices.reserve(in_memory(element.count));
    each_vertex(values, element, &mut |[x, y, z], _, place| {
        let coordinate = |x: f64| check_coordinate(x, place);
        raw.vertices.push(dvec3(coordinate(x)?, coordinate(y)?, coordinate(z)?));
        Ok(())
    })
}

/// Returns `true` if a property or column of this name holds the radius of each point. CloudCompare names its own fields
/// `scalar_NAME`.
pub(crate) fn is_radius(name: &[u8]) -> bool {
    [&b"radius"[..], b"scalar_radius"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn each_vertex(
    values: &mut impl Values,
    element: &Element,
    found: &mut EachPoint<'_>,
) -> Result<(), FileError> {
    let axes = ["x", "y", "z"].map(|axis| element.properties.iter().position(|p| p.name == axis));
    let [Some(x), Some(y), Some(z)] = axes else {
        let reason = "the element `vertex` lacks a property x, y or z";
        return Err(FileError::new(Place::Whole, reason, "write the positions with it"));
    };
    let radius = element.properties.iter().position(|p| is_radius(p.name.as_bytes()) && p.list.is_none());
    let mut row = vec![0.0; element.properties.len()];
    for _ in 0..element.count {
        let place = values.place();
        for (property, value) in element.properties.iter().zip(&mut row) {
            match property.list {
                None => *value = values.next(property.scalar)?,
                Some(_) => pass_over_property(values, property)?,
            }
        }
        let at = |column: usize| row.get(column).copied().unwrap_or(f64::NAN);
        found([x, y, z].map(at), radius.map(at), place)?;
    }
    Ok(())
}

fn faces(
    values: &mut impl Values,
    element: &Element,
    raw: &mut Raw,
    largest: &mut LargestIndex,
) -> Result<(), FileError> {
    let is_vertices =
        |p: &Property| p.list.is_some() && matches!(p.name.as_str(), "vertex_indices" | "vertex_index");
    let Some(vertex_list) = element.properties.iter().position(is_vertices) else {
        let reason = "the element `face` lacks a list vertex_indices";
        return Err(FileError::new(Place::Whole, reason, "write the vertices of the faces with it"));
    };
    let mut vertices = Vec::new();
    for _ in 0..element.count {
        for (i, property) in element.properties.iter().enumerate() {
            if i != vertex_list {
                pass_over_property(values, property)?;
                continue;
            }
            read_vertices(values, property, &mut vertices, largest)?;
            raw.faces.push(vertices.iter().copied());
        }
    }
    Ok(())
}

fn read_vertices(
    values: &mut impl Values,
    property: &Property,
    vertices: &mut Vec<u32>,
    largest: &mut LargestIndex,
) -> Result<(), FileError> {
    vertices.clear();
    let place = values.place();
    let count = list_length(values, property)?;
    if count == 0 {
        return Err(FileError::new(place, "a face has no vertices", "remove it"));
    }
    for _ in 0..count {
        let place = values.place();
        let vertex = whole_number(values.next(property.scalar)?, place)?;
        largest.see(vertex, place);
        vertices.push(vertex);
    }
    Ok(())
}

fn list_length(values: &mut impl Values, property: &Property) -> Result<u32, FileError> {
    let place = values.place();
    match property.list {
        Some(length) => whole_number(values.next(length)?, place),
        None => Ok(1),
    }
}

fn whole_number(value: f64, place: Place) -> Result<u32, FileError> {
    if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
        return Ok(whole(value));
    }
    let reason = format!("{value} found where a count or vertex number was expected");
    Err(FileError::new(place, reason, "check that the header describes the data"))
}

fn pass_over(values: &mut impl Values, element: &Element) -> Result<(), FileError> {
    if element.properties.is_empty() {
        return Ok(()); // takes no room, whatever its count
    }
    for _ in 0..element.count {
        for property in &element.properties {
            pass_over_property(values, property)?;
        }
    }
    Ok(())
}

fn pass_over_property(values: &mut impl Values, property: &Property) -> Result<(), FileError> {
    for _ in 0..list_length(values, property)? {
        values.next(property.scalar)?;
    }
    Ok(())
}
