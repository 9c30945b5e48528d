//! Occupancy trees of OctoMap: `.bt` (occupied or free) and `.ot` (log-odds), as cells of a grid.
//!
//! A tree has sixteen levels below its root; a cell of the finest level has the resolution as its edge. Cells that
//! neither file nor inference knows are unknown.

use crate::error::{FileError, Place};
use crate::file_bytes::bytes_of;
use crate::memory_limit::{beyond_limit, memory_limit};
use crate::number::{Finite, in_memory};
use crate::packed;
use crate::text::{Text, excerpt, integer, number};
use noli_geom::Voxels;
use std::path::Path;

/// Treatment of cells that an occupancy tree does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownCells {
    /// They are obstacles, within the box around all known cells.
    #[default]
    Obstacle,
    /// They are free.
    Free,
}

/// The obstacles of an occupancy tree.
#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyFile {
    /// Cells that are obstacles, with the resolution as their edge.
    pub obstacles: Voxels,
    /// Numbers of occupied and of free cells of the finest level.
    pub occupied: u64,
    /// See `occupied`.
    pub free: u64,
    /// Number of cells within the box around all known ones that are unknown.
    pub unknown: u64,
}

/// Reads an occupancy tree of OctoMap (`.bt`, `.ot`; also packed as `.gz`).
pub fn read_octomap(path: impl AsRef<Path>, unknown: UnknownCells) -> Result<OccupancyFile, FileError> {
    let path = path.as_ref();
    let read = || {
        let bytes = bytes_of(path)?;
        let bytes = if packed::is_gz(&bytes) { packed::from_gz(&bytes)? } else { bytes };
        read_octomap_bytes(&bytes, unknown)
    };
    read().map_err(|error: FileError| error.in_file(path))
}

/// Reads the bytes of an occupancy tree.
pub fn read_octomap_bytes(bytes: &[u8], unknown: UnknownCells) -> Result<OccupancyFile, FileError> {
    let header = header(bytes)?;
    let mut reader = Reader { bytes, at: header.start, leaves: Vec::new(), nodes: 0 };
    match header.is_binary {
        true => reader.binary_node(Cube::ROOT)?,
        false => reader.full_node(Cube::ROOT)?,
    }
    reader.check_end(header.size)?;
    obstacles(&reader.leaves, header.resolution.get(), unknown)
}

/// Levels below the root.
const LEVELS: u32 = 16;

struct Header {
    is_binary: bool,
    resolution: Finite,
    /// Number of nodes, if it is stated.
    size: Option<u64>,
    start: usize,
}

fn header(bytes: &[u8]) -> Result<Header, FileError> {
    let mut text = Text::new(bytes);
    let is_binary = bytes.starts_with(b"# Octomap OcTree binary file");
    if !is_binary && !bytes.starts_with(b"# Octomap OcTree file") {
        let remedy = "write it with `write` or `writeBinary` of OctoMap";
        return Err(text.error("the file does not start as an OctoMap tree", remedy));
    }
    let (mut resolution, mut size) = (None, None);
    loop {
        match text.token_on_line() {
            Some(b"id") => match text.token_on_line() {
                Some(b"OcTree") => {}
                other => {
                    let reason = format!("the tree is of kind `{}`", excerpt(other.unwrap_or_default()));
                    return Err(text.error(reason, "convert it to OcTree, without colours or stamps"));
                }
            },
            Some(b"res") => {
                let token = text.token_on_line().unwrap_or_default();
                let number = number(token, text.place())?;
                resolution = Some(Finite::new(number, "the resolution", text.place())?);
            }
            Some(b"size") => {
                let token = text.token_on_line().unwrap_or_default();
                let count = integer(token).and_then(|count| u64::try_from(count).ok());
                let Some(count) = count else {
                    let reason = format!("the size is `{}`", excerpt(token));
                    return Err(text.error(reason, "give the number of nodes as a whole number"));
                };
                if count == 0 {
                    return Err(text.error("the tree has no node", "check that it was written completely"));
                }
                size = Some(count);
            }
            Some(b"data") => break,
            _ => {}
        }
        if !text.skip_line() {
            return Err(text.error("the header has no `data`", "check that it was written completely"));
        }
    }
    match resolution {
        Some(resolution) if resolution.get() > 0.0 => {
            text.skip_line();
            Ok(Header { is_binary, resolution, size, start: text.offset() })
        }
        _ => Err(text.error("the header has no resolution", "give `res` as a positive number")),
    }
}

