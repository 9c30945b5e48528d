//! Typed arrays in the buffers of a glTF file: positions and vertex numbers.

use super::buffer::Buffers;
use super::document::{Accessor, Document, Sparse};
use crate::assembly::Assembly;
use crate::error::{FileError, Place};
use crate::number::whole;
use crate::text::check_coordinate;
use glam::DVec3;

/// The type of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u64) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number in the first bytes, of which there are enough.
    fn number(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, &[a, ..]) => f64::from(i8::from_le_bytes([a])),
            (Self::U8, &[a, ..]) => f64::from(a),
            (Self::I16, &[a, b, ..]) => f64::from(i16::from_le_bytes([a, b])),
            (Self::U16, &[a, b, ..]) => f64::from(u16::from_le_bytes([a, b])),
            (Self::U32, &[a, b, c, d, ..]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            (Self::F32, &[a, b, c, d, ..]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            _ => 0.0,
        }
    }

    /// Normalizes an integer to a number from 0 (or -1) to 1.
    fn normalized(self, number: f64) -> f64 {
        match self {
            Self::I8 => (number / 127.0).max(-1.0),
            Self::U8 => number / 255.0,
            Self::I16 => (number / 32767.0).max(-1.0),
            Self::U16 => number / 65535.0,
            Self::U32 => number / f64::from(u32::MAX),
            Self::F32 => number,
        }
    }
}

/// Equally spaced elements of a few numbers each.
struct Elements<'b> {
    bytes: &'b [u8],
    stride: usize,
    component: Component,
}

impl Elements<'_> {
    fn number(&self, element: usize, k: usize) -> f64 {
        let at = element.saturating_mul(self.stride).saturating_add(k.saturating_mul(self.component.size()));
        self.component.number(self.bytes.get(at..).unwrap_or_default())
    }
}

/// Reads the accessors of a document.
pub(super) struct Accessors<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) buffers: Buffers<'a>,
}

/// Location of elements: view, offset and count.
struct Range {
    view: usize,
    offset: usize,
    count: usize,
}

