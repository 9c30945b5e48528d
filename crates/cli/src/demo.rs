//! `noli demo`: four answers in a few seconds, and one page that shows them.

use crate::output::{self, Progress, plural, short};
use crate::robot::plan::{Limits, Task, cell_at_start, ends_in_cell, plan_page, search};
use anyhow::{Context, Result};
use noli::Model;
use noli::world::PassageOptions;
use noli_ask::{Check, CheckedPairs, Subject};
use noli_pages::{CheckPage, MOST_SEGMENTS, PageData, Up, words};
use noli_program::run::RunOptions;
use noli_project::RemovalTrial;
use noli_project::cell::{RunSource, open_bundled_cell, run_recording, run_report};
use noli_project::report::RemovalReport;
use noli_scenes::{engine_bay, engine_bay_removals};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Show what noli does, in a few seconds: clashes of an engine bay, a bulb on its removal path, a robot program stopped
/// before a collision, and a proven plan around it.
///
/// Writes one page to open in a browser. Everything shown is computed now, from scenes that come with the program.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The page to write; a file that is not a page of noli is not replaced.
    #[arg(long, value_name = "FILE", default_value = "noli-demo.html")]
    html: PathBuf,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Marks a page as ours in its first lines.
const MARK: &[u8] = b"<title>noli</title>";

/// One of the four answers.
struct Shown {
    heading: &'static str,
    /// Name of its chapter on the page.
    chapter: &'static str,
    answer: String,
    guarantee: &'static str,
    /// The command to go on with.
    command: &'static str,
    page: PageData,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    crate::on_threads(arguments.threads, || {
        let start = Instant::now();
        let progress = Progress::new(4);
        type Task = fn() -> Result<Shown>;
        let tasks: [(&str, Task); 4] =
            [("clashes", clashes), ("removal", removal), ("program", program), ("plan", plan)];
        let mut pages = Vec::new();
        for (number, (name, task)) in tasks.into_iter().enumerate() {
            progress.step(name);
            let mut shown = task()?;
            shown.page.title = shown.chapter.to_owned();
            output::print(&text(number + 1, &shown))?;
            pages.push(shown.page);
        }
        drop(progress);
        output::write_new(&arguments.html, noli_pages::html(&pages).as_bytes(), MARK)?;
        output::print(&format!(
            "All of it took {:.1} s. To look at it, open {} in a browser.\n",
            start.elapsed().as_secs_f64(),
            arguments.html.display()
        ))
    })
}

fn text(number: usize, shown: &Shown) -> String {
    let Shown { heading, answer, guarantee, command, .. } = shown;
    let mut text = format!("{number}. {heading}\n");
    for line in answer.lines() {
        let _ = writeln!(text, "   {line}");
    }
    text + &format!("   guarantee: {guarantee}\n   go on with: {command}\n\n")
}

/// The clashes of the engine bay.
fn clashes() -> Result<Shown> {
    let start = Instant::now();
    let question =
        Check { subject: Subject::bundled("engine-bay"), pictured: MOST_SEGMENTS, ..Check::default() };
    let CheckedPairs { opened, result, report, .. } =
        question.answer(&noli_ask::Context::default())?.into_pairs()?;
    let summary = words::summary(&report, false, start.elapsed());
    let page = CheckPage {
        staged: &opened.staged,
        result: &result,
        report: &report,
        summary: summary.trim(),
        up: Up::Z,
    };
    let page = noli_pages::check_page(&page).context("cannot write the page")?;
    let bodies = plural(report.summary.bodies, "part", "parts");
    let mut answer = format!(
        "{bodies}, {} triangles, {}: {} intersecting, {} inside another, {} touching\n",
        report.summary.triangles,
        plural(report.summary.pairs, "pair", "pairs"),
        report.summary.intersecting,
        report.summary.inside,
        report.summary.touching
    );
    let unit = opened.units.map_or("", |units| units.sign());
    for pair in report.pairs.iter().filter(|pair| pair.intersections.is_some_and(|count| count > 0)).take(2) {
        let _ = writeln!(answer, "{} and {} intersect, {} {unit} deep", pair.a, pair.b, words::depth(pair));
    }
    let guarantee = "exact: the verdicts are those of real arithmetic on the coordinates";
    let command = "noli check --demo";
    Ok(Shown { heading: "Clashes of an engine bay", chapter: "Clashes", answer, guarantee, command, page })
}