/// A cube of cells: its lowest cell and its level, 16 for the root and 0 for a cell.
#[derive(Clone, Copy, Debug)]
struct Cube {
    cell: [i32; 3],
    level: u32,
}

impl Cube {
    const ROOT: Self = Self { cell: [-(1 << (LEVELS - 1)); 3], level: LEVELS };

    fn child(self, number: usize) -> Self {
        let level = self.level.saturating_sub(1);
        let side = |axis: usize| i32::from(number >> axis & 1 == 1) << level;
        let [x, y, z] = self.cell;
        let cell = [x.saturating_add(side(0)), y.saturating_add(side(1)), z.saturating_add(side(2))];
        Self { cell, level }
    }

    fn side(self) -> i32 {
        1 << self.level
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Cubes that are known, with whether they are occupied.
    leaves: Vec<(Cube, bool)>,
    /// Nodes that were read, leaves among them.
    nodes: u64,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        let found = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>());
        let bytes = *found.ok_or_else(|| self.error("the tree ends too early"))?;
        self.at = self.at.saturating_add(N);
        Ok(bytes)
    }

    fn error(&self, reason: &str) -> FileError {
        FileError::new(Place::Byte(self.at), reason, "check that the file was written completely")
    }

    /// Refuses trees of another size than the header states, and bytes behind them. OctoMap refuses the former too.
    fn check_end(&self, size: Option<u64>) -> Result<(), FileError> {
        if let Some(size) = size.filter(|&size| size != self.nodes) {
            return Err(
                self.error(&format!("the tree has {} nodes, and its header states {size}", self.nodes))
            );
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        Err(self.error(&format!("{} bytes follow the tree", rest.len())))
    }

    /// Two bits for each child: unknown, free, occupied, or a node of its own.
    fn binary_node(&mut self, cube: Cube) -> Result<(), FileError> {
        if cube.level == 0 {
            return Err(self.error("the tree has more than sixteen levels"));
        }
        let bits = u16::from_le_bytes(self.take()?);
        self.nodes = self.nodes.saturating_add(1);
        let mut inner = Vec::new();
        for number in 0..8 {
            match bits >> number >> number & 3 {
                0 => {}
                leaf @ (1 | 2) => {
                    self.nodes = self.nodes.saturating_add(1);
                    self.leaves.push((cube.child(number), leaf == 2));
                }
                _ => inner.push(number),
            }
        }
        inner.into_iter().try_for_each(|number| self.binary_node(cube.child(number)))
    }

    /// Log-odds, one bit for each child, then the children.
    fn full_node(&mut self, cube: Cube) -> Result<(), FileError> {
        let place = Place::Byte(self.at);
        let odds = f64::from(f32::from_le_bytes(self.take()?));
        // The threshold of OctoMap takes NaN for free.
        let odds = Finite::new(odds, "the log-odds of a cell", place)?;
        self.nodes = self.nodes.saturating_add(1);
        let [children] = self.take()?;
        if children == 0 {
            self.leaves.push((cube, odds.get() >= 0.0));
            return Ok(());
        }
        if cube.level == 0 {
            return Err(self.error("the tree has more than sixteen levels"));
        }
        let inner = (0..8).filter(|number| children >> number & 1 == 1);
        inner.into_iter().try_for_each(|number| self.full_node(cube.child(number)))
    }
}

const UNKNOWN: u8 = 0;
const FREE: u8 = 1;
const OCCUPIED: u8 = 2;

