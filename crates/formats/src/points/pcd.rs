//! Point Cloud Data (PCL 0.7): text, binary and compressed, fields of any type and count.

use super::{PointFile, Scalar, check_count, lzf};
use crate::error::{FileError, Place};
use crate::memory_limit::{beyond_limit, memory_limit};
use crate::ply::is_radius;
use crate::text::{Text, excerpt, integer, number};
use glam::{DQuat, DVec3};
use noli_geom::Pose;

/// Returns `true` if an early line of the text begins like the header of a PCD file.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let starts = [&b"VERSION"[..], b"FIELDS", b"# .PCD"];
    let lines = bytes.get(..4096).unwrap_or(bytes).split(|&byte| byte == b'\n');
    lines.take(10).any(|line| starts.iter().any(|start| line.starts_with(start)))
}

/// A field of every point.
#[derive(Clone, Debug)]
struct Field {
    name: Vec<u8>,
    scalar: Scalar,
    count: usize,
    /// Bytes of a point before it, and numbers before it.
    offset: usize,
    column: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    Text,
    Binary,
    Compressed,
}

#[derive(Debug)]
struct Header {
    fields: Vec<Field>,
    points: usize,
    viewpoint: Option<Pose>,
    data: Data,
}

impl Header {
    fn stride(&self) -> usize {
        self.fields
            .iter()
            .map(|field| field.scalar.size().saturating_mul(field.count))
            .fold(0, usize::saturating_add)
    }

    /// The fields x, y and z.
    fn axes(&self) -> Result<[&Field; 3], FileError> {
        let find = |name: &[u8]| self.fields.iter().find(|field| field.name == name);
        match [find(b"x"), find(b"y"), find(b"z")] {
            [Some(x), Some(y), Some(z)] if x.count > 0 && y.count > 0 && z.count > 0 => Ok([x, y, z]),
            _ => {
                let reason = "the header has no fields x, y and z";
                Err(FileError::new(Place::Whole, reason, "write the positions with these names"))
            }
        }
    }

    /// The field with the radius of each point.
    fn radius(&self) -> Option<&Field> {
        self.fields.iter().find(|field| is_radius(&field.name) && field.count == 1)
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<PointFile, FileError> {
    let mut text = Text::new(bytes);
    let header = header(&mut text)?;
    let mut file = PointFile { viewpoint: header.viewpoint, ..PointFile::default() };
    if header.viewpoint.is_some() {
        file.warn(Place::Whole, "the VIEWPOINT is not applied to the points; give the cloud a pose");
    }
    let start = text.offset();
    let data = bytes.get(start..).unwrap_or_default();
    match header.data {
        Data::Text => read_text(&mut text, &header, &mut file)?,
        Data::Binary => read_binary(data, start, &header, &mut file)?,
        Data::Compressed => read_compressed(data, start, &header, &mut file)?,
    }
    Ok(file)
}

/// The header; the text is then at the first byte of the data.
fn header(text: &mut Text<'_>) -> Result<Header, FileError> {
    let (mut names, mut sizes, mut types, mut counts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut size, mut points, mut viewpoint) = ([None::<u64>, None], None, None);
    loop {
        let key = text.token_on_line().unwrap_or_default().to_ascii_uppercase();
        match key.as_slice() {
            b"FIELDS" | b"COLUMNS" => names = words(text),
            b"SIZE" => sizes = words(text),
            b"TYPE" => types = words(text),
            b"COUNT" => counts = words(text),
            b"WIDTH" => size[0] = Some(whole(text)?),
            b"HEIGHT" => size[1] = Some(whole(text)?),
            b"POINTS" => points = Some(whole(text)?),
            b"VIEWPOINT" => viewpoint = pose(text)?,
            b"DATA" => {
                let data = match text.token_on_line().unwrap_or_default() {
                    b"ascii" => Data::Text,
                    b"binary" => Data::Binary,
                    b"binary_compressed" => Data::Compressed,
                    other => {
                        let reason = format!("DATA `{}` is not known", excerpt(other));
                        return Err(text.error(reason, "use ascii, binary or binary_compressed"));
                    }
                };
                let fields = fields(text, &names, [&sizes, &types, &counts])?;
                let [width, height] = size.map(|length| length.unwrap_or(1));
                let points = points.unwrap_or_else(|| width.saturating_mul(height));
                text.skip_line();
                return Ok(Header { fields, points: check_count(points)?, viewpoint, data });
            }
            // VERSION, comments and what later versions may add.
            _ => {}
        }
        if !text.skip_line() {
            return Err(text.error("the header has no DATA", "check that the file was written completely"));
        }
    }
}

fn words<'a>(text: &mut Text<'a>) -> Vec<&'a [u8]> {
    std::iter::from_fn(|| text.token_on_line()).collect()
}

