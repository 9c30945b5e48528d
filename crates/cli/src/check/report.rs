//! Text output of a check.

use super::{Checked, results};
use crate::output::{self, Table, plural};
use anyhow::Result;
use noli::world::PairStatus;
use noli_ask::Touching;
use noli_formats::closing_weld_length;
use noli_geom::SolidFlaw;
use noli_pages::words::{clearance, depth, interference, place, relation, status, tolerance};
use noli_project::report::{MethodReport, PairReport, WhichInside};
use noli_project::{StagedBody, TakeAs};
use std::fmt::Write as _;

/// Columns that a name should have before places are left out.
const NAME_WIDTH: usize = 24;

/// Depth relative to the largest body that single precision and decimals of files explain.
const ROUNDOFF: f64 = 1e-7;

pub(super) fn print(checked: &Checked<'_>) -> Result<()> {
    output::warn_all(&checked.pairs.report.warnings);
    let table = match (shown(checked).next(), checked.pairs.report.pairs.first()) {
        (Some(_), _) => colour(&fitted(checked).to_string(), checked),
        (None, Some(_)) => String::new(),
        (None, None) => "All pairs are separated by their boxes; --all lists their clearances.\n".to_owned(),
    };
    let method = checked.pairs.report.method.as_ref().map_or(String::new(), method_text);
    let (bodies, rest) = (bodies_line(checked) + &lengths_line(checked)? + "\n", cut_rows(checked));
    let life = results::lines(&checked.pairs.report);
    let life = if life.is_empty() { life } else { format!("\n{life}") };
    let hint = roundoff_hint(checked);
    output::print(&format!("{bodies}{table}{rest}{hint}{method}{life}{}\n", summary(checked)))
}

/// Faces that coincide by design intersect by the rounding of their coordinates: names the tolerance that permits it.
fn roundoff_hint(checked: &Checked<'_>) -> String {
    let boxes = checked.pairs.opened.staged.bodies.iter().map(|body| body.look.aabb().size().max_element());
    let size = boxes.fold(0.0, f64::max);
    let (report, permitted) = (&checked.pairs.report, ROUNDOFF * size);
    let shallow = |pair: &&PairReport| {
        let depth = pair.depth.map(|depth| depth.at_most);
        let is_clash = pair.hit && pair.status() == PairStatus::Intersecting;
        is_clash && depth.is_some_and(|depth| depth <= permitted)
    };
    let count = report.pairs.iter().filter(shallow).count();
    if count == 0 || !permitted.is_normal() {
        return String::new();
    }
    let (power, unit) = (permitted.log10().ceil() as i32, report.units.map_or("", |units| units.sign()));
    format!(
        "{} as little as coordinates are rounded: --tolerance 1e{power}{unit} permits that\n",
        plural(count, "pair intersects", "pairs intersect")
    )
}

/// Verdicts and work of a published method.
fn method_text(report: &MethodReport) -> String {
    let counts = [
        (report.volumes, "volumes"),
        (report.voxel_pairs, "voxel pairs"),
        (report.planes, "planes"),
        (report.cells, "cells"),
        (report.face_pairs, "face pairs"),
        (report.exact_tests, "exact tests"),
    ];
    let told = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    format!(
        "\nby {} ({}): {} of {} pairs collide; prepared in {:.3} s, decided in {:.3} s on one thread\n  {}\n",
        report.name,
        report.guarantee.word(),
        report.hits,
        report.pairs,
        report.prepare_s,
        report.decide_s,
        told.collect::<Vec<_>>().join(", ")
    )
}

