//! Conversion of clashes to topics, and of users' comments back to clashes.

use super::archive::{Bcf, BcfVersion, Comment, Component, Topic, Viewpoint};
use super::snapshot::{COLOURS, Snapshot};
use crate::clash::ClashResults;
use crate::data::clash::{ClashKind, ClashStatus};
use crate::parallel::map;
use crate::report::check::CheckReport;
use crate::report::pair::PairReport;
use crate::stage::body_identity::{own_guid, uuid_of};
use crate::stage::scene::{Staged, StagedBody};
use noli::world::{CheckResult, Finding};
use noli_formats::Units;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

/// The words for statuses, as topics have them.
pub(super) const STATUSES: [&str; 5] = ["New", "Active", "Reviewed", "Approved", "Resolved"];
/// Name of this program.
const SYSTEM: &str = "noli";
/// Maximum viewpoints of a topic; its text lists the others.
const MOST_VIEWS: usize = 20;
/// Clashes that the text of a topic lists.
const MOST_LINES: usize = 200;
/// Maximum number of topics with a picture, the worst groups first; the others note its absence.
const MOST_PICTURES: usize = 500;
/// Characters of a group in a title.
const MOST_TITLE: usize = 100;

/// Options for writing topics.
#[derive(Clone, Copy, Debug)]
pub struct TopicOptions<'a> {
    /// The version of the format.
    pub version: BcfVersion,
    /// Author of the topics.
    pub author: &'a str,
    /// Date, as ISO 8601.
    pub date: &'a str,
    /// Includes a picture in the first viewpoint of each topic.
    pub pictures: bool,
}

/// Result of applying statuses from topics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Number of clashes with a changed status or note.
    pub changed: usize,
    /// Topics that are about none of the groups, by title.
    pub strange: Vec<String>,
    /// Words for statuses that are not known.
    pub unknown: Vec<String>,
}

