//! `noli-lab field`: published searches for a common point of two formulas.

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use noli::Shape;
use noli_classics::fields::{SobolQuery, sobol_search, sobol_search_as_published};
use noli_cli::field::Objects;
use noli_cli::output::{print, print_json};

/// Search a common point of two formulas as published; finding none proves nothing.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    objects: Objects,
    /// The search.
    #[arg(long, value_enum, default_value_t = Method::Published)]
    method: Method,
    /// Number of quasi-random starts.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    starts: u64,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// A search for a common point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// quasi-random starts, each searched along a spiral (Savchenko and Pasko)
    Published,
    /// quasi-random points, the most promising searched along the axes
    Sampled,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (a, b) = arguments.objects.read()?;
    let b = b.context("there is nothing to compare; give a second formula")?;
    let (Shape::Field(x), Shape::Field(y)) = (&a.shape, &b.shape) else {
        bail!("the published searches are for two formulas; `noli field` takes meshes");
    };
    ensure!(
        a.is_bounded() && b.is_bounded(),
        "the published searches need objects that end; cut them off with --bounds x0,x1,y0,y1,z0,z1"
    );
    let query = SobolQuery { points: arguments.starts, ..SobolQuery::default() };
    let (x, y) = (x.at(a.pose), y.at(b.pose));
    let found = match arguments.method {
        Method::Sampled => sobol_search(&x, &y, &query),
        Method::Published => sobol_search_as_published(&x, &y, &query),
    };
    let point = found.hit.map(|p| a.pose.transform_point(p));
    if arguments.json {
        print_json(&serde_json::json!({
            "method": arguments.method.to_possible_value().map(|value| value.get_name().to_owned()),
            "guarantee": "approximate",
            "overlap": if point.is_some() { "hit" } else { "unknown" },
            "point": point.map(|p| p.to_array()),
            "starts": found.starts,
            "values": found.points,
        }))
    } else {
        let text = match point {
            Some(p) => format!("they share a point near {:.9}, {:.9}, {:.9}", p.x, p.y, p.z),
            None => "no common point was found, which proves nothing".to_owned(),
        };
        print(&format!("{text} (approximate: {} starts, {} values)\n", found.starts, found.points))
    }
}
