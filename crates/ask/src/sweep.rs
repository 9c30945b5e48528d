//! First contacts of motions.

use crate::context::Context;
use crate::opened::Opened;
use crate::part::PartMotion;
use crate::{AskError, Subject, Touching};
use noli::world::{Step, StepOptions};
use noli_project::report::{Asked, NothingAsked, SweepReport, Verdict};
use serde::{Deserialize, Serialize};

/// The earliest impact of the motions of a scene, or of the motion of a part, with what touches, where and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "args", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sweep {
    #[allow(missing_docs, reason = "its fields are options of the question")]
    #[serde(flatten)]
    #[cfg_attr(feature = "args", arg(skip))]
    pub subject: Subject,
    #[allow(missing_docs, reason = "its fields are options of the question")]
    #[serde(flatten)]
    #[cfg_attr(feature = "args", arg(skip))]
    pub motion: PartMotion,
    /// Treatment of bodies that touch at the start. `ignore` leaves such pairs out, unless they pass through
    /// each other. If separation or sliding is not proven, they are tested at 64 moments only.
    #[cfg_attr(feature = "args", arg(long, value_enum, default_value_t = Touching::Report))]
    pub touching: Touching,
    /// Give up after so many steps of all pairs together; pairs are then undecided from the time they were
    /// followed to.
    #[cfg_attr(feature = "args", arg(long, value_name = "N"))]
    pub steps: Option<u64>,
}

/// Answer to [`Sweep`].
#[derive(Debug)]
pub struct SweepAnswer {
    /// What was moved.
    pub opened: Opened,
    /// The step of the engine over the whole motion.
    pub step: Step,
    /// The answer as plain data.
    pub report: SweepReport,
    /// Proof that a moving body was compared with something; the reason if none was.
    pub asked: Result<Asked, NothingAsked>,
}

impl SweepAnswer {
    /// Returns the verdict; an error if no moving body was compared with anything.
    pub fn verdict(&self) -> Result<Verdict, NothingAsked> {
        Ok(Verdict::new(self.report.outcome, self.asked.clone()?))
    }
}

impl Sweep {
    /// Opens the subject and follows its motions.
    pub fn answer(&self, context: &Context<'_>) -> Result<SweepAnswer, AskError> {
        let answer = self.about(self.subject.open(context)?, context)?;
        match &answer.asked {
            Ok(_) => Ok(answer),
            Err(nothing) => Err(answer.opened.nothing(nothing.clone())),
        }
    }

    /// Follows the motions of an opened scene. That nothing is in the way is part of the answer.
    pub fn about(&self, mut opened: Opened, context: &Context<'_>) -> Result<SweepAnswer, AskError> {
        opened.staged.refuse_open_solids()?;
        self.motion.apply(&mut opened)?;
        if opened.staged.moves.is_empty() {
            return Err(AskError::option(format!(
                "{}: nothing moves: add a [[motion]] to a scene, or name a part and its motion",
                opened.title
            )));
        }
        let _ = context.stage("following the motions");
        let budget = self.steps.map_or(context.budget, |steps| context.budget.steps(steps));
        let staged = &mut opened.staged;
        let surfaces = staged.curved_motion();
        let options = StepOptions { policy: &surfaces, budget, sleep: false, ..StepOptions::default() };
        let mut asked = staged.pairs_moved();
        let mut step = staged.world.plan(staged.moves.clone(), &options)?;
        let mut left_out = Vec::new();
        if self.touching == Touching::Ignore {
            left_out = staged.leave_out_touching(&step, &surfaces)?;
            if !left_out.is_empty() {
                asked = staged.pairs_moved();
                step = staged.world.plan(staged.moves.clone(), &options)?;
            }
        }
        let report =
            SweepReport::on_surfaces(&opened.title, staged, &step, &surfaces).with_left_out(left_out);
        Ok(SweepAnswer { opened, step, report, asked })
    }
}
