//! Contents of an archive: topics, comments, viewpoints.

/// Version of the written format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "args", derive(clap::ValueEnum))]
pub enum BcfVersion {
    /// 2.1, which most programs read.
    #[default]
    #[cfg_attr(feature = "args", value(name = "2.1"))]
    V2_1,
    /// 3.0.
    #[cfg_attr(feature = "args", value(name = "3.0"))]
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

/// Content of an archive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bcf {
    /// The version of the format.
    pub version: BcfVersion,
    /// The topics, by GUID.
    pub topics: Vec<Topic>,
}

/// An issue to review and discuss.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topic {
    /// Its identifier.
    pub guid: String,
    /// Such as `Clash`.
    pub kind: String,
    /// Its status, in the words of its author.
    pub status: String,
    /// A line about it.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Words to find it by.
    pub labels: Vec<String>,
    /// Names of the model files that it is about.
    pub files: Vec<String>,
    /// Date of creation, as ISO 8601.
    pub created: String,
    /// By whom.
    pub author: String,
    /// Comments of users.
    pub comments: Vec<Comment>,
    /// Its viewpoints.
    pub viewpoints: Vec<Viewpoint>,
}

/// A user's comment on a topic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comment {
    /// Its identifier.
    pub guid: String,
    /// Date, as ISO 8601.
    pub date: String,
    /// By whom.
    pub author: String,
    /// The words.
    pub text: String,
    /// The GUID of the viewpoint that it is about.
    pub viewpoint: Option<String>,
}

/// A camera and the bodies it shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Viewpoint {
    /// Its identifier.
    pub guid: String,
    /// The camera; `None` if a file does not define it, or gives a parallel projection.
    pub camera: Option<Camera>,
    /// The bodies that it is about.
    pub selection: Vec<Component>,
    /// Bodies by colour, as six hexadecimal digits.
    pub colours: Vec<(String, Vec<Component>)>,
    /// The picture, as PNG.
    pub snapshot: Option<Vec<u8>>,
}

/// A perspective camera, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its placement.
    pub eye: [f64; 3],
    /// Viewing direction, of length 1.
    pub direction: [f64; 3],
    /// Up direction, of length 1.
    pub up: [f64; 3],
    /// Vertical field of view, in degrees.
    pub field_of_view: f64,
    /// Width over height.
    pub aspect: f64,
}

/// A body in another program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// Its GlobalId in its model file; one made from its name where it has none. May be empty in the files of
    /// others.
    pub ifc_guid: String,
    /// The program of origin.
    pub system: String,
    /// Its name in that program.
    pub name: String,
}
