//! As much of Parquet as results need: columns of numbers and texts, one list in a row at most, plain and uncompressed, in
//! one group of rows. The crate for all of the format takes longer to compile than most of ours, so it only judges
//! these files, in tests.

use sha2::{Digest, Sha256};

/// Magic bytes at the start and end of a file.
pub(crate) const MAGIC: &[u8] = b"PAR1";
/// Rows to a page.
const PAGE: usize = 1 << 16;

// Names of the format by its numbers.
const PLAIN: i32 = 0;
const RUNS: i32 = 3;
const REQUIRED: i32 = 0;
const OPTIONAL: i32 = 1;
const REPEATED: i32 = 2;

/// The values that are there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cells {
    Flags(Vec<bool>),
    Longs(Vec<u64>),
    Doubles(Vec<f64>),
    Texts(Vec<String>),
}

/// Assignment of values to rows.
pub(crate) enum Shape {
    /// One to a row.
    Each,
    /// One to a row that has it.
    Maybe(Vec<bool>),
    /// All to the only row.
    List,
}

pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) cells: Cells,
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Self::Flags(cells) => cells.len(),
            Self::Longs(cells) => cells.len(),
            Self::Doubles(cells) => cells.len(),
            Self::Texts(cells) => cells.len(),
        }
    }

    fn kind(&self) -> i32 {
        match self {
            Self::Flags(_) => 0,
            Self::Longs(_) => 2,
            Self::Doubles(_) => 5,
            Self::Texts(_) => 6,
        }
    }

    fn write(&self, range: std::ops::Range<usize>, out: &mut Vec<u8>) {
        match self {
            Self::Flags(cells) => out.extend(part(cells, range).chunks(8).map(|eight| {
                eight.iter().enumerate().fold(0, |byte, (place, &flag)| byte | u8::from(flag) << place)
            })),
            Self::Longs(cells) => part(cells, range).iter().for_each(|cell| out.extend(cell.to_le_bytes())),
            Self::Doubles(cells) => part(cells, range).iter().for_each(|cell| out.extend(cell.to_le_bytes())),
            Self::Texts(cells) => part(cells, range).iter().for_each(|cell| {
                out.extend(short(cell.len()).to_le_bytes());
                out.extend(cell.as_bytes());
            }),
        }
    }
}

/// Name of the checksum of all columns among the file's properties.
const CHECKSUM: &str = "sha256";

/// The cells of a page.
fn part<T>(cells: &[T], range: std::ops::Range<usize>) -> &[T] {
    cells.get(range).unwrap_or_default()
}

/// A length in four bytes; pages of 2^16 rows stay far below.
fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// A count as a number of the metadata.
fn int(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// A file of columns, each with so many rows. Its properties hold the SHA-256 of all that comes before them.
pub(crate) fn write(name: &str, made_by: &str, rows: usize, columns: &[Column]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let chunks: Vec<Chunk> = columns.iter().map(|column| chunk(column, rows, &mut out)).collect();
    let footer = out.len();
    let checksum: String = Sha256::digest(&out).iter().map(|byte| format!("{byte:02x}")).collect();
    structure(&mut out, |file| {
        file.int(1, 1);
        file.list(
            2,
            STRUCTURE,
            columns.iter().map(|column| column.path().len()).fold(1, usize::saturating_add),
        );
        structure(file.out, |root| {
            root.text(4, name);
            root.int(5, int(columns.len()));
        });
        columns.iter().for_each(|column| describe(column, file.out));
        file.long(3, rows);
        file.list(4, STRUCTURE, 1);
        structure(file.out, |group| {
            group.list(1, STRUCTURE, columns.len());
            for (column, chunk) in columns.iter().zip(&chunks) {
                structure(group.out, |entry| place(column, chunk, entry));
            }
            group.long(2, chunks.iter().map(|chunk| chunk.size).sum());
            group.long(3, rows);
        });
        file.list(5, STRUCTURE, 1);
        structure(file.out, |property| {
            property.text(1, CHECKSUM);
            property.text(2, &checksum);
        });
        file.text(6, made_by);
    });
    let length = short(out.len().saturating_sub(footer));
    out.extend(length.to_le_bytes());
    out.extend(MAGIC);
    out
}

/// Location of a column's pages.
struct Chunk {
    start: usize,
    size: usize,
    entries: usize,
}

impl Column {
    /// Names from the outermost to that of the values.
    fn path(&self) -> Vec<&'static str> {
        match self.shape {
            Shape::List => vec![self.name, "list", "element"],
            _ => vec![self.name],
        }
    }
}

