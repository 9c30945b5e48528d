//! The smallest distance of all pairs in a configuration.

use super::Checker;
use super::data::BodyPair;
use crate::ConfigurationError;
use noli::QueryContext;
use noli::answer::{Bracket, Witness};
use noli::query::ClearanceQuery;

/// How close parts come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The smallest clearance of all pairs asked about: 0 where one meets, infinite if none is asked about. Margins
    /// are not taken off.
    pub clearance: Bracket,
    /// The pair that is that close; `None` if none is asked about.
    pub pair: Option<usize>,
    /// Its nearest points; `None` where it meets.
    pub witness: Option<Witness>,
}

impl Checker<'_> {
    /// The smallest clearance of all pairs asked about in a configuration, and where it is.
    pub fn clearance(&mut self, values: &[f64]) -> Result<Nearest, ConfigurationError> {
        self.nearest(values, &self.cell.data.on)
    }

    /// The same of those pairs alone, of the ones asked about, that are wanted.
    pub fn clearance_of(
        &mut self,
        values: &[f64],
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Nearest, ConfigurationError> {
        let on = self.cell.data.on.iter().filter(|pair| wanted(pair.pair as usize));
        self.nearest(values, &on.copied().collect::<Vec<_>>())
    }

    /// The smallest clearance of one pair, asked about or not.
    pub fn pair_clearance(&mut self, values: &[f64], pair: usize) -> Result<Nearest, ConfigurationError> {
        let pairs = self.cell.data.bodies_of(pair, 0.0);
        self.nearest(values, &pairs)
    }

    fn nearest(&mut self, values: &[f64], pairs: &[BodyPair]) -> Result<Nearest, ConfigurationError> {
        self.cell.check_values(values)?;
        self.pose_all(values);
        let mut best = Nearest { clearance: Bracket::INFINITE, pair: None, witness: None };
        let mut order: Vec<(f64, &BodyPair)> =
            pairs.iter().map(|pair| (self.cell.data.separation(pair, &self.links), pair)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut at_least = f64::INFINITY;
        for (least, pair) in order {
            if least > best.clearance.at_most {
                break;
            }
            let [a, b] = self.placed(pair);
            let query = ClearanceQuery { max_distance: best.clearance.at_most, ..ClearanceQuery::default() };
            let mut found = QueryContext::new(&mut self.scratch).clearance(&a, &b, &query);
            at_least = at_least.min(found.distance.at_least);
            self.widen_uncertain(pair, &mut found);
            if best.pair.is_none() || found.distance.at_most < best.clearance.at_most {
                best = Nearest {
                    clearance: found.distance,
                    pair: Some(pair.pair as usize),
                    witness: found.witness,
                };
            }
            if best.clearance.at_most == 0.0 {
                break;
            }
        }
        best.clearance.at_least = at_least.min(best.clearance.at_most);
        Ok(best)
    }
}
