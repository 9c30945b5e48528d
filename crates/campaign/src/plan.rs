//! Definition of a campaign, as plain data and as TOML.

use crate::plan_table::{PlanError, Table, line};
use glam::DVec3;
use toml::de::DeTable;

/// Query for every draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Test for a collision, or a distance below the margin.
    Overlap,
    /// Smallest distance of all pairs.
    Clearance,
    /// Time of first contact on a path.
    Impact,
}

impl Question {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Clearance => "clearance",
            Self::Impact => "impact",
        }
    }
}

/// Subject of the queries.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// Bodies of a scene: the path of its file, or its text.
    Scene(String),
    /// A robot.
    Robot(RobotFiles),
}

/// Paths of the files of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotFiles {
    /// URDF, or a DH table.
    pub path: String,
    /// SRDF with the disabled pairs.
    pub srdf: Option<String>,
    /// Folders that hold packages.
    pub packages: Vec<String>,
}

/// Orientation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// Unchanged.
    None,
    /// Any rotation.
    Any,
    /// About any axis by at most so many radians.
    UpTo(f64),
}

/// Region of drawn poses, relative to the pose of the body in the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cloud {
    /// Evenly in a box.
    Box {
        /// The lowest vertex.
        low: DVec3,
        /// The highest.
        high: DVec3,
        /// Orientation.
        turn: Turn,
    },
    /// In any direction from a center, at a distance evenly between two.
    Shell {
        /// From here.
        center: DVec3,
        /// The least and the largest distance.
        reach: [f64; 2],
        /// Orientation.
        turn: Turn,
    },
}

/// Distribution of deviations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Uniform up to the tolerance in both directions.
    Uniform,
    /// Normally, the tolerance being one standard deviation.
    Normal,
}

/// Deviations of bodies from their poses: along and about the axes of the world, about the body's origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// Pattern of the bodies' names; `*` matches any characters.
    pub names: String,
    /// Along the axes.
    pub shift: DVec3,
    /// About the axes.
    pub turn_rad: DVec3,
    /// Their distribution.
    pub spread: Spread,
}

/// Drawn items.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// Poses of one body; the others are fixed.
    Poses {
        /// Its name.
        body: String,
        /// From where.
        cloud: Cloud,
    },
    /// Paths of one body; the others are fixed.
    Ways {
        /// Its name.
        body: String,
        /// From where both ends are.
        cloud: Cloud,
    },
    /// Deviations of all bodies from their places; the last that fits a body counts.
    Deviations(Vec<Deviation>),
    /// Configurations of a robot within limits.
    Configurations,
    /// Paths of a robot, along which no variable changes by more than this.
    ConfigurationPaths(f64),
}

/// Histogram of values: the first bin counts zeros, then `bins` of the same width up to `to`, then the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Histogram {
    /// Up to here.
    pub to: f64,
    /// Number of bins between.
    pub bins: usize,
}

/// Device of the computation. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Where {
    /// The CPU, on all threads.
    #[default]
    Cpu,
    /// A GPU, where there is one.
    Card,
}

/// Definition of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Seed of the draws; equal seeds give equal draws.
    pub seed: u64,
    /// Number of draws.
    pub count: u64,
    /// Number of draws per chunk.
    pub chunk: u64,
    /// The query.
    pub question: Question,
    /// About whom.
    pub subject: Subject,
    /// Kind of meshes for which the scene defines none: "auto", "solid" or "surface".
    pub kind: String,
    /// Closer than this counts as a hit; the margins of a scene are added for deviations.
    pub margin: f64,
    /// Drawn items.
    pub drawing: Drawing,
    /// Histogram of clearances or times; `None` counts none.
    pub histogram: Option<Histogram>,
    /// `true` if every result is kept as a row.
    pub rows: bool,
    /// Device of the computation.
    pub device: Where,
}

/// Largest chunk: what is kept in memory at once.
const MOST_TO_A_CHUNK: u64 = 100_000_000;
/// Most chunks: names of shards have nine digits, and the status of each is looked up.
const MOST_CHUNKS: u64 = 1_000_000_000;