#[allow(clippy::arithmetic_side_effects, reason = "2^16 cells a side at most, and none is 0")]
fn obstacles(
    leaves: &[(Cube, bool)],
    resolution: f64,
    unknown: UnknownCells,
) -> Result<OccupancyFile, FileError> {
    let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
    for (cube, _) in leaves {
        for ((low, high), cell) in low.iter_mut().zip(&mut high).zip(cube.cell) {
            *low = cell.min(*low);
            *high = cell.saturating_add(cube.side()).max(*high);
        }
    }
    if leaves.is_empty() {
        let remedy = "check that it was written completely";
        return Err(FileError::new(Place::Whole, "the tree knows no cell", remedy));
    }
    let from_low = |cell: [i32; 3]| {
        let ([x, y, z], [low_x, low_y, low_z]) = (cell, low);
        [x.abs_diff(low_x), y.abs_diff(low_y), z.abs_diff(low_z)].map(u64::from)
    };
    let size = from_low(high);
    let [width, depth, height] = size;
    let cells = width * depth * height;
    // A byte for each cell, and twelve for each that is an obstacle.
    if cells.saturating_mul(13) > memory_limit() {
        return Err(beyond_limit(&format!("the known box has {cells} cells")));
    }
    let mut grid = vec![UNKNOWN; in_memory(cells)];
    for (cube, occupied) in leaves {
        let [first_x, first_y, first_z] = from_low(cube.cell);
        let side = u64::from(cube.side().unsigned_abs());
        for z in first_z..first_z + side {
            for y in first_y..first_y + side {
                let from = in_memory((z * depth + y) * width + first_x);
                let row = grid.get_mut(from..from + in_memory(side)).unwrap_or_default();
                row.fill(if *occupied { OCCUPIED } else { FREE });
            }
        }
    }
    let count = |kind: u8| grid.iter().filter(|&&cell| cell == kind).count() as u64;
    let counts = [OCCUPIED, FREE, UNKNOWN].map(count);
    let is_obstacle = |cell: u8| cell == OCCUPIED || cell == UNKNOWN && unknown == UnknownCells::Obstacle;
    let place = |number: usize| {
        let number = number as u64;
        let own = [number % width, number / width % depth, number / width / depth];
        let [x, y, z] = own.map(|cell| i32::try_from(cell).unwrap_or(i32::MAX));
        let [low_x, low_y, low_z] = low;
        [low_x.saturating_add(x), low_y.saturating_add(y), low_z.saturating_add(z)]
    };
    let filled = grid.iter().enumerate().filter(|(_, cell)| is_obstacle(**cell));
    let filled = filled.map(|(number, _)| place(number));
    let obstacles = Voxels::new(resolution, filled)
        .map_err(|error| FileError::new(Place::Whole, error.to_string(), "check the resolution"))?;
    let [occupied, free, unknown] = counts;
    Ok(OccupancyFile { obstacles, occupied, free, unknown })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(kind: &str, size: u32, res: &str) -> Vec<u8> {
        format!("# Octomap OcTree {kind}\n# (comment)\nid OcTree\nsize {size}\nres {res}\ndata\n")
            .into_bytes()
    }

    /// A path of single children to the finest level, and there a free, an occupied and six unknown cells.
    fn binary() -> Vec<u8> {
        let mut bytes = header("binary file", 18, "0.5");
        // Child 7 of the root is the octant of all positive coordinates; then always the lowest child.
        bytes.extend((3u16 << 14).to_le_bytes());
        for _ in 0..14 {
            bytes.extend(3u16.to_le_bytes());
        }
        bytes.extend((1u16 | 2 << 2).to_le_bytes());
        bytes
    }

    #[test]
    fn cells_are_occupied_free_or_unknown() {
        let file = read_octomap_bytes(&binary(), UnknownCells::Free).unwrap();
        assert_eq!((file.occupied, file.free, file.unknown), (1, 1, 0));
        let boxes: Vec<_> = file.obstacles.boxes().collect();
        assert_eq!(boxes.len(), 1);
        assert_eq!(boxes[0].min.to_array(), [0.5, 0.0, 0.0]);
        assert_eq!(boxes[0].max.to_array(), [1.0, 0.5, 0.5]);
        let bytes = binary();
        for length in 0..bytes.len() {
            assert!(read_octomap_bytes(&bytes[..length], UnknownCells::Free).is_err(), "{length}");
        }
    }

    /// A tree that was cut or joined is not read as another map.
    #[test]
    fn sizes_that_do_not_match_and_trailing_bytes_are_refused() {
        let with = |old: &str, new: &str, rest: &[u8]| {
            let bytes = [&binary(), rest].concat();
            let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
            let changed = [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat();
            read_octomap_bytes(&changed, UnknownCells::Free).map(|file| file.occupied)
        };
        for (new, rest, wanted) in [
            ("size 17", &b""[..], "the tree has 18 nodes, and its header states 17"),
            ("size 5000", b"", "the tree has 18 nodes, and its header states 5000"),
            ("size -1", b"", "the size is `-1`"),
            ("size 18", b"more", "4 bytes follow the tree"),
        ] {
            let error = with("size 18", new, rest).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
        assert_eq!(with("size 18", "size 18", b"\n"), Ok(1));
        assert_eq!(with("size 18\n", "", b""), Ok(1));
    }

    #[test]
    fn unknown_cells_within_the_known_box_are_obstacles() {
        let mut bytes = header("file", 19, "1");
        let mut node = |odds: f32, children: u8| {
            bytes.extend(odds.to_le_bytes());
            bytes.push(children);
        };
        node(0.0, 1 << 7);
        (0..14).for_each(|_| node(0.0, 1));
        // Cells 0 (free), 1 (occupied) and 7 (free) of a block of eight; the threshold itself is occupied.
        node(0.0, 1 | 2 | 128);
        node(-0.4, 0);
        node(0.0, 0);
        node(-2.0, 0);
        let file = read_octomap_bytes(&bytes, UnknownCells::Obstacle).unwrap();
        assert_eq!((file.occupied, file.free, file.unknown), (1, 2, 5));
        assert_eq!(file.obstacles.count(), 6);
        assert_eq!(read_octomap_bytes(&bytes, UnknownCells::Free).unwrap().obstacles.count(), 1);
    }

    /// NaN is below no threshold and above none: a cell with it is neither free nor occupied.
    #[test]
    fn log_odds_that_are_no_numbers_are_refused() {
        for (wrong, word) in
            [(f32::NAN, "NaN"), (-f32::NAN, "NaN"), (f32::NEG_INFINITY, "-inf"), (f32::INFINITY, "inf")]
        {
            for inner in [false, true] {
                let mut bytes = header("file", 18, "1");
                let place = bytes.len() + if inner { 0 } else { 5 * 17 };
                let mut node = |odds: f32, children: u8| {
                    bytes.extend(odds.to_le_bytes());
                    bytes.push(children);
                };
                node(if inner { wrong } else { 0.0 }, 1);
                (0..15).for_each(|_| node(0.0, 1));
                node(0.4, 0);
                node(if inner { 0.4 } else { wrong }, 0);
                let at = bytes.len() - 5 * 3;
                bytes[at + 4] = 3;
                for unknown in [UnknownCells::Obstacle, UnknownCells::Free] {
                    let error = read_octomap_bytes(&bytes, unknown).unwrap_err();
                    assert_eq!(error.place, Place::Byte(place), "{error}");
                    assert!(error.to_string().contains(&format!("is {word}")), "{error}");
                }
            }
        }
    }

    #[test]
    fn pruned_cubes_fill_all_their_cells_and_limits_hold() {
        let mut bytes = header("file", 14, "0.25");
        let mut node = |odds: f32, children: u8| {
            bytes.extend(odds.to_le_bytes());
            bytes.push(children);
        };
        (0..13).for_each(|_| node(0.0, 1));
        node(3.0, 0);
        let file = read_octomap_bytes(&bytes, UnknownCells::Obstacle).unwrap();
        assert_eq!(file.occupied, 8 * 8 * 8);
        let mut all = header("file", 1, "0.25");
        all.extend(1f32.to_le_bytes());
        all.push(0);
        assert!(read_octomap_bytes(&all, UnknownCells::Free).unwrap_err().to_string().contains("limit"));
        for wrong in ["# Octomap ColorOcTree file\n", "x"] {
            assert!(read_octomap_bytes(wrong.as_bytes(), UnknownCells::Free).is_err());
        }
        let text = String::from_utf8(header("file", 1, "0.25")).unwrap();
        for wrong in [text.replace("id OcTree", "id ColorOcTree"), text.replace("res 0.25", "res -1")] {
            assert!(read_octomap_bytes(wrong.as_bytes(), UnknownCells::Free).is_err());
        }
    }
}
