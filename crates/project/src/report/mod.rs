//! Typed reports for other programs, written as JSON and read back.
//!
//! Fields may be added; none changes its meaning. Readers skip unknown fields and reject unknown words.
//! `docs/command-line.md` describes every field. Lengths are in the unit named by the report.

pub(crate) mod check;
mod check_table;
pub(crate) mod clash;
pub(crate) mod csv;
pub(crate) mod curved_motion;
mod curved_removal;
mod decompose;
mod health;
pub(crate) mod impact;
pub(crate) mod json;
pub(crate) mod outcome;
pub(crate) mod pair;
mod remove;
pub(crate) mod robot;
mod robot_states;
pub(crate) mod run;
pub(crate) mod several;
mod study;
mod sweep;
pub(crate) mod tessellation;
mod verdict;

pub use check::{
    BodyReport, CheckReport, CheckSummary, MethodReport, ReportOptions, TakenAs, ToleranceBy, ToleranceReport,
};
pub use curved_motion::CurvedMotion;
pub use curved_removal::SurfaceRemoval;
pub use decompose::{
    DecomposeError, DecomposeReport, DecomposeSummary, ErrorReport, PieceReport, SolidReport,
};
pub use health::HealthReport;
pub use impact::{AfterStart, FeatureName, ImpactKind, ImpactReport, TouchFeatures};
pub use outcome::Outcome;
pub use pair::{
    ClearanceReport, CurvedReport, DepthReport, InterferenceReport, IntersectionReport, PairRelation,
    PairReport, Trust, VolumeReport, WhichInside,
};
pub use remove::{
    BlockReport, CurvePoint, DisassemblyReport, LockedReport, ModeReport, RemovalStudy, RemoveReport,
    RemoveSubject, RemoveVerdict, ScenesStudy, StepReport, TightestReport, TurnReport,
};
pub use robot::{
    AssumedRange, DisabledReport, IkSolution, JointReport, LimitReport, LinkClearance, LinkReport,
    ProvenPair, ReachabilityReport, ReachabilityWord, RobotCheckReport, RobotCheckSummary, RobotIkReport,
    RobotInfoReport, RobotLimitsReport, RobotPairsReport, RobotSubject, StateReport,
};
pub use robot_states::check_states;
pub use run::{
    FramesReport, InstructionReport, PartReport, RunClearance, RunContactReport, RunFailure, RunOutcome,
    RunReport, ShownReport, SignalReport,
};
pub use several::{
    AsTimedReport, CoordinatedPairReport, CoordinatedRobotReport, CoordinationReport, SetterReport,
    StuckReport, TimedCollisionReport, TogetherCollisionReport, TogetherReport, WaitReport, ZoneReport,
};
pub use study::{RemovalReport, RemovalVerdict, Station, StudyReport};
pub use sweep::{LeftOut, SweepReport};
pub use tessellation::TessellationReport;
pub use verdict::{Asked, NothingAsked, Verdict};