fn describe(column: &Column, out: &mut Vec<u8>) {
    let text = matches!(column.cells, Cells::Texts(_));
    let leaf = |out: &mut Vec<u8>, name: &str, repetition: i32| {
        structure(out, |leaf| {
            leaf.int(1, column.cells.kind());
            leaf.int(3, repetition);
            leaf.text(4, name);
            if text {
                leaf.int(6, 0);
                leaf.structure(10, |logical| logical.structure(1, |_| ()));
            }
        });
    };
    match column.shape {
        Shape::Each => leaf(out, column.name, REQUIRED),
        Shape::Maybe(_) => leaf(out, column.name, OPTIONAL),
        Shape::List => {
            structure(out, |list| {
                list.int(3, REQUIRED);
                list.text(4, column.name);
                list.int(5, 1);
                list.int(6, 3);
                list.structure(10, |logical| logical.structure(3, |_| ()));
            });
            structure(out, |group| {
                group.int(3, REPEATED);
                group.text(4, "list");
                group.int(5, 1);
            });
            leaf(out, "element", REQUIRED);
        }
    }
}

fn place(column: &Column, chunk: &Chunk, entry: &mut Structure<'_>) {
    entry.long(2, chunk.start);
    entry.structure(3, |about| {
        about.int(1, column.cells.kind());
        about.list(2, INT, 2);
        for encoding in [PLAIN, RUNS] {
            signed(about.out, i64::from(encoding));
        }
        let path = column.path();
        about.list(3, TEXT, path.len());
        path.iter().for_each(|name| text(about.out, name));
        about.int(4, 0);
        about.long(5, chunk.entries);
        about.long(6, chunk.size);
        about.long(7, chunk.size);
        about.long(9, chunk.start);
    });
}

/// Writes the pages of a column.
#[allow(clippy::arithmetic_side_effects, reason = "places in lists and pages of its own making")]
fn chunk(column: &Column, rows: usize, out: &mut Vec<u8>) -> Chunk {
    let start = out.len();
    let mut entries = 0;
    let mut page = Vec::new();
    match &column.shape {
        Shape::List => {
            let cells = column.cells.len();
            // A list of nothing is an entry too, which says so.
            entries = cells.max(1);
            let repeated = (0..entries).map(|k| k > 0);
            levels(repeated, &mut page);
            levels((0..entries).map(|_| cells > 0), &mut page);
            column.cells.write(0..cells, &mut page);
            finish(&mut page, entries, out);
        }
        shape => {
            let mut cell = 0;
            while entries < rows {
                let count = PAGE.min(rows - entries);
                let mut end = cell + count;
                if let Shape::Maybe(there) = shape {
                    let there = part(there, entries..entries + count);
                    end = cell + there.iter().filter(|&&there| there).count();
                    levels(there.iter().copied(), &mut page);
                }
                column.cells.write(cell..end, &mut page);
                finish(&mut page, count, out);
                cell = end;
                entries += count;
            }
        }
    }
    Chunk { start, size: out.len() - start, entries }
}

fn finish(page: &mut Vec<u8>, entries: usize, out: &mut Vec<u8>) {
    structure(out, |header| {
        header.int(1, 0);
        header.int(2, int(page.len()));
        header.int(3, int(page.len()));
        header.structure(5, |data| {
            data.int(1, int(entries));
            data.int(2, PLAIN);
            data.int(3, RUNS);
            data.int(4, RUNS);
        });
    });
    out.append(page);
}

/// Levels of zero and one as runs of equal ones.
#[allow(clippy::arithmetic_side_effects, reason = "places in a page of its own making")]
fn levels(levels: impl Iterator<Item = bool>, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend([0; 4]);
    let mut levels = levels.peekable();
    while let Some(level) = levels.next() {
        let mut run = 1;
        while levels.next_if_eq(&level).is_some() {
            run += 1;
        }
        unsigned(out, run << 1);
        out.push(u8::from(level));
    }
    let length = short(out.len() - at - 4);
    out.splice(at..at + 4, length.to_le_bytes());
}

// Metadata are in the compact protocol of Thrift: fields by number and kind, numbers in as few bytes as they need.
const INT: u8 = 5;
const LONG: u8 = 6;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const STRUCTURE: u8 = 12;