/// Formats the number of bodies and their interpretation.
fn bodies_line(checked: &Checked<'_>) -> String {
    let (bodies, report) = (&checked.pairs.opened.staged.bodies, &checked.pairs.report);
    let solids = bodies.iter().filter(|body| body.is_solid()).count();
    let guessed =
        checked.arguments.question.subject.kind == TakeAs::Auto && bodies.iter().any(|body| !body.said);
    let true_shapes = match bodies.iter().filter(|body| body.is_true_shape).count() {
        0 => String::new(),
        count => format!(" and {}", plural(count, "exact shape", "exact shapes")),
    };
    let mut line = format!(
        "{}: {}, {} triangles{true_shapes}: {solids} as solids, {} as surfaces{}\n",
        report.source,
        plural(bodies.len(), "body", "bodies"),
        report.summary.triangles,
        bodies.len() - solids,
        if guessed { " (--as auto: closed meshes are solids)" } else { "" },
    );
    let open = |body: &&StagedBody| guessed && !body.said && !body.is_solid();
    let open: Vec<_> = bodies
        .iter()
        .filter(open)
        .filter_map(|body| Some((checked.pairs.opened.staged.name(body.id), body.flaw?, body)))
        .collect();
    for (name, flaw, body) in open.iter().take(5) {
        let remedy = match flaw {
            SolidFlaw::BorderEdges(_) => match closing_weld_length(&body.look) {
                Some(length) => format!("; its seams are nearly closed: --weld={length:e} closes them"),
                None => String::new(),
            },
            SolidFlaw::Sides => String::new(),
        };
        let _ = writeln!(line, "  {name} is a surface: {flaw}{remedy}");
    }
    if open.len() > 5 {
        let _ = writeln!(line, "  and {} more", plural(open.len() - 5, "surface", "surfaces"));
    }
    let permitted = tolerance(report);
    if !permitted.is_empty() {
        let _ = writeln!(line, "{permitted}");
    }
    line
}

/// Repeats the margin of the options in the unit of the files; empty without one.
fn lengths_line(checked: &Checked<'_>) -> Result<String> {
    let Some(margin) = checked.arguments.question.margin else { return Ok(String::new()) };
    let units = checked.pairs.report.units;
    let unit = units.map_or(String::new(), |unit| format!(" {}", unit.sign()));
    Ok(format!("margin {}{unit}\n", output::short(margin.of("margin", units)?)))
}

/// Returns the rows of the table: hits and undecided pairs, or all pairs if there are none or all were
/// requested.
fn listed<'a>(checked: &'a Checked<'_>) -> impl Iterator<Item = &'a PairReport> {
    // Contacts within tolerance are as designed, and a building has very many.
    let matters = |pair: &PairReport| match pair.status() {
        PairStatus::Separated => false,
        PairStatus::Touching => !pair.within_tolerance,
        _ => true,
    };
    let pairs = &checked.pairs.report.pairs;
    let everything = checked.arguments.question.all || !pairs.iter().any(matters);
    pairs.iter().filter(move |pair| everything || matters(pair))
}

fn shown<'a>(checked: &'a Checked<'_>) -> impl Iterator<Item = &'a PairReport> {
    listed(checked).take(checked.arguments.rows)
}

/// The table in the width of the terminal. Names are worth more than places, which every report has.
fn fitted(checked: &Checked<'_>) -> Table {
    let (names, width) = (1..3, output::width());
    let whole = table(checked, true);
    let is_tight = width.is_some_and(|width| whole.room(names.clone(), width) < 2 * NAME_WIDTH);
    let chosen = if is_tight { table(checked, false) } else { whole };
    chosen.fitted(names)
}

