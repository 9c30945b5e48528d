//! `cargo xtask test`: the steps, in order and side by side, and the time each took.

use crate::skips::Skips;
use crate::tests::{self, Tests};
use crate::{
    book, browser, cargo, floors, libraries, licences, npm, output_of, package, python, stranger, target,
    told, web, words, workspace,
};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// One step of `cargo xtask test`.
enum Step {
    /// A check of our own.
    Own(&'static str, fn() -> Result<String, String>),
    /// A command of cargo.
    Cargo {
        name: &'static str,
        arguments: &'static [&'static str],
        env: Option<(&'static str, &'static str)>,
    },
    /// A program that cargo has built of tests.
    Tests(Tests),
}

impl Step {
    fn name(&self) -> &str {
        match self {
            Self::Own(name, _) | Self::Cargo { name, .. } => name,
            Self::Tests(tests) => &tests.name,
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Own(..) | Self::Tests(_) => self.name().to_owned(),
            Self::Cargo { name, arguments, .. } => format!("{name}: cargo {}", arguments.join(" ")),
        }
    }

    /// Runs the step, and returns its output.
    fn take(&self, skips: &Skips) -> Result<String, String> {
        match self {
            Self::Own(_, check) => check(),
            Self::Tests(tests) => tests.run(skips),
            Self::Cargo { arguments, env, .. } => {
                output_of(cargo().args(*arguments).envs(*env).envs(skips.env()).current_dir(workspace()))
            }
        }
    }
}

/// Quick steps, run alone.
const FIRST_STEPS: [Step; 7] = [
    Step::Cargo { name: "format", arguments: &["fmt", "--all", "--check"], env: None },
    Step::Own("libraries", libraries::check),
    Step::Own("floors", floors::check),
    Step::Own("licences", licences::check),
    Step::Own("words", words::check),
    Step::Cargo {
        name: "clippy",
        arguments: &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
        env: None,
    },
    Step::Own("package", package::check),
];