impl Accessors<'_> {
    /// Reads the positions of vertices; `from` is the place of the accessor's number.
    pub(super) fn positions(
        &self,
        index: usize,
        from: Place,
        assembly: &mut Assembly,
    ) -> Result<Vec<DVec3>, FileError> {
        let accessor: Accessor = self.document.item(index, from)?;
        let component = self.component(index, accessor.component_type)?;
        if accessor.kind != "VEC3" || component == Component::U32 {
            return Err(self.error(index, "positions must be VEC3 of FLOAT or short integers", REWRITE));
        }
        let scale = |number| if accessor.normalized { component.normalized(number) } else { number };
        let place = self.document.place::<Accessor>(index);
        let mut values = vec![DVec3::ZERO; 0];
        let read = |elements: &Elements<'_>, i: usize| -> Result<DVec3, FileError> {
            let number = |k| check_coordinate(scale(elements.number(i, k)), place);
            Ok(DVec3::new(number(0)?, number(1)?, number(2)?))
        };
        match accessor.buffer_view {
            None => {
                assembly.spend(accessor.count, place)?;
                values.resize(accessor.count, DVec3::ZERO);
            }
            Some(view) => {
                let range = Range { view, offset: accessor.byte_offset, count: accessor.count };
                let elements = self.elements(index, &range, component, 3)?;
                assembly.spend(accessor.count, place)?;
                values.reserve_exact(accessor.count);
                for i in 0..accessor.count {
                    values.push(read(&elements, i)?);
                }
            }
        }
        if let Some(sparse) = &accessor.sparse {
            let (numbers, elements) = self.sparse(index, sparse, component, 3)?;
            for i in 0..sparse.count {
                let target = whole(numbers.number(i, 0)) as usize;
                *values.get_mut(target).ok_or_else(|| self.past_the_end(index, target))? =
                    read(&elements, i)?;
            }
        }
        Ok(values)
    }

    /// Reads vertex numbers, each less than `vertices`; `from` is the place of the accessor's number.
    pub(super) fn indices(
        &self,
        index: usize,
        vertices: usize,
        from: Place,
        assembly: &mut Assembly,
    ) -> Result<Vec<u32>, FileError> {
        let accessor: Accessor = self.document.item(index, from)?;
        let component = self.component(index, accessor.component_type)?;
        if accessor.kind != "SCALAR" || !is_unsigned(component) || accessor.sparse.is_some() {
            return Err(self.error(
                index,
                "vertex numbers must be plain SCALAR of unsigned integers",
                REWRITE,
            ));
        }
        let Some(view) = accessor.buffer_view else {
            return Err(self.error(index, "vertex numbers have no buffer view", REWRITE));
        };
        let range = Range { view, offset: accessor.byte_offset, count: accessor.count };
        let elements = self.elements(index, &range, component, 1)?;
        assembly.spend(accessor.count, self.document.place::<Accessor>(index))?;
        let mut numbers = Vec::with_capacity(accessor.count);
        for i in 0..accessor.count {
            let number = whole(elements.number(i, 0));
            if number as usize >= vertices {
                let reason = format!("element {i} names vertex {number}, but there are {vertices}");
                return Err(self.error(index, reason, "correct the number (they start at 0)"));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    fn sparse(
        &self,
        index: usize,
        sparse: &Sparse,
        component: Component,
        width: usize,
    ) -> Result<(Elements<'_>, Elements<'_>), FileError> {
        let (indices, values) = (&sparse.indices, &sparse.values);
        let number = self.component(index, indices.component_type)?;
        if !is_unsigned(number) {
            return Err(self.error(index, "sparse indices must be unsigned integers", REWRITE));
        }
        let count = sparse.count;
        let range = Range { view: indices.buffer_view, offset: indices.byte_offset, count };
        let numbers = self.elements(index, &range, number, 1)?;
        let range = Range { view: values.buffer_view, offset: values.byte_offset, count };
        Ok((numbers, self.elements(index, &range, component, width)?))
    }

    /// Elements of `width` numbers, all of which lie in their view.
    fn elements(
        &self,
        index: usize,
        range: &Range,
        component: Component,
        width: usize,
    ) -> Result<Elements<'_>, FileError> {
        let view = self.buffers.view(range.view, self.document.place::<Accessor>(index))?;
        let size = width.saturating_mul(component.size());
        let stride = view.stride.filter(|&stride| stride > 0).unwrap_or(size);
        if stride < size {
            let reason = format!("elements of {size} bytes cannot be {stride} bytes apart");
            return Err(self.error(index, reason, "correct the byteStride of its buffer view"));
        }
        let bytes = view.bytes.get(range.offset..).unwrap_or_default();
        let needed = match range.count.checked_sub(1) {
            None => Some(0),
            Some(last) => last.checked_mul(stride).and_then(|most| most.checked_add(size)),
        };
        if needed.is_none_or(|needed| needed > bytes.len()) {
            let (count, room) = (range.count, bytes.len());
            let reason = format!("{count} elements {stride} bytes apart do not fit into {room} bytes");
            return Err(self.error(index, reason, "correct its count, byteOffset or buffer view"));
        }
        Ok(Elements { bytes, stride, component })
    }

    fn component(&self, index: usize, code: u64) -> Result<Component, FileError> {
        Component::from_code(code).ok_or_else(|| {
            self.error(index, format!("{code} is no component type"), "use one of 5120 to 5123, 5125, 5126")
        })
    }

    fn past_the_end(&self, index: usize, target: usize) -> FileError {
        let reason = format!("a sparse index names element {target} past the end");
        self.error(index, reason, "correct the number (they start at 0)")
    }

    fn error(&self, index: usize, reason: impl std::fmt::Display, remedy: &str) -> FileError {
        self.document.error::<Accessor>(index, reason, remedy)
    }
}

const REWRITE: &str = "write the file again as the glTF 2.0 specification describes it";

fn is_unsigned(component: Component) -> bool {
    matches!(component, Component::U8 | Component::U16 | Component::U32)
}
