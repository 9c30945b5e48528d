//! Every option of every command changes something, or is refused. `play --dynamics --html` once wrote no file and ended
//! with 0.

mod cases;
mod files;

use cases::{CASES, EXEMPT, OF_ROBOTS, ROBOTS};
use files::{files, start};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// Results of a command, without times.
#[derive(Debug, PartialEq)]
struct Done {
    code: Option<i32>,
    printed: String,
    /// Files that it wrote, and their sizes.
    written: BTreeMap<String, u64>,
}

fn times(folder: &Path, below: &str, found: &mut BTreeMap<String, (SystemTime, u64)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let about = entry.metadata().unwrap();
        if about.is_dir() {
            times(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name, (about.modified().unwrap(), about.len()));
        }
    }
}

fn done(folder: &Path, words: &[&str]) -> Done {
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    times(folder, "", &mut before);
    let output = start(folder, words);
    times(folder, "", &mut after);
    let written = after.iter().filter(|(name, about)| before.get(*name) != Some(about));
    let is_store = |name: &str| name.contains(".db-");
    let written = written.filter(|(name, _)| !is_store(name)).map(|(name, (_, size))| (name.clone(), *size));
    Done {
        code: output.status.code(),
        printed: format!("{}\n{}", timeless(&output.stdout), timeless(&output.stderr)),
        written: written.collect(),
    }
}

/// Text without the times that differ from run to run.
fn timeless(bytes: &[u8]) -> String {
    if let Ok(mut value) = serde_json::from_slice::<Value>(bytes) {
        drop_times(&mut value);
        return value.to_string();
    }
    let text = String::from_utf8_lossy(bytes);
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let is_time = |pair: &[&str]| {
        let unit = pair[1].trim_end_matches([',', ';', '.', ')', ':']);
        pair[0].parse::<f64>().is_ok()
            && (["s", "ms", "us", "(median),", "(p99),", "(worst)"].contains(&unit) || pair[1] == "a")
    };
    let timed: BTreeSet<usize> =
        words.windows(2).enumerate().filter(|(_, pair)| is_time(pair)).map(|(place, _)| place).collect();
    timed.into_iter().for_each(|place| words[place] = "#");
    words.join(" ")
}

fn drop_times(value: &mut Value) {
    const TIMES: [&str; 9] = [
        "micros",
        "millis",
        "frame_ms",
        "seconds",
        "real_time_factor",
        "per_second",
        "prepare_s",
        "decide_s",
        "budget_met",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !TIMES.contains(&name.as_str()));
            fields.values_mut().for_each(drop_times);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_times),
        _ => {}
    }
}

/// All options of a command and those below it: `robot plan` and `--seed`.
fn walk(command: &clap::Command, path: &str, found: &mut BTreeSet<(String, String)>) {
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let path = format!("{path} {}", below.get_name()).trim().to_owned();
        let own = below.get_arguments().filter(|option| !option.is_global_set());
        let named = own.filter_map(|option| option.get_long().map(|long| format!("--{long}")));
        found.extend(named.filter(|long| long != "--help").map(|long| (path.clone(), long)));
        walk(below, &path, found);
    }
}

fn option_of(words: &str) -> &str {
    words.trim_start_matches('!').split([' ', '=']).next().unwrap_or_default()
}

/// The cases, with those of all robot commands.
fn cases() -> Vec<(String, String, String)> {
    let own = CASES
        .iter()
        .map(|(command, option, rest)| (command.to_string(), option.to_string(), rest.to_string()));
    let robots = ROBOTS.iter().flat_map(|(command, needed)| {
        OF_ROBOTS.iter().map(move |(option, rest)| {
            let rest =
                if rest.contains("packed.urdf") { rest.to_string() } else { format!("arm.urdf {rest}") };
            (command.to_string(), option.to_string(), format!("{rest} {needed}"))
        })
    });
    let is_tested = |(command, option, _): &(String, String, String)| {
        !EXEMPT.iter().any(|(of, name, _)| of == command && *name == option_of(option))
    };
    own.chain(robots).filter(is_tested).collect()
}

