//! Clash results kept between checks: a JSON file that users may edit.

use crate::data::clash::{ClashKind, ClashStatus};
use crate::report::check::CheckReport;
use crate::report::csv::csv_line;
use crate::report::pair::PairReport;
use crate::stage::body_identity::clash_id;
use noli_formats::{FileError, Place, Units, without_byte_order_mark};
use serde::{Deserialize, Serialize};

/// Format identifier of a results file.
const FORMAT: &str = "noli results";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;

/// All clashes ever found, with users' statuses and notes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClashResults {
    /// `noli results`.
    pub format: String,
    /// Of the format.
    pub version: u32,
    /// Source of the last check.
    pub source: String,
    /// Unit of lengths; `None` if the files do not define it.
    pub units: Option<Units>,
    /// The bodies as they were then.
    pub bodies: Vec<KnownBody>,
    /// The clashes, those that are gone included.
    pub clashes: Vec<KnownClash>,
}

/// A body as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownBody {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// Changes with its shape and its place.
    pub fingerprint: String,
}

/// A clash as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownClash {
    /// Its id, which stays for ever.
    pub id: String,
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// The ids of both.
    pub bodies: [String; 2],
    /// The fingerprints of both when it was last seen.
    pub fingerprints: [String; 2],
    /// Kind of the clash.
    pub kind: ClashKind,
    /// Its group.
    pub group: Option<String>,
    /// Its status. Users may edit it here.
    pub status: ClashStatus,
    /// Users' note.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// `true` if it was approved or gone, and no longer is.
    #[serde(default, skip_serializing_if = "crate::report::json::is_default")]
    pub reopened: bool,
    /// Place of the collision.
    #[serde(rename = "where")]
    pub place: Option<[f64; 3]>,
}

impl KnownClash {
    /// The id that its bodies would give it.
    pub(super) fn key(&self) -> String {
        clash_id(&self.bodies[0], &self.bodies[1])
    }

    /// Its fingerprints, in an order of their own.
    pub(super) fn prints(&self) -> [&str; 2] {
        sorted([&self.fingerprints[0], &self.fingerprints[1]])
    }
}

