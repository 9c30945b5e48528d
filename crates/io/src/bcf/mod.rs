//! The BIM Collaboration Format, 2.1 and 3.0: clashes as topics that other programs open.
//!
//! An archive has a folder for each topic, called by its GUID: `markup.bcf` says what it is about, a `.bcfv` file
//! where to look from and at which bodies, a PNG what is seen. GUIDs are made of what a topic is about, so that
//! exporting again updates topics instead of adding others. Lengths are in metres, as the format has it.

mod read;
mod topics;
mod write;
mod xml;

pub use topics::{Taken, TopicOptions};

use crate::FileError;

/// Which version of the format is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BcfVersion {
    /// 2.1, which most programs read.
    #[default]
    V2_1,
    /// 3.0.
    V3_0,
}

impl BcfVersion {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::V2_1 => "2.1",
            Self::V3_0 => "3.0",
        }
    }
}

/// What an archive holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bcf {
    /// The version of the format.
    pub version: BcfVersion,
    /// The topics, by GUID.
    pub topics: Vec<Topic>,
}

/// Something to look at and to talk about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topic {
    /// Who it is.
    pub guid: String,
    /// Such as `Clash`.
    pub kind: String,
    /// What became of it, in the words of whoever wrote it.
    pub status: String,
    /// A line about it.
    pub title: String,
    /// What there is to say.
    pub description: String,
    /// Words to find it by.
    pub labels: Vec<String>,
    /// When it was written, as ISO 8601.
    pub created: String,
    /// By whom.
    pub author: String,
    /// What people said.
    pub comments: Vec<Comment>,
    /// Where to look from.
    pub viewpoints: Vec<Viewpoint>,
}

/// What somebody said about a topic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comment {
    /// Who it is.
    pub guid: String,
    /// When, as ISO 8601.
    pub date: String,
    /// By whom.
    pub author: String,
    /// The words.
    pub text: String,
    /// The GUID of the viewpoint that it is about.
    pub viewpoint: Option<String>,
}

/// Where to look from, and at which bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Viewpoint {
    /// Who it is.
    pub guid: String,
    /// Where to look from; `None` where a file does not say, or gives a parallel projection.
    pub camera: Option<Camera>,
    /// The bodies that it is about.
    pub selection: Vec<Component>,
    /// Bodies by colour, as six hexadecimal digits.
    pub colours: Vec<(String, Vec<Component>)>,
    /// What is seen, as PNG.
    pub snapshot: Option<Vec<u8>>,
}

/// A perspective camera, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands.
    pub eye: [f64; 3],
    /// Where it looks, of length 1.
    pub direction: [f64; 3],
    /// What is up, of length 1.
    pub up: [f64; 3],
    /// How far it sees from the lowest to the highest, in degrees.
    pub field_of_view: f64,
    /// Width over height.
    pub aspect: f64,
}

/// A body in another program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// Its GlobalId; one made from its name where it has none. May be empty in the files of others.
    pub ifc_guid: String,
    /// The program that knows it.
    pub system: String,
    /// What that program calls it.
    pub name: String,
}

impl Bcf {
    /// The bytes of an archive. Equal topics give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        write::archive(self)
    }

    /// Reads an archive.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        read::archive(bytes)
    }
}

/// Seconds since 1970 as ISO 8601 has them, in UTC, for [`TopicOptions::date`].
pub fn date(seconds: u64) -> String {
    // Years are counted from March, so that leap days come last.
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    let days = days + 719_468; // since 1 March of the year 0
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z", 400 * era + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_000_000_000, "2001-09-09T01:46:40Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }
}
