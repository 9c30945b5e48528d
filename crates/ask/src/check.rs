//! The relations of the bodies of an assembly.

use crate::context::Context;
use crate::opened::Opened;
use crate::pattern::{pair_of, selectors};
use crate::quantity::positive_length;
use crate::{AskError, Length, Subject};
use noli::Budget;
use noli::penetration::{PenetrationQuery, VolumeQuery};
use noli::world::{CheckOptions, CheckResult, Finding};
use noli_formats::bytes_of;
use noli_project::Check as SceneCheck;
use noli_project::clash::{ClashOptions, ClashResults, Excluded, Exclusion, Grouping, Tolerance};
use noli_project::report::{
    CheckReport, HealthReport, MethodReport, NothingAsked, Outcome, ReportOptions, Verdict,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Bodies that touch, intersect or contain each other, and the clearance of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "args", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    #[allow(missing_docs, reason = "its fields are options of the question")]
    #[serde(flatten)]
    #[cfg_attr(feature = "args", command(flatten))]
    pub subject: Subject,
    /// Bodies within this distance count as hits, in the unit of the files or the scene, or with its own, such as 2mm.
    /// Replaces the margin of a scene, but not those of its single pairs.
    #[cfg_attr(feature = "args", arg(long, value_name = "LENGTH", value_parser = crate::quantity::length, allow_hyphen_values = true))]
    pub margin: Option<Length>,
    /// Allowed penetration depth: pairs proven no deeper are listed and counted as within tolerance, not as hits.
    /// In the unit of the files or the scene; replaces the tolerance of a scene, but not those of its single pairs.
    /// By default 0 for meshes and for pairs decided on curved surfaces, and the tessellation error of other STEP and IFC bodies.
    #[cfg_attr(feature = "args", arg(long, value_name = "LENGTH", value_parser = crate::quantity::length, allow_hyphen_values = true))]
    pub tolerance: Option<Length>,
    /// Bodies that only touch: `report` counts them as hits, `ignore` does not.
    #[cfg_attr(feature = "args", arg(long, value_enum, default_value_t = Touching::Report))]
    pub touching: Touching,
    /// Report on intersecting faces: their number, the number and every segment, one point, or nothing.
    #[cfg_attr(feature = "args", arg(long, value_name = "WHICH", value_enum, default_value_t = Intersections::Count))]
    pub intersections: Intersections,
    /// Segments listed of each pair; by default as `intersections` says.
    #[cfg_attr(feature = "args", arg(skip))]
    pub segments: Option<usize>,
    /// Only pairs with a body that matches PATTERN, or `A,B`: pairs of an A with a B. `*` matches any
    /// characters. Repeatable.
    #[cfg_attr(feature = "args", arg(long, value_name = "PATTERN"))]
    pub only: Vec<String>,
    /// Leave out such pairs; written like --only. Repeatable.
    #[cfg_attr(feature = "args", arg(long, value_name = "PATTERN"))]
    pub skip: Vec<String>,
    /// Clashes by design: such pairs are found, listed and counted, but not as hits; written like --only.
    /// Repeatable.
    #[cfg_attr(feature = "args", arg(long, value_name = "PATTERN"))]
    pub exclude: Vec<String>,
    /// Statuses of clashes (new, active, reviewed, approved, resolved), notes and groups of earlier checks. The program keeps
    /// them in this file from one check to the next. Approved clashes are not hits while they stay unchanged.
    #[cfg_attr(feature = "args", arg(long, value_name = "FILE"))]
    pub results: Option<PathBuf>,
    /// Report clashes as new, persisting or gone since an earlier check: its --results, or its --json.
    #[cfg_attr(feature = "args", arg(long, value_name = "FILE"))]
    pub against: Option<PathBuf>,
    /// Grouping of clashes: `body`, by the body that most have in common; `near:LENGTH`, by position; `each`, none.
    #[cfg_attr(feature = "args", arg(long, value_name = "HOW", default_value = "body", value_parser = GroupBy::parse))]
    pub group: GroupBy,
    /// Compare the bodies of one file or folder with each other even when there are several.
    #[cfg_attr(feature = "args", arg(long))]
    pub within: bool,
    /// List every pair with its clearance, including distant ones.
    #[cfg_attr(feature = "args", arg(long))]
    pub all: bool,
    /// Narrow the brackets of penetration depth and common volume; may take seconds for each pair.
    #[cfg_attr(feature = "args", arg(long))]
    pub exact: bool,
    /// Measure the penetration depth and common volume of clashes.
    #[cfg_attr(feature = "args", arg(skip = true))]
    pub measure: bool,
    /// Give up on a pair after so many steps; it is then undecided.
    #[cfg_attr(feature = "args", arg(long, value_name = "N"))]
    pub steps: Option<u64>,
    /// Keep so many segments of intersecting faces of each pair, for pages and pictures.
    #[cfg_attr(feature = "args", arg(skip))]
    #[serde(skip)]
    pub pictured: usize,
}