/// The fields of one structure, in the order of their numbers.
struct Structure<'a> {
    out: &'a mut Vec<u8>,
    last: u8,
}

fn structure(out: &mut Vec<u8>, fields: impl FnOnce(&mut Structure<'_>)) {
    fields(&mut Structure { out, last: 0 });
    out.push(0);
}

impl Structure<'_> {
    fn field(&mut self, number: u8, kind: u8) {
        self.out.push(number.saturating_sub(self.last) << 4 | kind);
        self.last = number;
    }

    fn int(&mut self, number: u8, value: i32) {
        self.field(number, INT);
        signed(self.out, i64::from(value));
    }

    fn long(&mut self, number: u8, value: usize) {
        self.field(number, LONG);
        signed(self.out, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn text(&mut self, number: u8, value: &str) {
        self.field(number, TEXT);
        text(self.out, value);
    }

    fn structure(&mut self, number: u8, fields: impl FnOnce(&mut Structure<'_>)) {
        self.field(number, STRUCTURE);
        structure(self.out, fields);
    }

    /// The head of a list; its members come after.
    fn list(&mut self, number: u8, kind: u8, length: usize) {
        self.field(number, LIST);
        match u8::try_from(length) {
            Ok(length @ ..15) => self.out.push(length << 4 | kind),
            _ => {
                self.out.push(0xf0 | kind);
                unsigned(self.out, length as u64);
            }
        }
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    unsigned(out, text.len() as u64);
    out.extend(text.as_bytes());
}

fn signed(out: &mut Vec<u8>, number: i64) {
    unsigned(out, (number << 1 ^ number >> 63).cast_unsigned());
}

fn unsigned(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Reads the pages of a file from [`write()`], each column in one page. Only the separation of the bytes is
/// checked: the reader writes the content again, and compares.
pub(crate) struct Pages<'a>(&'a [u8]);

impl<'a> Pages<'a> {
    pub(crate) fn new(file: &'a [u8]) -> Option<Self> {
        file.strip_prefix(MAGIC).map(Self)
    }

    /// The next number; `None` in place of it if its row has none.
    pub(crate) fn long(&mut self) -> Option<u64> {
        self.longs(0)?.first().copied()
    }

    /// The next text.
    pub(crate) fn text(&mut self) -> Option<String> {
        self.texts(0)?.into_iter().next()
    }

    /// The next column, after so many kinds of levels.
    pub(crate) fn longs(&mut self, levels: usize) -> Option<Vec<u64>> {
        let cells = self.page(levels)?.as_chunks().0;
        Some(cells.iter().map(|&cell| u64::from_le_bytes(cell)).collect())
    }

    pub(crate) fn doubles(&mut self, levels: usize) -> Option<Vec<f64>> {
        let cells = self.page(levels)?.as_chunks().0;
        Some(cells.iter().map(|&cell| f64::from_le_bytes(cell)).collect())
    }

    pub(crate) fn texts(&mut self, levels: usize) -> Option<Vec<String>> {
        let mut page = Self(self.page(levels)?);
        let mut texts = Vec::new();
        while !page.0.is_empty() {
            let length = page.length()?;
            texts.push(String::from_utf8(page.take(length)?.to_vec()).ok()?);
        }
        Some(texts)
    }

    /// The values of the next page.
    fn page(&mut self, levels: usize) -> Option<&'a [u8]> {
        // Kind and both sizes; then, within a structure, the number of entries and three encodings.
        let [_, size, _] = [self.int()?, self.int()?, self.int()?];
        self.take(1)?;
        for _ in 0..4 {
            self.int()?;
        }
        self.take(2)?;
        let mut page = Self(self.take(usize::try_from(size).ok()?)?);
        for _ in 0..levels {
            let length = page.length()?;
            page.take(length)?;
        }
        Some(page.0)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        self.0.split_off(..length)
    }

    fn length(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    }

    /// A field that is not negative, with its head.
    fn int(&mut self) -> Option<u64> {
        self.take(1)?;
        let mut number = 0;
        for place in [0, 7, 14, 21, 28] {
            let &byte = self.take(1)?.first()?;
            number |= u64::from(byte & 0x7f) << place;
            if byte < 0x80 {
                return Some(number >> 1);
            }
        }
        None
    }
}