/// A bulb on its removal path out of the engine bay.
fn removal() -> Result<Shown> {
    let bay = engine_bay(2);
    let models: Vec<Model> = bay.parts.iter().map(|part| Model::from(&part.mesh)).collect();
    let removals = engine_bay_removals();
    let removal = removals.iter().find(|removal| removal.part == "headlight.bulb");
    let removal = removal.context("the engine bay has lost its bulb")?;
    let mut trial = RemovalTrial::new(&bay, &models, removal)?;
    let found = trial.world.path_clearance(trial.part, &trial.motion, &PassageOptions::default())?;
    let subject = (removal.name, removal.part, removal.without);
    let report = RemovalReport::new(subject, &trial.world, &*trial.motion, &found);
    let page = crate::play::trial_page(&trial, &found, &report)?;
    let tightest = report.tightest.as_ref().map_or(String::new(), |place| {
        format!(", tightest after {} mm to {}", short(place.travelled), place.to)
    });
    let answer = format!(
        "{} is removed after {}, along {} mm of path with at least {:.2} mm of clearance{tightest}\n",
        report.part,
        report.without.join(", "),
        short(report.path_length),
        (report.clearance_at_least * 100.0).floor() / 100.0
    );
    let guarantee = "proven collision-free at every moment of the path, not at samples";
    let command = "noli remove --demo auxiliary.cover --html removal.html";
    Ok(Shown { heading: "A bulb on its removal path", chapter: "Removal", answer, guarantee, command, page })
}

/// The cell with a post in the way.
const CELL: &str = "magazine-clash";

/// A program that would hit a post.
fn program() -> Result<Shown> {
    let cell = open_bundled_cell(CELL)?;
    let source = RunSource::of_cell(&cell)?;
    let options = RunOptions { on_contact: cell.on_contact, blend: cell.blend, ..RunOptions::default() };
    let run = noli_program::run::run(&cell.work, &source.programs, &source.main, &options)?;
    let report = run_report(&cell, &source, &run);
    let page = noli_pages::run_page(&cell, &report, &run_recording(&cell, &run, 25.0, 1000))?;
    let contact = report.contacts.first().context("the post has been moved out of the way")?;
    let answer = format!(
        "line {}, {}: {} would touch {}; the arm stops after {:.1} % of the motion, {} mm before contact\n",
        contact.line,
        contact.text.trim(),
        contact.links[0],
        contact.links[1],
        100.0 * contact.share[0],
        short(contact.clearance.at_most * 1e3)
    );
    let guarantee = "conservative: no contact is missed; a motion is driven as far as it is proven free";
    let command = "noli robot run --demo magazine-clash --html program.html";
    let heading = "A robot program stopped before a collision";
    Ok(Shown { heading, chapter: "Program", answer, guarantee, command, page })
}

/// A path for the same arm, past the post.
fn plan() -> Result<Shown> {
    let loaded = open_bundled_cell(CELL)?;
    let cell = cell_at_start(&loaded)?;
    let goal = "j1=-52deg,j2=-58deg,j3=205deg,j5=33deg,j6=-52deg";
    let ([start, goal], moving) = ends_in_cell(&loaded, &cell, "seguranca", goal)?;
    let (robot, others) = (&*loaded.work.robot, &loaded.work.others[..]);
    let task = Task {
        robot,
        cell: &cell,
        others,
        start,
        goals: vec![goal],
        moving,
        constraints: Vec::new(),
        warnings: Vec::new(),
    };
    let limits = Limits { steps: 200_000, seed: 1, time: Duration::from_secs(20), shorten: 300 };
    let (report, _) = search(task, limits)?;
    let page = plan_page(&cell, others, &report)?;
    let answer = format!("{}\n", crate::robot::plan::verdict(&report));
    let guarantee = "proven collision-free at every moment, on the true shapes";
    let command = "noli robot plan --demo --from j1=0 --to j1=90deg --html plan.html";
    Ok(Shown { heading: "A plan around the post", chapter: "Plan", answer, guarantee, command, page })
}