impl Default for Check {
    fn default() -> Self {
        Self {
            subject: Subject::default(),
            margin: None,
            tolerance: None,
            touching: Touching::default(),
            intersections: Intersections::default(),
            segments: None,
            only: Vec::new(),
            skip: Vec::new(),
            exclude: Vec::new(),
            results: None,
            against: None,
            group: GroupBy::default(),
            within: false,
            all: false,
            exact: false,
            measure: true,
            steps: None,
            pictured: 0,
        }
    }
}

/// Treatment of bodies that only touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "args", derive(clap::ValueEnum))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Touching {
    /// They are hits.
    #[default]
    Report,
    /// They are listed, but not hits.
    Ignore,
}

/// What is reported on intersecting faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "args", derive(clap::ValueEnum))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Intersections {
    /// Their number.
    #[default]
    Count,
    /// Their number, and every segment.
    All,
    /// One point.
    First,
    /// Nothing.
    None,
}

/// Grouping of clashes: `body`, `each` or `near:LENGTH`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
pub enum GroupBy {
    /// By the body that most have in common.
    #[default]
    Body,
    /// Each for itself.
    Each,
    /// By position, within this distance.
    Near(Length),
}

impl GroupBy {
    /// Parses `body`, `each` or `near:LENGTH`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "body" => Ok(Self::Body),
            None if text == "each" => Ok(Self::Each),
            Some(("near", length)) => positive_length(length)
                .map(Self::Near)
                .map_err(|_| "give a length greater than 0, as in near:0.5 or near:20mm".to_owned()),
            _ => Err("clashes are grouped by `body`, `each` or `near:LENGTH`".to_owned()),
        }
    }
}

impl TryFrom<String> for GroupBy {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl From<GroupBy> for String {
    fn from(group: GroupBy) -> Self {
        match group {
            GroupBy::Body => "body".to_owned(),
            GroupBy::Each => "each".to_owned(),
            GroupBy::Near(length) => format!("near:{length}"),
        }
    }
}

/// Answer to [`Check`].
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one to a question")]
pub enum CheckAnswer {
    /// The pairs of the bodies.
    Pairs(CheckedPairs),
    /// The health of a single mesh, which has nothing to collide with.
    Mesh(Opened, HealthReport),
}

/// The compared pairs of a scene.
#[derive(Debug)]
pub struct CheckedPairs {
    /// What was compared.
    pub opened: Opened,
    /// The findings of the engine. The pairs of the report are these, in order, and those that only curved surfaces find.
    pub result: CheckResult,
    /// The answer as plain data: relations, hits, clashes.
    pub report: CheckReport,
    /// Statuses of clashes, as the results file had them.
    pub results: Option<ClashResults>,
    /// The earlier check that this one is compared with.
    pub against: Option<ClashResults>,
}

impl CheckAnswer {
    /// Returns the pairs; `None` for a single mesh.
    pub fn pairs(&self) -> Option<&CheckedPairs> {
        match self {
            Self::Pairs(pairs) => Some(pairs),
            Self::Mesh(..) => None,
        }
    }

    /// Returns the pairs; the error that nothing is compared for a single mesh.
    pub fn into_pairs(self) -> Result<CheckedPairs, AskError> {
        match self {
            Self::Pairs(pairs) => Ok(pairs),
            Self::Mesh(opened, health) => Err(opened.nothing(NothingAsked::OneBody(health.body))),
        }
    }
}

impl CheckedPairs {
    /// Returns the verdict, with the number of pairs that were asked about.
    pub fn verdict(&self) -> Result<Verdict, NothingAsked> {
        let asked = self.opened.staged.pairs_asked()?;
        Ok(Verdict::new(self.report.outcome, asked))
    }