#[test]
fn every_option_has_a_case() {
    let mut options = BTreeSet::new();
    walk(&noli_cli::command(), "", &mut options);
    assert!(options.len() > 150, "{}", options.len());
    // These run the other command: their options are tested there, and the certificate with certificates.
    for (own, other) in
        [("prove plan", "robot plan"), ("prove removal", "remove"), ("prove program", "robot run")]
    {
        let of = |command: &str| -> BTreeSet<String> {
            options.iter().filter(|(of, _)| of == command).map(|(_, option)| option.clone()).collect()
        };
        let mut same = of(own);
        assert!(same.remove("--output") && same.insert("--certificate".to_owned()), "{own}");
        let mut wanted = of(other);
        // A certificate is one of a single program.
        if other == "robot run" {
            wanted.remove("--with");
        }
        assert_eq!(same, wanted, "{own} takes the options of {other}");
        options.retain(|(command, _)| command != own);
    }
    let mut known: BTreeSet<(String, String)> =
        cases().into_iter().map(|(command, option, _)| (command, option_of(&option).to_owned())).collect();
    known.extend(EXEMPT.iter().map(|(command, option, _)| (command.to_string(), option.to_string())));
    let missing: Vec<_> = options.difference(&known).collect();
    assert!(missing.is_empty(), "options without a case: {missing:?}");
    let gone: Vec<_> = known
        .difference(&options)
        .filter(|(_, option)| !["--quiet", "--color"].contains(&option.as_str()))
        .collect();
    assert!(gone.is_empty(), "cases without an option: {gone:?}");
}

#[test]
fn every_option_changes_something_or_is_refused() {
    let cases = cases();
    let (wrong, baselines) = (Mutex::new(Vec::new()), Baselines::default());
    let numbered: Vec<(usize, &(String, String, String))> = cases.iter().enumerate().collect();
    noli_testing::for_all(&numbered.chunks(12).collect::<Vec<_>>(), |cases| {
        for (number, case) in *cases {
            if let Err(why) = judge(*number, case, &baselines) {
                wrong.lock().unwrap().push(why);
            }
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Command lines without the option that is tested, by command and rest. Many options are tested with one of them.
type Baselines = Mutex<BTreeMap<String, Arc<OnceLock<Done>>>>;

fn judge(
    number: usize,
    (command, option, rest): &(String, String, String),
    baselines: &Baselines,
) -> Result<(), String> {
    let run = |name: &str, more: &str| {
        let folder = files(&format!("option-{number}-{name}"));
        let mut words: Vec<&str> = command.split(' ').chain(rest.split_whitespace()).collect();
        // Values of these have spaces.
        match more.strip_prefix("--do ") {
            Some(steps) => words.extend(["--do", steps]),
            None => words.extend(more.split_whitespace()),
        }
        let words: Vec<&str> =
            words.iter().map(|word| if *word == "teach" { "teach here" } else { *word }).collect();
        let words: Vec<&str> =
            words.iter().map(|word| if *word == "j1+1" { "j1 +1" } else { *word }).collect();
        done(&folder, &words)
    };
    let with = run("with", option.trim_start_matches('!'));
    let line = format!("noli {command} {rest} {option}");
    if option.starts_with('!') {
        return if with.code == Some(2) { Ok(()) } else { Err(format!("{line}: not refused: {with:?}")) };
    }
    let without = baselines.lock().unwrap().entry(format!("{command} {rest}")).or_default().clone();
    if with == *without.get_or_init(|| run("without", "")) {
        return Err(format!("{line}: changes nothing: {with:?}"));
    }
    if with.printed.contains("Usage: noli") {
        return Err(format!("{line}: refused: {}", with.printed));
    }
    Ok(())
}
