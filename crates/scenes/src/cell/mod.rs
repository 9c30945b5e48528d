//! Robot cells as text, in the format of cell files, with their programs.

/// A cell in the format of a cell file.
#[derive(Clone, Copy, Debug)]
pub struct WrittenCell {
    /// Its name.
    pub name: &'static str,
    /// Description in one line.
    pub description: &'static str,
    /// The text of its program.
    pub program: &'static str,
    /// Parts of the cell file, in order.
    pieces: &'static [&'static str],
}

impl WrittenCell {
    /// The contents of the cell file, which names no other.
    pub fn text(&self) -> String {
        self.pieces.concat()
    }
}

const MAGAZINE: &str = include_str!("magazine.toml");
const PROGRAM: &str = include_str!("magazine.val");

/// All bundled cells.
pub fn cells() -> &'static [WrittenCell] {
    &[
        WrittenCell {
            name: "magazine",
            description: "A PUMA 560 takes parts from two stacks on a conveyor and fills a 3x2 magazine",
            program: PROGRAM,
            pieces: &[MAGAZINE],
        },
        WrittenCell {
            name: "magazine-clash",
            description: "The same with a post that somebody left in the way",
            program: PROGRAM,
            pieces: &[MAGAZINE, include_str!("clash.toml")],
        },
        WrittenCell {
            name: "magazine-graze",
            description: "The same with a pin that a vertex of the carried part grazes between two frames",
            program: PROGRAM,
            pieces: &[MAGAZINE, include_str!("graze.toml")],
        },
    ]
}