    /// Returns the outcome.
    pub fn outcome(&self) -> Outcome {
        self.report.outcome
    }

    /// Returns the statuses of clashes after this check, to be kept for the next one.
    pub fn after(&self) -> ClashResults {
        ClashResults::after(&self.report, self.results.as_ref().or(self.against.as_ref()))
    }
}

/// Most pairs whose clearances are computed although all are separated by their boxes.
const FEW_PAIRS: usize = 1000;

impl Check {
    /// Opens the subject and compares its bodies.
    pub fn answer(&self, context: &Context<'_>) -> Result<CheckAnswer, AskError> {
        self.about(self.subject.open(context)?, context)
    }

    /// Compares the bodies of an opened scene. The question's subject is not read; whatever it says is done.
    pub fn about(&self, opened: Opened, context: &Context<'_>) -> Result<CheckAnswer, AskError> {
        let Opened { title, units, staged, .. } = &opened;
        if let Some(health) = HealthReport::new(staged, title, *units, self.budget(context)) {
            if let Some(pattern) = self.only.first().or(self.skip.first()) {
                let only = &health.body;
                return Err(AskError::option(format!(
                    "{only} is the only body: there is no pair for {pattern:?}; add another file"
                )));
            }
            return Ok(CheckAnswer::Mesh(opened, health));
        }
        let mut opened = opened;
        self.choose_pairs(&mut opened)?;
        if let Err(nothing) = opened.staged.pairs_asked() {
            return Err(opened.nothing(nothing));
        }
        self.compare_chosen(opened, context).map(CheckAnswer::Pairs)
    }

    /// Compares the bodies of an opened scene, of which there may be none or one, as in the studio.
    pub fn compare(&self, mut opened: Opened, context: &Context<'_>) -> Result<CheckedPairs, AskError> {
        self.choose_pairs(&mut opened)?;
        self.compare_chosen(opened, context)
    }

    fn compare_chosen(&self, opened: Opened, context: &Context<'_>) -> Result<CheckedPairs, AskError> {
        let counting = self.counting(&opened)?;
        let (mut result, method) = self.find(&opened, context)?;
        let Opened { title, units, check, staged, .. } = &opened;
        // Copies at one place come first: they are mostly a mistake of another kind.
        let is_copy = |finding: &Finding| finding.status.meets() && staged.is_duplicate(finding.pair);
        result.findings.sort_by_cached_key(|finding| !is_copy(finding));
        let budget = self.budget(context);
        let options = ReportOptions { source: title, units: *units, segments: self.segments(), budget };
        let mut report = CheckReport::new(staged, &result, &options, &counting.options(check, budget));
        report.method = method;
        if let (None, Some(named)) = (context.compare, &check.method) {
            report.warnings.push(format!("{title}: `noli-lab check` compares pairs by {}", named.name));
        }
        let Counting { results, against, .. } = counting;
        Ok(CheckedPairs { opened, result, report, results, against })
    }

    /// Applies margins and patterns of pairs to the rules of the world.
    fn choose_pairs(&self, opened: &mut Opened) -> Result<(), AskError> {
        let world = &mut opened.staged.world;
        let (skip, only) = (selectors(&self.skip, world)?, selectors(&self.only, world)?);
        let rules = world.rules_mut();
        if let Some(margin) = self.margin {
            rules.set_default_margin(margin.of("--margin", opened.units)?);
        }
        if !only.is_empty() {
            rules.keep_only(only);
        }
        skip.into_iter().for_each(|pair| rules.set(pair, false));
        // Several files are several assemblies, which are held against each other.
        if opened.assemblies > 1 && !self.within {
            rules.set_within_groups(false);
        }
        Ok(())
    }