fn whole(text: &mut Text<'_>) -> Result<u64, FileError> {
    let token = text.token_on_line().unwrap_or_default();
    integer(token).and_then(|count| u64::try_from(count).ok()).ok_or_else(|| {
        let reason = format!("`{}` is not a number of points", excerpt(token));
        text.error(reason, "write a whole number")
    })
}

/// The pose of the sensor; `None` for the identity.
fn pose(text: &mut Text<'_>) -> Result<Option<Pose>, FileError> {
    let mut numbers = [0.0; 7];
    for slot in &mut numbers {
        let Some(token) = text.token_on_line() else {
            return Err(text.error("VIEWPOINT has fewer than seven numbers", "write tx ty tz qw qx qy qz"));
        };
        *slot = number(token, text.place())?;
    }
    let [x, y, z, qw, qx, qy, qz] = numbers;
    let pose = Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z));
    if !pose.is_valid() {
        return Err(text.error("VIEWPOINT is not a pose", "write tx ty tz qw qx qy qz, with a quaternion"));
    }
    Ok((pose != Pose::IDENTITY).then_some(pose))
}

fn fields(text: &Text<'_>, names: &[&[u8]], rows: [&[&[u8]]; 3]) -> Result<Vec<Field>, FileError> {
    let [sizes, types, counts] = rows;
    let fits = |row: &[&[u8]]| row.len() == names.len();
    if !fits(sizes) || !fits(types) || !(counts.is_empty() || fits(counts)) {
        let reason = format!("SIZE, TYPE or COUNT is not given for each of the {} FIELDS", names.len());
        return Err(text.error(reason, "check the header"));
    }
    let (mut offset, mut column) = (0usize, 0usize);
    let mut fields = Vec::with_capacity(names.len());
    for (k, ((name, kind), size)) in names.iter().zip(types).zip(sizes).enumerate() {
        let scalar = match (*kind, *size) {
            (b"I", b"1") => Scalar::I8,
            (b"I", b"2") => Scalar::I16,
            (b"I", b"4") => Scalar::I32,
            (b"I", b"8") => Scalar::I64,
            (b"U", b"1") => Scalar::U8,
            (b"U", b"2") => Scalar::U16,
            (b"U", b"4") => Scalar::U32,
            (b"U", b"8") => Scalar::U64,
            (b"F", b"4") => Scalar::F32,
            (b"F", b"8") => Scalar::F64,
            (kind, size) => {
                let reason = format!("a field of type {} and size {}", excerpt(kind), excerpt(size));
                return Err(text.error(reason, "use I or U of 1 to 8 bytes, or F of 4 or 8"));
            }
        };
        let count = counts.get(k).map_or(Some(1), |count| integer(count));
        let Some(count) = count.and_then(|count| usize::try_from(count).ok()).filter(|&n| n <= 1 << 20)
        else {
            return Err(text.error("a COUNT is not a small whole number", "check the header"));
        };
        fields.push(Field { name: name.to_vec(), scalar, count, offset, column });
        offset = offset.saturating_add(scalar.size().saturating_mul(count));
        column = column.saturating_add(count);
    }
    Ok(fields)
}

