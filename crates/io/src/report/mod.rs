//! What programs are told: typed reports that are written as JSON and read back.
//!
//! Fields may be added, none changes its meaning: readers leave out fields that they do not know, and refuse
//! words that they do not know. `docs/command-line.md` describes every field. Lengths are in the unit that
//! the report names.

mod check;
mod decompose;
mod health;
mod impact;
mod remove;
mod robot;
mod run;
mod study;
mod sweep;
mod verdict;

pub use check::{
    BodyReport, CheckReport, CheckSummary, CrossingReport, DepthReport, GapReport, MethodReport,
    PairRelation, PairReport, ReportOptions, TakenAs, Trust, VolumeReport, WhichInside,
};
pub use decompose::{
    DecomposeError, DecomposeReport, DecomposeSummary, ErrorReport, PieceReport, SolidReport,
};
pub use health::HealthReport;
pub use impact::{AfterStart, FeatureName, ImpactKind, ImpactReport, TouchFeatures};
pub use remove::{
    BlockReport, CurvePoint, DisassemblyReport, LockedReport, ModeReport, RemovalStudy, RemoveReport,
    RemoveSubject, RemoveVerdict, ScenesStudy, StepReport, TightestReport, TurnReport, pose_array,
};
pub use robot::{
    DisabledReport, IkSolution, JointReport, LimitReport, LinkGap, LinkReport, MeetingReport, MeetingWord,
    ProvenPair, RobotCheckReport, RobotCheckSummary, RobotIkReport, RobotInfoReport, RobotLimitsReport,
    RobotPairsReport, RobotSubject, StateReport,
};
pub use run::{
    FramesReport, InstructionReport, PartReport, RunContactReport, RunFailure, RunGap, RunReport,
    ShownReport, SignalReport,
};
pub use study::{RemovalReport, RemovalVerdict, Station, StudyReport};
pub use sweep::{LeftOut, SweepReport};
pub use verdict::{Asked, NothingAsked, Verdict};

use serde::{Deserialize, Serialize};

/// What a report comes to: the exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing touches.
    Free,
    /// Something touches, or is closer than the margin.
    Touching,
    /// The budget did not suffice, and nothing was found to touch.
    Undecided,
}

/// Fields that were added later are left out where they say nothing, so that older reports are written as they were.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Numbers that may be without end: JSON has no infinity, so it is written as `null`.
pub(crate) mod open {
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
    pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if number.is_finite() { serializer.serialize_f64(*number) } else { serializer.serialize_none() }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}

/// A line of comma-separated values (RFC 4180), with its line break.
pub(crate) fn csv_line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let cell = |text: &str| {
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    cells.into_iter().map(cell).collect::<Vec<_>>().join(",") + "\n"
}
