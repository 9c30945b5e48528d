//! Cells in which the tool of a robot may be off its place.

use super::build::{CellError, next_number, try_planes};
use super::data::{BodyPair, PairRule, PartKind};
use super::filter::{Grouping, SphereFilter};
use super::{Cell, CellData};
use std::sync::OnceLock;

impl Cell {
    /// Returns the cell with room for a deviation of a robot's tool. A motion that is collision-free in it is so for every
    /// motion in which no point of the tool is farther than the deviation from its place, and all other bodies are where
    /// the motion has them.
    ///
    /// The [tool](Self::tool_parts) moves as one: pairs within it are as before. All its other pairs have the deviation added
    /// to their margins. Pairs keep their numbers.
    ///
    /// ```
    /// use noli_robot::cell::{CellBuilder, StateStatus};
    /// use noli_robot::{PumaSet, puma560};
    /// use noli::{Convex, Model, Pose};
    /// let robot = std::sync::Arc::new(puma560(PumaSet::FuGonzalezLee));
    /// let shapes = robot.shapes(|file| Err(file.to_owned()))?;
    /// let (tip, mut builder) = (robot.tip(), CellBuilder::default());
    /// let arm = builder.add_robot("", robot, Pose::IDENTITY, &shapes)?;
    /// builder.disable("link2", "link4", "intersect in this model")?;
    /// builder.disable("link4", "link6", "intersect in this model")?;
    /// let cell = builder.build();
    /// let wide = cell.with_tool_deviation([arm, tip], 0.5)?;
    /// assert_eq!(cell.checker().check_state(&[0.0; 6])?, StateStatus::Free);
    /// assert!(matches!(wide.checker().check_state(&[0.0; 6])?, StateStatus::Hit(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("tracking error", "tube", "Cartesian tolerance", "inflate"))]
    pub fn with_tool_deviation(&self, tool: [usize; 2], deviation: f64) -> Result<Self, CellError> {
        if !(deviation >= 0.0 && deviation.is_finite()) {
            return Err(CellError::Margin(deviation));
        }
        let parts = self.tool_parts(tool);
        let mut data: CellData = self.data.clone();
        for pair in &mut data.pairs {
            let [a, b] = pair.parts.map(|part| parts.contains(&part));
            if let PairRule::Checked { margin } = &mut pair.rule
                && a != b
            {
                *margin += deviation;
            }
        }
        for BodyPair { pair, margin, .. } in &mut data.on {
            if let PairRule::Checked { margin: wider } = data.pairs[*pair as usize].rule {
                *margin = wider;
            }
        }
        let mut filter = SphereFilter::new(&data, &data.on, Grouping::Parts);
        try_planes(&data, &mut filter);
        let (tables, faces) = (OnceLock::new(), self.faces.clone());
        Ok(Self { number: next_number(), data, filter, tables, faces })
    }

    /// Returns the parts of the tool of a robot by its number and a link: that link with those rigidly joined to it, all links
    /// behind them, and what they carry.
    pub fn tool_parts(&self, [arm, link]: [usize; 2]) -> Vec<usize> {
        let Some(robot) = self.data.arms.get(arm).map(|arm| &arm.robot) else { return Vec::new() };
        let base = robot.rigid_base(link);
        let behind = |mut at: usize| loop {
            if at == base {
                return true;
            }
            let Some(limb) = robot.limb_of(at) else { return false };
            at = limb.parent as usize;
        };
        let is_tool = |holder: PartKind| match holder {
            PartKind::Link { arm: own, link } | PartKind::Carried { arm: own, link } => {
                own == arm && behind(link)
            }
            PartKind::World => false,
        };
        (0..self.data.parts.len()).filter(|&part| is_tool(self.data.parts[part].holder)).collect()
    }
}