/// Returns a short title for the group of a clash: names without GlobalId, file and storey.
fn title(group: &str, [a, b]: [&str; 2]) -> String {
    let text = match group {
        _ if group == a || group == b => short(group),
        _ if group == format!("{a} / {b}") => format!("{} / {}", short(a), short(b)),
        _ => group.to_owned(),
    };
    match text.char_indices().nth(MOST_TITLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns the last two parts of a path without the GlobalId: class and name of IFC elements.
fn short(name: &str) -> String {
    let parts: Vec<&str> = match own_guid(name) {
        Some(guid) => {
            let path = name.strip_suffix(guid).unwrap_or(name);
            path.trim_end_matches('/').split('/').collect()
        }
        None => name.split('/').collect(),
    };
    let last = parts.last_chunk::<2>().map_or(&parts[..], <[_; 2]>::as_slice);
    match last.join("/") {
        short if short.is_empty() => name.to_owned(),
        short => short,
    }
}

fn word(status: ClashStatus) -> &'static str {
    let [new, active, reviewed, approved, resolved] = STATUSES;
    match status {
        ClashStatus::New => new,
        ClashStatus::Active => active,
        ClashStatus::Reviewed => reviewed,
        ClashStatus::Approved => approved,
        ClashStatus::Resolved => resolved,
    }
}

/// The status that a word of a topic means; the words of other programs are taken for the nearest of ours.
fn status_of(word: &str) -> Option<ClashStatus> {
    ClashStatus::from_word(word).or_else(|| match word.trim().to_ascii_lowercase().as_str() {
        "open" | "in progress" | "inprogress" | "assigned" | "reopened" | "re-opened" => {
            Some(ClashStatus::Active)
        }
        "closed" | "done" | "fixed" => Some(ClashStatus::Resolved),
        "accepted" | "ignored" | "won't fix" => Some(ClashStatus::Approved),
        _ => None,
    })
}

impl Bcf {
    /// One topic for each group of a report that was settled, and for each group of `results` all of whose clashes are
    /// gone. Pairs that are so by design or within
    /// tolerance are left out. `result` is what the report was made of.
    pub fn of_check(
        (staged, result): (&Staged, &CheckResult),
        report: &CheckReport,
        results: Option<&ClashResults>,
        options: &TopicOptions<'_>,
    ) -> Self {
        let maker = Maker::new(staged, report, options);
        let findings = report.findings(staged, result);
        let mut groups: BTreeMap<&str, Vec<(&PairReport, &Finding)>> = BTreeMap::new();
        for (pair, finding) in report.pairs.iter().zip(findings.iter().map(|finding| &**finding)) {
            if pair.within_tolerance || pair.excluded_by.is_some() {
                continue;
            }
            if let (Some(group), Some(_)) = (&pair.group, pair.status) {
                groups.entry(group).or_default().push((pair, finding));
            }
        }
        let listed: Vec<(&str, Vec<(&PairReport, &Finding)>)> = groups.into_iter().collect();
        let worst = report.groups.iter().take(if options.pictures { MOST_PICTURES } else { 0 });
        let drawn: HashSet<&str> = worst.map(|group| group.name.as_str()).collect();
        let topic = |(name, clashes): &(&str, Vec<(&PairReport, &Finding)>)| {
            maker.topic(name, clashes, drawn.contains(name))
        };
        let mut topics = map(&listed, topic);
        let named: HashSet<&str> = listed.iter().map(|(name, _)| *name).collect();
        let mut gone: BTreeMap<&str, (String, Vec<String>)> = BTreeMap::new();
        for clash in results.iter().flat_map(|results| &results.clashes) {
            let Some(group) = clash.group.as_deref() else { continue };
            if clash.status == ClashStatus::Resolved && !named.contains(group) {
                let line = format!("{}: {} / {}  [{}]", clash.kind.word(), clash.a, clash.b, clash.id);
                let title = || (title(group, [&clash.a, &clash.b]), Vec::new());
                gone.entry(group).or_insert_with(title).1.push(line);
            }
        }
        for (group, (title, lines)) in gone {
            topics.push(Topic {
                title: format!("{title}: {} resolved", lines.len()),
                status: word(ClashStatus::Resolved).to_owned(),
                description: lines.join("\n"),
                ..maker.empty(group)
            });
        }
        topics.sort_by(|a, b| a.guid.cmp(&b.guid));
        Self { version: options.version, topics }
    }

    /// Applies statuses and comments from topics to results. A topic with the status of its group changes nothing;
    /// any other status applies to all clashes of the group. Comments by other authors become notes.
    pub fn take(&self, results: &mut ClashResults) -> Taken {
        let mut taken = Taken::default();
        let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, clash) in results.clashes.iter().enumerate() {
            if let Some(group) = &clash.group {
                groups.entry(uuid_of(&["noli group", group])).or_default().push(number);
            }
        }
        for topic in &self.topics {
            let Some(members) = groups.get(&topic.guid) else {
                taken.strange.push(topic.title.clone());
                continue;
            };
            let now = members.iter().filter_map(|&number| Some(results.clashes.get(number)?.status)).min();
            let said = status_of(&topic.status);
            if said.is_none() && !topic.status.is_empty() {
                taken.unknown.push(topic.status.clone());
            }
            let notes: Vec<String> = topic
                .comments
                .iter()
                .filter(|comment| comment.author != SYSTEM && !comment.text.trim().is_empty())
                .map(|comment| format!("{}: {}", comment.author, comment.text.trim()))
                .collect();
            for &number in members {
                let Some(clash) = results.clashes.get_mut(number) else { continue };
                let before = (clash.status, clash.note.clone());
                if said != now {
                    clash.status = said.unwrap_or(clash.status);
                }
                for note in notes.iter().filter(|note| !before.1.contains(note.as_str())) {
                    let between = if clash.note.is_empty() { "" } else { "\n" };
                    clash.note = format!("{}{between}{note}", clash.note);
                }
                let is_changed = before != (clash.status, clash.note.clone());
                taken.changed = taken.changed.saturating_add(usize::from(is_changed));
            }
        }
        taken
    }
}

/// Common data of all topics of a report.
struct Maker<'a> {
    staged: &'a Staged,
    ids: HashMap<&'a str, &'a str>,
    /// Names of the files of bodies.
    files: HashMap<&'a str, String>,
    options: &'a TopicOptions<'a>,
    /// Metres for each unit of the scene.
    metres: f64,
}