impl Plan {
    /// Reads a plan; `docs/campaigns.md` has the format.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let root = DeTable::parse(text).map_err(|error| PlanError {
            line: line(text, error.span().map_or(0, |span| span.start)),
            reason: error.message().to_owned(),
            remedy: "correct the TOML".to_owned(),
        })?;
        let mut table = Table::new(text, root.get_ref(), root.span().start);
        let name = table.text("name")?.unwrap_or_else(|| "campaign".to_owned());
        let seed = table.whole("seed")?.unwrap_or(1);
        let [count, chunk] = counts(&mut table)?;
        let questions =
            [Question::Overlap, Question::Clearance, Question::Impact].map(|asked| (asked.word(), asked));
        let question = table.one_of("question", &questions)?.unwrap_or(Question::Overlap);
        let kinds = ["auto", "solid", "surface"].map(|kind| (kind, kind));
        let kind = table.one_of("as", &kinds)?.unwrap_or("auto").to_owned();
        let margin = table.number("margin")?.unwrap_or(0.0);
        if !(margin >= 0.0 && margin.is_finite()) {
            return Err(table.error(&format!("a margin of {margin}"), "give a length, at least 0"));
        }
        let rows = table.truth("rows")?.unwrap_or(false);
        let device = table.one_of("device", &[("cpu", Where::Cpu), ("cuda", Where::Card)])?;
        let device = device.unwrap_or_default();
        let subject = subject(&mut table)?;
        let histogram = table.table("histogram")?.map(histogram).transpose()?;
        let is_robot = matches!(subject, Subject::Robot(_));
        let drawing = match table.table("draw")? {
            Some(of) => drawing(of, is_robot, question)?,
            None if is_robot && question != Question::Impact => Drawing::Configurations,
            None => {
                let remedy = "say what is drawn, as in: draw = { kind = \"poses\", body = \"pin\", low = [-1, -1, -1], high = [1, 1, 1] }";
                return Err(table.error("the plan has no `draw`", remedy));
            }
        };
        table.finish()?;
        Ok(Self {
            name,
            seed,
            count,
            chunk,
            question,
            subject,
            kind,
            margin,
            drawing,
            histogram,
            rows,
            device,
        })
    }

    /// Number of chunks.
    pub fn chunks(&self) -> u64 {
        self.count.div_ceil(self.chunk)
    }

    /// The draws of a chunk; empty if there is none such.
    pub fn range(&self, chunk: u64) -> std::ops::Range<u64> {
        let first = chunk.saturating_mul(self.chunk).min(self.count);
        first..first.saturating_add(self.chunk).min(self.count)
    }
}

/// Reads the number of draws, and of those per chunk.
fn counts(table: &mut Table<'_>) -> Result<[u64; 2], PlanError> {
    let count = table.whole("count")?;
    let count =
        count.ok_or_else(|| table.error("the plan has no `count`", "say how many draws: count = 1000000"))?;
    let chunk = table.whole("chunk")?.unwrap_or(65_536);
    let reason = format!("a count of {count} in chunks of {chunk}");
    if count == 0 || !(1..=MOST_TO_A_CHUNK).contains(&chunk) {
        let key = if count == 0 { "count" } else { "chunk" };
        let remedy = format!("give at least 1, and chunks of at most {MOST_TO_A_CHUNK}");
        return Err(table.error_at(key, &reason, &remedy));
    }
    if count.div_ceil(chunk) > MOST_CHUNKS {
        let remedy = format!("give larger chunks: at most {MOST_CHUNKS} chunks");
        return Err(table.error_at("count", &reason, &remedy));
    }
    Ok([count, chunk])
}

fn subject(table: &mut Table<'_>) -> Result<Subject, PlanError> {
    let (scene, robot, srdf) = (table.text("scene")?, table.text("robot")?, table.text("srdf")?);
    let packages = table.texts("packages")?.unwrap_or_default();
    match (scene, robot) {
        (Some(scene), None) => Ok(Subject::Scene(scene)),
        (None, Some(path)) => Ok(Subject::Robot(RobotFiles { path, srdf, packages })),
        _ => Err(table.error("the plan names no subject, or two", "give either `scene` or `robot`")),
    }
}