pub(super) fn sorted([a, b]: [&str; 2]) -> [&str; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

impl ClashResults {
    /// Reads a results file, or the JSON report of a check.
    pub fn from_json(bytes: &[u8]) -> Result<Self, FileError> {
        let wrong = |error: serde_json::Error| {
            let place = if error.line() > 0 { Place::Line(error.line()) } else { Place::Whole };
            let remedy = "give a file of `noli check --results`, or of `noli check --json`";
            FileError::new(place, format!("this is neither results nor a report: {error}"), remedy)
        };
        /// Header that tags the format.
        #[derive(Deserialize)]
        struct Head {
            #[serde(default)]
            format: Option<String>,
            #[serde(default)]
            version: Option<u32>,
        }
        let bytes = without_byte_order_mark(bytes);
        let head: Head = serde_json::from_slice(bytes).map_err(wrong)?;
        match (head.format.as_deref(), head.version) {
            (Some(FORMAT), Some(version)) if version > VERSION => {
                let reason = format!("these results are of version {version}, and {VERSION} is known here");
                Err(FileError::new(Place::Whole, reason, "use a newer noli"))
            }
            (Some(FORMAT), _) => serde_json::from_slice(bytes).map_err(wrong),
            _ => {
                let report: CheckReport = serde_json::from_slice(bytes).map_err(wrong)?;
                if report.bodies.iter().any(|body| body.id.is_empty()) {
                    let reason = "this report has no ids: it was written by an older noli";
                    return Err(FileError::new(Place::Whole, reason, "check the old state again"));
                }
                Ok(Self::of_report(&report))
            }
        }
    }

    /// As text for a file.
    pub fn to_json(&self) -> String {
        // Plain data with names as keys: nothing in it can be refused.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// One line for each clash under a line of names.
    pub fn csv(&self) -> String {
        let mut text = "id,status,kind,group,a,b,note,x,y,z\n".to_owned();
        for clash in &self.clashes {
            let [x, y, z] =
                clash.place.map_or_else(Default::default, |place| place.map(|x| format!("{x:?}")));
            text += &csv_line([
                &clash.id,
                clash.status.word(),
                clash.kind.word(),
                clash.group.as_deref().unwrap_or_default(),
                &clash.a,
                &clash.b,
                &clash.note,
                &x,
                &y,
                &z,
            ]);
        }
        text
    }

    /// The clashes of a report.
    pub fn of_report(report: &CheckReport) -> Self {
        let bodies: Vec<KnownBody> = report
            .bodies
            .iter()
            .map(|body| KnownBody {
                name: body.name.clone(),
                id: body.id.clone(),
                fingerprint: body.fingerprint.clone(),
            })
            .collect();
        let by_name: std::collections::HashMap<&str, &KnownBody> =
            bodies.iter().map(|body| (body.name.as_str(), body)).collect();
        let clash = |pair: &PairReport| {
            let [a, b] = [&pair.a, &pair.b].map(|name| by_name.get(name.as_str()));
            let (a, b) = (a?, b?);
            Some(KnownClash {
                id: pair.id.clone(),
                a: pair.a.clone(),
                b: pair.b.clone(),
                bodies: [a.id.clone(), b.id.clone()],
                fingerprints: [a.fingerprint.clone(), b.fingerprint.clone()],
                kind: pair.kind?,
                group: pair.group.clone(),
                status: pair.status?,
                note: pair.note.clone(),
                reopened: pair.reopened,
                place: pair.place,
            })
        };
        let clashes = report.pairs.iter().filter_map(clash).collect();
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            source: report.source.clone(),
            units: report.units,
            bodies,
            clashes,
        }
    }

    /// Creates the results to keep after a check with these results: its clashes,
    /// and earlier ones that are gone or were not tested.
    pub fn after(report: &CheckReport, before: Option<&Self>) -> Self {
        let mut now = Self::of_report(report);
        let Some(before) = before else { return now };
        let (mut seen, mut gone): (std::collections::HashSet<&str>, std::collections::HashSet<&str>) =
            Default::default();
        seen.extend(report.pairs.iter().filter(|pair| pair.status.is_some()).map(|pair| pair.id.as_str()));
        gone.extend(report.resolved.iter().map(String::as_str));
        for clash in before.clashes.iter().filter(|clash| !seen.contains(clash.id.as_str())) {
            let mut kept = clash.clone();
            if gone.contains(clash.id.as_str()) {
                kept.status = ClashStatus::Resolved;
                kept.reopened = false;
            }
            now.clashes.push(kept);
        }
        now
    }

    /// Takes over what was decided in a file since it was read: statuses, notes and groups that differ, and clashes that
    /// were added. Returns their number.
    pub fn take_changes(&mut self, read: Option<&Self>, now: &Self) -> usize {
        let decided = |clash: &KnownClash| (clash.status, clash.note.clone(), clash.group.clone());
        let before: std::collections::HashMap<&str, &KnownClash> =
            read.into_iter().flat_map(|read| &read.clashes).map(|clash| (clash.id.as_str(), clash)).collect();
        let mut own: std::collections::HashMap<String, &mut KnownClash> =
            self.clashes.iter_mut().map(|clash| (clash.id.clone(), clash)).collect();
        let (mut added, mut count) = (Vec::new(), 0);
        for clash in &now.clashes {
            if before.get(clash.id.as_str()).is_some_and(|before| decided(before) == decided(clash)) {
                continue;
            }
            count = usize::saturating_add(count, 1);
            match own.get_mut(&clash.id) {
                Some(own) => (own.status, own.note, own.group) = decided(clash),
                None => added.push(clash.clone()),
            }
        }
        self.clashes.extend(added);
        count
    }
}