fn table(checked: &Checked<'_>, has_places: bool) -> Table {
    let unit = checked.pairs.report.units.map_or(String::new(), |unit| format!(" ({})", unit.sign()));
    // Bodies that meet have a depth, those apart a clearance; a column without either would only take room.
    let depths = shown(checked).any(|pair| pair.depth.is_some());
    let fits = shown(checked).any(PairReport::is_fit);
    let clearances = shown(checked).any(|pair| !pair.status().meets() && pair.clearance.at_most > 0.0);
    let header = ["relation".to_owned(), "A".to_owned(), "B".to_owned()];
    let header = header.into_iter().chain(depths.then(|| format!("depth{unit}")));
    let header = header.chain(fits.then(|| format!("interference{unit}")));
    let header = header.chain(clearances.then(|| format!("clearance{unit}")));
    let header = header.chain(has_places.then(|| "where".to_owned()));
    // Without anything from before, all clashes are new: then this says nothing.
    let is_compared = checked.pairs.report.against.is_some();
    let status = |pair: &PairReport| match status(pair) {
        "new" if !is_compared => "-",
        word => word,
    };
    let told = is_compared || shown(checked).any(|pair| status(pair) != "-");
    let mut table = Table::new(3, header.chain(told.then(|| "status".to_owned())));
    let sizes = checked.pairs.opened.staged.bodies.iter().map(|body| body.look.aabb().size().max_element());
    let size = sizes.fold(0.0, f64::max);
    for pair in shown(checked) {
        let cells = [stands(pair).to_owned(), pair.a.clone(), pair.b.clone()];
        let cells = cells.into_iter().chain(depths.then(|| depth(pair)));
        let cells = cells.chain(fits.then(|| interference(pair))).chain(clearances.then(|| clearance(pair)));
        let place = pair.place.map_or("-".to_owned(), |point| format!("({})", place(point, size)));
        table.row(cells.chain(has_places.then_some(place)).chain(told.then(|| status(pair).to_owned())));
    }
    table
}

/// Describes the rows omitted from the table and the smallest clearance among them.
fn cut_rows(checked: &Checked<'_>) -> String {
    let listed = listed(checked).count();
    let mut text = match listed.saturating_sub(checked.arguments.rows) {
        0 => String::new(),
        left => format!("and {} (--rows N shows more)\n", plural(left, "more row", "more rows")),
    };
    let pairs = &checked.pairs.report.pairs;
    if let Some(nearest) = pairs.iter().find(|pair| pair.status() == PairStatus::Separated)
        && listed < pairs.len()
    {
        let unit = checked.pairs.report.units.map_or(String::new(), |unit| format!(" {}", unit.sign()));
        let (a, b, clearance) = (&nearest.a, &nearest.b, clearance(nearest));
        let _ = writeln!(text, "nearest separated pair: {a} and {b}, {clearance}{unit} (--all lists them)");
    }
    text
}

/// The word for a pair; of one inside, which.
fn stands(pair: &PairReport) -> &'static str {
    match pair.which_inside {
        _ if pair.duplicate => relation(pair),
        Some(WhichInside::AInB) => "A in B",
        Some(WhichInside::BInA) => "B in A",
        Some(WhichInside::Same) => "same",
        Some(WhichInside::Parts) | None => relation(pair),
    }
}

/// Colours for each row by its verdict, where someone watches.
fn colour(table: &str, checked: &Checked<'_>) -> String {
    if !output::colourful() {
        return table.to_owned();
    }
    let codes = std::iter::once("1").chain(shown(checked).map(|pair| match pair.status() {
        _ if pair.within_tolerance => "33",
        PairStatus::Intersecting | PairStatus::Inside => "31",
        PairStatus::Touching | PairStatus::Closer => "33",
        PairStatus::Undecided => "35",
        PairStatus::Separated => "0",
    }));
    let codes: Vec<&str> = codes.collect();
    // Rows of a narrow terminal have several lines each.
    let lines = (table.lines().count() / codes.len()).max(1);
    let codes = codes.iter().flat_map(|code| std::iter::repeat_n(code, lines));
    table.lines().zip(codes).map(|(line, code)| format!("\x1b[{code}m{line}\x1b[0m\n")).collect()
}

/// Formats the number of pairs of each kind, and the cost.
pub(super) fn summary(checked: &Checked<'_>) -> String {
    let ignored = checked.arguments.question.touching == Touching::Ignore;
    noli_pages::words::summary(&checked.pairs.report, ignored, checked.took)
}
