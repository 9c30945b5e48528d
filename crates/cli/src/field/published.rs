//! `noli field --method`: the searches that were published before the guaranteed one.

use super::input::Object;
use crate::output::{print, print_json};
use crate::{Outcome, Verdict};
use anyhow::{Result, bail, ensure};
use clap::ValueEnum;
use noli::Shape;
use noli_classics::fields::{SobolQuery, sobol_search, sobol_search_as_published};
use noli_io::report::Asked;

/// How a common point is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    /// space is cut until the answer is proven
    #[default]
    Guaranteed,
    /// approximate: quasi-random starts, each searched along a spiral (Savchenko and Pasko)
    Published,
    /// approximate: quasi-random points, those that promise most searched along the axes
    Sampled,
}

/// Look for a common point of two formulas; finding none proves nothing.
pub(super) fn run(
    a: &Object,
    b: &Object,
    method: Method,
    starts: u64,
    json: bool,
) -> Result<Option<Verdict>> {
    let (Shape::Field(x), Shape::Field(y)) = (&a.shape, &b.shape) else {
        bail!("the published searches are for two formulas; leave --method out for meshes");
    };
    ensure!(
        a.is_bounded() && b.is_bounded(),
        "the published searches need objects that end; cut them off with --bounds x0,x1,y0,y1,z0,z1"
    );
    let query = SobolQuery { points: starts, ..SobolQuery::default() };
    let (x, y) = (x.at(a.pose), y.at(b.pose));
    let found = match method {
        Method::Sampled => sobol_search(&x, &y, &query),
        _ => sobol_search_as_published(&x, &y, &query),
    };
    let point = found.hit.map(|p| a.pose.transform_point(p));
    if json {
        print_json(&serde_json::json!({
            "method": method.to_possible_value().map(|value| value.get_name().to_owned()),
            "guarantee": "approximate",
            "overlap": if point.is_some() { "hit" } else { "unknown" },
            "point": point.map(|p| p.to_array()),
            "starts": found.starts,
            "values": found.points,
        }))?;
    } else {
        let text = match point {
            Some(p) => format!("they share a point near {:.9}, {:.9}, {:.9}", p.x, p.y, p.z),
            None => "no common point was found, which proves nothing".to_owned(),
        };
        print(&format!("{text} (approximate: {} starts, {} values)\n", found.starts, found.points))?;
    }
    let outcome = if point.is_some() { Outcome::Touching } else { Outcome::Undecided };
    Ok(Some(Verdict::new(outcome, Asked::new(1)?)))
}