fn histogram(mut table: Table<'_>) -> Result<Histogram, PlanError> {
    let to = table.number("to")?.unwrap_or(1.0);
    let bins = table.whole("bins")?.unwrap_or(32);
    if !(to > 0.0 && to.is_finite() && (1..=100_000).contains(&bins)) {
        let remedy = "give `to` > 0 and `bins` from 1 to 100000";
        return Err(table.error("this histogram has no bins", remedy));
    }
    table.finish()?;
    Ok(Histogram { to, bins: usize::try_from(bins).unwrap_or(1) })
}

fn drawing(mut table: Table<'_>, is_robot: bool, question: Question) -> Result<Drawing, PlanError> {
    let kind = table.text("kind")?.unwrap_or_default();
    let drawing = match (kind.as_str(), is_robot) {
        ("poses" | "paths", false) => {
            let body = table.text("body")?;
            let body = body.ok_or_else(|| {
                table.error("`draw` names no body", "say which one is moved: body = \"pin\"")
            })?;
            let cloud = cloud(&mut table)?;
            if kind == "poses" { Drawing::Poses { body, cloud } } else { Drawing::Ways { body, cloud } }
        }
        ("deviations", false) => Drawing::Deviations(deviations(&mut table)?),
        ("configurations", true) => Drawing::Configurations,
        ("paths", true) => Drawing::ConfigurationPaths(table.number("reach")?.unwrap_or(f64::INFINITY)),
        _ => {
            let kinds =
                if is_robot { "`configurations` or `paths`" } else { "`poses`, `paths` or `deviations`" };
            return Err(table.error(&format!("kind = {kind:?} is not drawn here"), &format!("use {kinds}")));
        }
    };
    let is_path = matches!(drawing, Drawing::Ways { .. } | Drawing::ConfigurationPaths(_));
    if is_path != (question == Question::Impact) {
        let reason = format!("`{}` is not checked {kind}", question.word());
        return Err(table.error(&reason, "query `impact` of paths, `overlap` or `clearance` of all else"));
    }
    table.finish()?;
    Ok(drawing)
}

fn cloud(table: &mut Table<'_>) -> Result<Cloud, PlanError> {
    let turn = match (table.text("turn")?.as_deref(), table.number("turn_deg")?) {
        (None | Some("none"), None) => Turn::None,
        (Some("any"), None) => Turn::Any,
        (None, Some(most)) if most >= 0.0 && most.is_finite() => Turn::UpTo(most.to_radians()),
        _ => return Err(table.error("this is no turn", "give turn = \"any\" or \"none\", or turn_deg = 30")),
    };
    let (low, high) = (table.vector("low")?, table.vector("high")?);
    let (center, reach) = (table.vector("center")?, table.numbers("reach")?);
    match (low, high, reach.as_deref()) {
        (Some(low), Some(high), None) if center.is_none() && low.cmple(high).all() => {
            Ok(Cloud::Box { low, high, turn })
        }
        (None, None, Some(&[least, most])) if 0.0 <= least && least <= most && most.is_finite() => {
            Ok(Cloud::Shell { center: center.unwrap_or_default(), reach: [least, most], turn })
        }
        _ => {
            let remedy =
                "give low = [x, y, z] and high = [x, y, z], or reach = [least, most] and perhaps center";
            Err(table.error("no box and no shell from which poses are drawn", remedy))
        }
    }
}

fn deviations(table: &mut Table<'_>) -> Result<Vec<Deviation>, PlanError> {
    let mut all = Vec::new();
    for mut part in table.tables("part")? {
        let names = part.text("name")?.unwrap_or_else(|| "*".to_owned());
        let shift = part.vector("shift")?.unwrap_or_default();
        let turn = part.vector("turn_deg")?.unwrap_or_default();
        let spreads = [("uniform", Spread::Uniform), ("normal", Spread::Normal)];
        let spread = part.one_of("spread", &spreads)?.unwrap_or(Spread::Uniform);
        if !(shift.cmpge(DVec3::ZERO).all() && turn.cmpge(DVec3::ZERO).all()) {
            return Err(part.error("a tolerance is negative", "give lengths and angles of at least 0"));
        }
        part.finish()?;
        all.push(Deviation { names, shift, turn_rad: turn.map(f64::to_radians), spread });
    }
    if all.is_empty() {
        let remedy = "add [[draw.part]] with name = \"*\" and shift = [0.1, 0.1, 0.1]";
        return Err(table.error("nothing deviates", remedy));
    }
    Ok(all)
}
