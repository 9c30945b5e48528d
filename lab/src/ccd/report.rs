//! Summary of the answers to feature queries.

use super::measure::Tally;
use super::method::Answer;
use super::{Column, Plan};
use crate::measured::{Measured, Page, add_row};
use crate::record::Table;
use noli_geom::FeatureKind;
use serde::Serialize;

/// The width to which contacts are expected to be bracketed.
const WIDTH: f64 = 1.001e-6;

/// One method, and perhaps peers, on files of queries.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub method: &'static str,
    /// `"exact"`, `"conservative"` or `"approximate"`.
    pub guarantee: &'static str,
    /// As requested.
    pub tolerance: f64,
    /// As requested.
    pub margin: f64,
    /// Steps allowed for each query.
    pub budget: u32,
    /// Over all files.
    pub total: Figures,
    /// File by file.
    pub files: Vec<FileFigures>,
    /// Other engines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerFigures>,
    /// Remarks, such as missing peers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    failures: Vec<String>,
    /// Our answers, file by file.
    #[serde(skip)]
    answers: Vec<Vec<Answer>>,
}

/// One method of another engine.
#[derive(Clone, Debug, Serialize)]
pub struct PeerFigures {
    /// The engine and its method.
    pub method: String,
    /// Over all files.
    pub total: Figures,
    /// File by file.
    pub files: Vec<FileFigures>,
}

/// Results on the queries of one file.
#[derive(Clone, Debug, Serialize)]
pub struct FileFigures {
    /// The end of its path.
    pub file: String,
    /// `"vertex-face"` or `"edge-edge"`.
    pub kind: &'static str,
    /// The counts and times.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Counts and times of some queries.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    /// Actual count.
    pub queries: usize,
    /// Number of true contacts.
    pub contacts: usize,
    /// Contacts that were not found.
    pub misses: usize,
    /// Contacts that are none.
    pub false_alarms: usize,
    /// Contacts reported after they happened.
    pub late: usize,
    /// Contacts whose time is known to 1e-6.
    pub bracketed: usize,
    /// The widest bracket of a contact.
    pub widest_bracket: f64,
    /// Microseconds, the mean over queries.
    pub mean_us: f64,
    /// Microseconds, the median over queries.
    pub median_us: f64,
    /// Microseconds of the slowest query.
    pub max_us: f64,
}

impl From<&Tally> for Figures {
    fn from(tally: &Tally) -> Self {
        Self {
            queries: tally.queries(),
            contacts: tally.contacts(),
            misses: tally.misses(),
            false_alarms: tally.false_alarms(),
            late: tally.late(),
            bracketed: tally.bracketed(WIDTH),
            widest_bracket: tally.widest(),
            mean_us: tally.mean(),
            median_us: tally.median(),
            max_us: tally.max(),
        }
    }
}

fn kind_name(kind: FeatureKind) -> &'static str {
    match kind {
        FeatureKind::VertexFace => "vertex-face",
        FeatureKind::EdgeEdge => "edge-edge",
    }
}

impl Report {
    pub(super) fn new(
        plan: &Plan,
        names: &[(String, FeatureKind)],
        ours: &[Tally],
        theirs: &[Column],
        notes: Vec<String>,
    ) -> Self {
        let total = total(ours);
        let must_not_miss = plan.method.guarantee() != "approximate";
        let missed = (total.misses > 0 && must_not_miss).then(|| {
            format!("{} contacts missed by a method that must not miss; please report the file", total.misses)
        });
        let peer = |column: &Column| PeerFigures {
            method: column.name.clone(),
            total: self::total(&column.files),
            files: files(names, &column.files),
        };
        Self {
            method: plan.method.name(),
            guarantee: plan.method.guarantee(),
            tolerance: plan.tolerance,
            margin: plan.margin,
            budget: plan.steps,
            total,
            files: files(names, ours),
            peers: theirs.iter().map(peer).collect(),
            notes,
            failures: missed.into_iter().collect(),
            answers: ours
                .iter()
                .map(|tally| tally.answers.iter().map(|asked| asked.answer).collect())
                .collect(),
        }
    }

    /// Our answer to every query, in the order of the files: `file,kind,query,contact,safe_until,touching_by`, queries
    /// numbered from 0. Times are from 0 to 1, empty without a contact.
    pub fn csv(&self) -> String {
        let mut text = "file,kind,query,contact,safe_until,touching_by\n".to_owned();
        for (file, answers) in self.files.iter().zip(&self.answers) {
            let name = if file.file.contains([',', '"', '\n']) {
                format!("\"{}\"", file.file.replace('"', "\"\""))
            } else {
                file.file.clone()
            };
            for (query, answer) in answers.iter().enumerate() {
                let times = if answer.hit {
                    format!("1,{},{}", answer.safe_until, answer.touching_by)
                } else {
                    "0,,".to_owned()
                };
                text += &format!("{name},{},{query},{times}\n", file.kind);
            }
        }
        text
    }
}

fn files(names: &[(String, FeatureKind)], tallies: &[Tally]) -> Vec<FileFigures> {
    let file = |((name, kind), tally): (&(String, FeatureKind), &Tally)| FileFigures {
        file: name.clone(),
        kind: kind_name(*kind),
        figures: tally.into(),
    };
    names.iter().zip(tallies).map(file).collect()
}

fn total(tallies: &[Tally]) -> Figures {
    (&Tally::merged(tallies)).into()
}

impl Measured for Report {
    fn page(&self) -> Page {
        let mut tables = vec![table(&format!("noli {}", self.method), &self.files, &self.total)];
        tables.extend(self.peers.iter().map(|peer| table(&peer.method, &peer.files, &peer.total)));
        let words = "bracketed: contacts whose time is known to 1e-6; late: reported after they happened";
        let notes = self.notes.iter().map(|note| format!("note: {note}"));
        Page {
            heading: String::new(),
            tables,
            remarks: [words.to_owned()].into_iter().chain(notes).collect(),
        }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}

fn table(engine: &str, files: &[FileFigures], total: &Figures) -> Table {
    let header = [
        engine,
        "queries",
        "contacts",
        "misses",
        "false alarms",
        "late",
        "bracketed",
        "widest",
        "mean µs",
        "median",
        "max",
    ];
    let mut table = Table::new("", header);
    files.iter().for_each(|file| add_row(&mut table, &file.file, cells(&file.figures)));
    if files.len() > 1 {
        add_row(&mut table, "total", cells(total));
    }
    table
}

fn cells(figures: &Figures) -> [String; 10] {
    [
        figures.queries.to_string(),
        figures.contacts.to_string(),
        figures.misses.to_string(),
        figures.false_alarms.to_string(),
        figures.late.to_string(),
        figures.bracketed.to_string(),
        format!("{:.1e}", figures.widest_bracket),
        short_time(figures.mean_us),
        short_time(figures.median_us),
        short_time(figures.max_us),
    ]
}

/// Microseconds with three digits or so.
fn short_time(micros: f64) -> String {
    if micros < 100.0 { format!("{micros:.2}") } else { format!("{micros:.0}") }
}