fn read_text(text: &mut Text<'_>, header: &Header, file: &mut PointFile) -> Result<(), FileError> {
    let (axes, radius) = (header.axes()?.map(|field| field.column), header.radius());
    let columns = header.fields.iter().map(|field| field.count).fold(0, usize::saturating_add);
    // No room for what the header promises: it may be more than memory holds.
    let mut row: Vec<f64> = Vec::new();
    for _ in 0..header.points {
        row.clear();
        for _ in 0..columns {
            let Some(token) = text.token() else {
                let reason =
                    format!("the data end after {} points", file.points.len().saturating_add(file.dropped));
                return Err(text.error(reason, "check that the file was written completely"));
            };
            row.push(number(token, text.place())?);
        }
        let read = |column: usize| row.get(column).copied().unwrap_or(f64::NAN);
        file.push_sphere(axes.map(read), radius.map(|field| read(field.column)), text.place())?;
    }
    Ok(())
}

fn too_short(place: usize, needed: usize, found: usize) -> FileError {
    let reason = format!("the data have {found} bytes, the header promises {needed}");
    FileError::new(Place::Byte(place), reason, "check that the file was written completely")
}

fn read_binary(data: &[u8], start: usize, header: &Header, file: &mut PointFile) -> Result<(), FileError> {
    let (axes, radius, stride) = (header.axes()?, header.radius(), header.stride());
    let needed = stride.saturating_mul(header.points);
    let found = data.len();
    let data = data.get(..needed).ok_or_else(|| too_short(start, needed, found))?;
    file.points.reserve(header.points);
    for (number, point) in data.chunks_exact(stride).enumerate() {
        let read = |field: &Field| {
            let bytes = point.get(field.offset..).unwrap_or_default();
            field.scalar.read(bytes, true).unwrap_or(f64::NAN)
        };
        file.push_sphere(
            axes.map(read),
            radius.map(read),
            Place::Byte(start.saturating_add(number.saturating_mul(stride))),
        )?;
    }
    Ok(())
}

/// Two lengths, then the packed data, field by field.
fn read_compressed(
    data: &[u8],
    start: usize,
    header: &Header,
    file: &mut PointFile,
) -> Result<(), FileError> {
    let (axes, radius) = (header.axes()?, header.radius());
    let needed = header.stride().saturating_mul(header.points);
    let Some((&[p0, p1, p2, p3, s0, s1, s2, s3], rest)) = data.split_first_chunk() else {
        return Err(too_short(start, 8, data.len()));
    };
    let [packed, size] = [[p0, p1, p2, p3], [s0, s1, s2, s3]].map(u32::from_le_bytes);
    if size as usize != needed {
        let reason = format!("the data unpack to {size} bytes, the header promises {needed}");
        return Err(FileError::new(Place::Byte(start), reason, "check the header"));
    }
    if u64::from(size) > memory_limit() {
        return Err(beyond_limit(&format!("it unfolds to {size} bytes")));
    }
    let Some(bytes) = rest.get(..packed as usize) else {
        return Err(too_short(start, (packed as usize).saturating_add(8), data.len()));
    };
    let Some(bytes) = lzf::unpack(bytes, needed) else {
        let remedy = "check that the file was written completely";
        return Err(FileError::new(
            Place::Byte(start.saturating_add(8)),
            "the compressed data are broken",
            remedy,
        ));
    };
    file.points.reserve(header.points);
    for number in 0..header.points {
        let read = |field: &Field| {
            let before = field.offset.saturating_mul(header.points);
            let at =
                number.saturating_mul(field.scalar.size()).saturating_mul(field.count).saturating_add(before);
            bytes.get(at..).and_then(|bytes| field.scalar.read(bytes, true)).unwrap_or(f64::NAN)
        };
        file.push_sphere(axes.map(read), radius.map(read), Place::Byte(start))?;
    }
    Ok(())
}