/// Steps run along with the tests.
const SIDE_STEPS: [Step; 4] = [
    // It has the help of the program, which is built by now.
    Step::Own("book", book::build),
    Step::Own("stranger", stranger::check),
    Step::Cargo { name: "doc-test", arguments: &["test", "--quiet", "--workspace", "--doc"], env: None },
    Step::Cargo {
        name: "doc",
        arguments: &["doc", "--quiet", "--workspace", "--no-deps"],
        env: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

/// Duration of each step that ended.
#[derive(Default)]
struct Times(Mutex<Vec<(String, Duration)>>);

impl Times {
    fn add(&self, name: &str, took: Duration) {
        if let Ok(mut times) = self.0.lock() {
            times.push((name.to_owned(), took));
        }
    }

    /// Returns one line for each step, the longest first; steps under a second together.
    fn table(&self) -> String {
        let mut times = self.0.lock().map(|times| times.clone()).unwrap_or_default();
        times.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        let (long, quick): (Vec<_>, Vec<_>) = times.into_iter().partition(|(_, took)| took.as_secs() >= 1);
        let rest: Duration = quick.iter().map(|(_, took)| *took).sum();
        let row = |name: &str, took: &Duration| format!("{:9.1} s  {name}\n", took.as_secs_f64());
        let mut text = "== time by step (steps run side by side)\n".to_owned();
        text.extend(long.iter().map(|(name, took)| row(name, took)));
        if !quick.is_empty() {
            text += &row(&format!("{} others", quick.len()), &rest);
        }
        text.trim_end().to_owned()
    }
}

/// Runs every check. Skipped checks fail where there is published data, and all of them with `strict`.
pub(crate) fn test(strict: bool) -> bool {
    let (start, times) = (Instant::now(), Times::default());
    let mut skips = match Skips::new(&target()) {
        Ok(skips) => skips,
        Err(error) => return told(Err(error)),
    };
    if !FIRST_STEPS.iter().all(|step| run(step, &skips, &times)) {
        return false;
    }
    browser::install_tools();
    let built = Instant::now();
    let tests = match tests::build() {
        Ok(tests) => tests,
        Err(error) => return told(Err(error)),
    };
    times.add("building the tests", built.elapsed());
    let steps = match with_tools(tests, &mut skips, &times) {
        Ok(steps) => steps,
        Err(error) => return told(Err(error)),
    };
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    if !run_beside(&steps, at_once, &skips, &times) {
        return false;
    }
    println!("{}", times.table());
    let verdict = skips.verdict(strict);
    if verdict.is_ok() {
        println!("== passed in {:.0} s", start.elapsed().as_secs_f64());
    }
    told(verdict)
}

/// Returns the tests and the steps that run along with them. Those without their tools are skipped.
fn with_tools(tests: Vec<Tests>, skips: &mut Skips, times: &Times) -> Result<Vec<Step>, String> {
    let installed = Instant::now();
    // What takes longest by itself comes first.
    let mut steps = Vec::new();
    match browser::find_or_install() {
        Ok(()) => {
            steps.extend(tests.iter().filter_map(Tests::in_browser).map(Step::Tests));
            if steps.len() < 2 {
                return Err("== a program lacks its tests that need a browser".to_owned());
            }
        }
        Err(missing) => skips.add_tool(&format!("browser: {missing}")),
    }
    steps.extend(tests.into_iter().map(Step::Tests));
    if let (_, Some(missing)) = python::kernels() {
        skips.add_tool(&format!("STEP, IFC and a second reader of BCF: {missing}"));
    }
    match python::environment() {
        Ok(_) => steps.extend([Step::Own("python", python::quick), Step::Own("checkers", python::checkers)]),
        Err(missing) => skips.add_tool(&format!("python: {missing}")),
    }
    match web::prepare() {
        Ok(()) => steps.push(Step::Own("web", web::check)),
        Err(missing) => skips.add_tool(&format!("web: {missing}")),
    }
    match npm::prepare() {
        Ok(()) => steps.push(Step::Own("npm", npm::check)),
        Err(missing) => skips.add_optional(&format!("npm package: {missing}")),
    }
    steps.extend(SIDE_STEPS);
    times.add("browser, Python and npm packages", installed.elapsed());
    Ok(steps)
}

/// Runs a step and reports its result.
fn run(step: &Step, skips: &Skips, times: &Times) -> bool {
    println!("== {}", step.title());
    let start = Instant::now();
    let passed = told(step.take(skips));
    report(step, passed, start, times);
    passed
}

/// Runs steps, so many at once; the output of a step is printed when it ends. All of them run, so that one call names every
/// failure.
fn run_beside(steps: &[Step], at_once: usize, skips: &Skips, times: &Times) -> bool {
    let failed = Mutex::new(Vec::new());
    let left = Mutex::new(steps.iter());
    // Held by who prints several lines that belong together.
    let speaking = Mutex::new(());
    let next = || left.lock().ok()?.next();
    let work = || {
        while let Some(step) = next() {
            let start = Instant::now();
            let result = step.take(skips);
            let _whole = speaking.lock();
            println!("== {}", step.title());
            let passed = told(result);
            report(step, passed, start, times);
            if let (false, Ok(mut failed)) = (passed, failed.lock()) {
                failed.push(step.name());
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap_or_default();
    if failed.is_empty() {
        return true;
    }
    eprintln!("== {} of {} steps FAILED: {}", failed.len(), steps.len(), failed.join(", "));
    false
}

fn report(step: &Step, passed: bool, start: Instant, times: &Times) {
    let (name, took) = (step.name(), start.elapsed());
    times.add(name, took);
    let seconds = took.as_secs_f64();
    if passed {
        println!("== {name} passed in {seconds:.1} s");
    } else {
        eprintln!("== {name} FAILED after {seconds:.1} s");
    }
}

#[cfg(test)]
mod tests_of_steps {
    use super::*;

    #[test]
    fn a_step_that_fails_beside_others_fails_all_and_the_others_run() {
        let skips = Skips::new(&std::env::temp_dir().join("noli-xtask-beside")).unwrap();
        let times = Times::default();
        let good = || Step::Own("good", || Ok(String::new()));
        let bad = || Step::Own("bad", || Err("as it should".to_owned()));
        assert!(run_beside(&[good(), good(), good()], 2, &skips, &times));
        assert!(run_beside(&[], 2, &skips, &times));
        assert!(!run_beside(&[bad(), good()], 1, &skips, &times));
        assert!(!run_beside(&[good(), good(), bad()], 3, &skips, &times));
        assert_eq!(times.0.lock().unwrap().len(), 8);
    }

    #[test]
    fn times_are_listed_the_longest_first() {
        let times = Times::default();
        for (name, millis) in [("quick", 20), ("short", 1500), ("long", 90_000), ("also quick", 30)] {
            times.add(name, Duration::from_millis(millis));
        }
        let table = times.table();
        let rows: Vec<&str> = table.lines().skip(1).map(str::trim).collect();
        assert_eq!(rows, ["90.0 s  long", "1.5 s  short", "0.1 s  2 others"]);
    }
}