    /// Compares the pairs; if nothing is near anything, the clearances are the answer.
    fn find(
        &self,
        opened: &Opened,
        context: &Context<'_>,
    ) -> Result<(CheckResult, Option<MethodReport>), AskError> {
        let Opened { staged, check, .. } = opened;
        let measured = self.measure || self.permits_depth(opened);
        let penetration = if self.exact { PenetrationQuery::THOROUGH } else { PenetrationQuery::FAST };
        let volume = if self.exact { VolumeQuery::THOROUGH } else { VolumeQuery::FAST };
        let progress = context.stage("comparing pairs");
        let find = |far: bool| {
            let options = CheckOptions {
                far,
                count: matches!(self.intersections, Intersections::Count | Intersections::All),
                place: self.intersections != Intersections::None || self.pictured > 0,
                keep: self.segments().max(self.pictured),
                penetration: measured.then_some(penetration),
                volume: self.measure.then_some(volume),
                budget: self.budget(context),
                progress: Some(&progress),
                ..CheckOptions::default()
            };
            match context.compare {
                Some(other) => {
                    other.compare(staged, &options, check.method.as_ref().map(|method| &*method.name))
                }
                None => Ok((staged.world.check(&options)?, None)),
            }
        };
        let found = find(self.all)?;
        let is_bare = found.0.findings.is_empty() && staged.world.pair_count() <= FEW_PAIRS;
        if is_bare && !self.all { find(true) } else { Ok(found) }
    }

    /// Returns `true` if an overlap may be permitted, which takes its depth.
    fn permits_depth(&self, opened: &Opened) -> bool {
        let Opened { check, staged, .. } = opened;
        let is_uncertain = staged.bodies.iter().any(|body| body.origin.uncertainty > 0.0);
        let tolerance = self.tolerance.map(Length::value).or(check.tolerance);
        tolerance.map_or(is_uncertain, |tolerance| tolerance > 0.0) || !check.tolerances.is_empty()
    }

    fn counting(&self, opened: &Opened) -> Result<Counting, AskError> {
        let mut exclusions = opened.check.exclusions.clone();
        for text in &self.exclude {
            let of = Excluded::Pair(pair_of(text, &opened.staged.world)?);
            exclusions.push(Exclusion { of, kinds: Vec::new(), reason: "--exclude".to_owned() });
        }
        let units = opened.units;
        let tolerance = self.tolerance.map(|length| length.of("--tolerance", units)).transpose()?;
        Ok(Counting {
            ignores_touching: self.touching == Touching::Ignore,
            exclusions,
            tolerance: tolerance.or(opened.check.tolerance),
            grouping: match self.group {
                GroupBy::Body => Grouping::Body,
                GroupBy::Each => Grouping::Each,
                GroupBy::Near(length) => Grouping::Near(length.of("--group near:", units)?),
            },
            // A results file need not be there yet; what is compared with must be.
            results: self.results.as_deref().filter(|path| path.exists()).map(results_of).transpose()?,
            against: self.against.as_deref().map(results_of).transpose()?,
        })
    }

    /// Returns the number of segments reported for each pair.
    fn segments(&self) -> usize {
        let by_default = match self.intersections {
            Intersections::All => usize::MAX,
            Intersections::First => 1,
            Intersections::Count | Intersections::None => 0,
        };
        self.segments.unwrap_or(by_default)
    }

    fn budget<'b>(&self, context: &Context<'b>) -> Budget<'b> {
        self.steps.map_or(context.budget, |steps| context.budget.steps(steps))
    }
}

/// What counts as a hit, besides relations and margins.
struct Counting {
    ignores_touching: bool,
    exclusions: Vec<Exclusion>,
    tolerance: Option<f64>,
    grouping: Grouping,
    results: Option<ClashResults>,
    against: Option<ClashResults>,
}

impl Counting {
    fn options<'c>(&'c self, scene: &'c SceneCheck, budget: Budget<'c>) -> ClashOptions<'c> {
        ClashOptions {
            ignores_touching: self.ignores_touching,
            exclusions: &self.exclusions,
            tolerance: Tolerance { all: self.tolerance, some: &scene.tolerances },
            groups: &scene.clash_groups,
            grouping: self.grouping,
            // Without a file of its own, a check goes on where the one that it is compared with ended.
            results: self.results.as_ref().or(self.against.as_ref()),
            against: self.against.as_ref(),
            budget,
        }
    }
}

fn results_of(path: &Path) -> Result<ClashResults, AskError> {
    let bytes = bytes_of(path).map_err(|error| error.in_file(path))?;
    Ok(ClashResults::from_json(&bytes).map_err(|error| error.in_file(path))?)
}
