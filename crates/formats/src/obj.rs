//! Wavefront OBJ: vertices, polygons, objects and groups.
//!
//! Texture coordinates, normals, materials, curves and surfaces are skipped. Lines that are not
//! OBJ statements are skipped with a warning (some published files start with counts),
//! unless the file holds nothing else.

use crate::error::{FileError, Place};
use crate::raw::{LargestIndex, Names, Raw};
use crate::text::{Text, excerpt, integer};
use glam::dvec3;

/// Statements of the format that do not concern polygons.
const PASSED_OVER: [&[u8]; 36] = [
    b"vt",
    b"vn",
    b"vp",
    b"usemtl",
    b"mtllib",
    b"s",
    b"l",
    b"p",
    b"mg",
    b"usemap",
    b"maplib",
    b"lod",
    b"bevel",
    b"c_interp",
    b"d_interp",
    b"shadow_obj",
    b"trace_obj",
    b"ctech",
    b"stech",
    b"cstype",
    b"deg",
    b"bmat",
    b"step",
    b"curv",
    b"curv2",
    b"surf",
    b"parm",
    b"trim",
    b"hole",
    b"scrv",
    b"sp",
    b"end",
    b"con",
    b"call",
    b"csh",
    b"illum",
];

pub(crate) fn parse(bytes: &[u8]) -> Result<Raw, FileError> {
    let mut parser = Parser::new(bytes);
    loop {
        parser.statement()?;
        if !parser.text.skip_line() {
            return parser.finish();
        }
    }
}

struct Parser<'a> {
    text: Text<'a>,
    raw: Raw,
    groups: Names,
    largest: LargestIndex,
    /// The vertices of the face being read.
    vertices: Vec<u32>,
    /// The first line that is not a statement, and the number of such lines.
    odd: Option<(Place, String)>,
    odd_count: usize,
}

impl<'a> Parser<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            text: Text::new(bytes),
            raw: Raw::default(),
            groups: Names::default(),
            largest: LargestIndex::default(),
            vertices: Vec::new(),
            odd: None,
            odd_count: 0,
        }
    }

    fn statement(&mut self) -> Result<(), FileError> {
        match self.text.token_on_line() {
            Some(b"v") => self.vertex()?,
            Some(b"f" | b"fo") => self.face()?,
            Some(b"o") => self.raw.objects.start_new(self.text.rest_of_line(), self.raw.faces.len()),
            Some(b"g") => self.groups.start(self.text.rest_of_line(), self.raw.faces.len()),
            None | Some([b'#', ..]) => {}
            Some(keyword) if PASSED_OVER.contains(&keyword) => while self.text.token_on_line().is_some() {},
            Some(other) => {
                self.odd_count = self.odd_count.saturating_add(1);
                self.odd.get_or_insert_with(|| (self.text.place(), excerpt(other)));
            }
        }
        Ok(())
    }

    fn vertex(&mut self) -> Result<(), FileError> {
        let [x, y, z] = [
            self.text.coordinate_on_line()?,
            self.text.coordinate_on_line()?,
            self.text.coordinate_on_line()?,
        ];
        self.raw.vertices.push(dvec3(x, y, z));
        Ok(())
    }

    fn face(&mut self) -> Result<(), FileError> {
        self.vertices.clear();
        while let Some(token) = self.text.token_on_line() {
            if token.starts_with(b"#") {
                break;
            }
            let vertex = self.face_vertex(token)?;
            self.largest.see(vertex, self.text.place());
            self.vertices.push(vertex);
        }
        if self.vertices.is_empty() {
            return Err(self.text.error("a face has no vertices", "remove the line or name its vertices"));
        }
        if self.vertices.len() < 3 {
            let reason = format!("a face has only {} vertices: the line may be cut off", self.vertices.len());
            return Err(self.text.error(reason, "write the file again, or name at least three vertices"));
        }
        self.raw.faces.push(self.vertices.iter().copied());
        Ok(())
    }

    /// The vertex of a vertex `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 0.
    fn face_vertex(&self, token: &[u8]) -> Result<u32, FileError> {
        let vertex = token.split(|&b| b == b'/').next().unwrap_or(token);
        let from_zero = match integer(vertex) {
            Some(number) if number > 0 => number.checked_sub(1),
            Some(number) if number < 0 => {
                let known = i64::try_from(self.raw.vertices.len()).ok();
                known.and_then(|known| known.checked_add(number))
            }
            _ => None,
        };
        from_zero.and_then(|number| u32::try_from(number).ok()).ok_or_else(|| {
            let reason = format!("`{}` names no vertex", excerpt(token));
            let known = self.raw.vertices.len();
            self.text.error(reason, format!("use 1 to {known}, or -1 for the vertex before this line"))
        })
    }

    fn finish(mut self) -> Result<Raw, FileError> {
        self.largest.check(self.raw.vertices.len(), 1)?;
        let nothing = self.raw.vertices.is_empty() && self.raw.faces.is_empty();
        if let Some((place, word)) = self.odd {
            if nothing {
                let reason = format!("`{word}` is no OBJ statement, and nothing in the file is");
                return Err(FileError::new(place, reason, "check that the file is an OBJ file"));
            }
            let more = if self.odd_count > 1 { format!(" (of {})", self.odd_count) } else { String::new() };
            self.raw
                .warn(place, format!("a line{more} starting with `{word}` is no OBJ statement: passed over"));
        }
        if self.raw.objects.is_empty() {
            self.raw.objects = self.groups;
        }
        Ok(self.raw)
    }
}