impl<'a> Maker<'a> {
    fn new(staged: &'a Staged, report: &'a CheckReport, options: &'a TopicOptions<'a>) -> Self {
        // Files that do not say their unit are taken for metres, the unit of the format.
        let metres = report.units.map_or(1.0, |units| units.convert(1.0, Units::Metre));
        let ids = report.bodies.iter().map(|body| (body.name.as_str(), body.id.as_str())).collect();
        let file = |body: &'a StagedBody| {
            let name = body.origin.file.as_ref()?.file_name()?.to_string_lossy().into_owned();
            Some((staged.name(body.id), name))
        };
        let files = staged.bodies.iter().filter_map(file).collect();
        Self { staged, ids, files, options, metres }
    }

    fn empty(&self, group: &str) -> Topic {
        Topic {
            guid: uuid_of(&["noli group", group]),
            kind: "Clash".to_owned(),
            created: self.options.date.to_owned(),
            author: self.options.author.to_owned(),
            ..Default::default()
        }
    }

    fn topic(&self, group: &str, clashes: &[(&PairReport, &Finding)], is_drawn: bool) -> Topic {
        let mut kinds: BTreeMap<_, usize> = BTreeMap::new();
        let mut status = ClashStatus::Resolved;
        for (pair, _) in clashes {
            let count = kinds.entry(pair.kind).or_default();
            *count = count.saturating_add(1);
            status = status.min(pair.status.unwrap_or(status));
        }
        let counts: Vec<String> = kinds
            .iter()
            .filter_map(|(kind, count)| Some(format!("{count} {}", kind.as_ref()?.word())))
            .collect();
        let mut description = String::new();
        for (pair, _) in clashes.iter().take(MOST_LINES) {
            let _ = writeln!(description, "{}", self.line(pair));
        }
        if let Some(more @ 1..) = clashes.len().checked_sub(MOST_LINES) {
            let _ = writeln!(description, "and {more} more");
        }
        if clashes.len() > MOST_VIEWS {
            let _ = writeln!(description, "viewpoints are given for the first {MOST_VIEWS}");
        }
        if self.options.pictures && !is_drawn {
            let _ = writeln!(description, "without a picture: the worst {MOST_PICTURES} topics have one");
        }
        let bodies = clashes.iter().flat_map(|(pair, _)| [pair.a.as_str(), pair.b.as_str()]);
        let files: BTreeSet<&String> = bodies.filter_map(|name| self.files.get(name)).collect();
        let title = clashes.first().map_or(String::new(), |(pair, _)| title(group, [&pair.a, &pair.b]));
        let mut topic = Topic {
            title: format!("{title}: {}", counts.join(", ")),
            files: files.into_iter().cloned().collect(),
            status: word(status).to_owned(),
            description: description.trim_end().to_owned(),
            labels: kinds.keys().filter_map(|kind| Some(kind.as_ref()?.word().to_owned())).collect(),
            ..self.empty(group)
        };
        for (number, (pair, finding)) in clashes.iter().take(MOST_VIEWS).enumerate() {
            let view = self.view(pair, finding, number == 0 && is_drawn);
            let note = if pair.note.is_empty() { String::new() } else { format!("\n{}", pair.note) };
            topic.comments.push(Comment {
                guid: uuid_of(&["noli comment", &pair.id]),
                date: self.options.date.to_owned(),
                author: SYSTEM.to_owned(),
                text: format!("{}{note}", self.line(pair)),
                viewpoint: Some(view.guid.clone()),
            });
            topic.viewpoints.push(view);
        }
        topic
    }

    /// A clash in a line.
    fn line(&self, pair: &PairReport) -> String {
        let kind = pair.kind.map_or("", |kind| kind.word());
        let place = pair.place.map_or(String::new(), |place| {
            let [x, y, z] = place.map(|x| x * self.metres);
            format!(" at ({x:.4}, {y:.4}, {z:.4}) m")
        });
        let length = |name: &str, [at_least, at_most]: [f64; 2]| {
            let [low, high] = [at_least, at_most].map(|x| format!("{:.4}", x * self.metres));
            match at_most.is_finite() {
                true if low == high => format!(", {name} {low} m"),
                true => format!(", {name} {low} to {high} m"),
                false => format!(", {name} at least {low} m"),
            }
        };
        let depth = pair.depth.map(|depth| length("depth", [depth.at_least, depth.at_most]));
        let fit = pair.interference.filter(|_| pair.is_fit());
        let fit = fit.map(|found| length("interference", [found.at_least, found.at_most]));
        let clearance = || length("clearance", [pair.clearance.at_least, pair.clearance.at_most]);
        let clearance = (pair.kind == Some(ClashKind::Clearance)).then(clearance);
        let numbers: String = [depth, fit, clearance].into_iter().flatten().collect();
        format!("{kind}: {} / {}{numbers}{place}  [{}]", pair.a, pair.b, pair.id)
    }

    fn component(&self, name: &str) -> Component {
        Component {
            // Several files may hold the same element; viewers tell them apart by the files of the topic.
            ifc_guid: own_guid(name).or(self.ids.get(name).copied()).unwrap_or_default().to_owned(),
            system: SYSTEM.to_owned(),
            name: name.to_owned(),
        }
    }

    fn view(&self, pair: &PairReport, finding: &Finding, is_drawn: bool) -> Viewpoint {
        let snapshot = Snapshot::of_finding(self.staged, finding, self.metres);
        let camera = snapshot.camera();
        let bodies = [&pair.a, &pair.b].map(|name| self.component(name));
        let hex = |colour: [u8; 3]| colour.iter().map(|channel| format!("{channel:02X}")).collect::<String>();
        Viewpoint {
            guid: uuid_of(&["noli view", &pair.id]),
            camera: Some(camera),
            selection: bodies.to_vec(),
            colours: COLOURS.iter().zip(&bodies).map(|(c, body)| (hex(*c), vec![body.clone()])).collect(),
            snapshot: is_drawn.then(|| snapshot.png()),
        }
    }
}
