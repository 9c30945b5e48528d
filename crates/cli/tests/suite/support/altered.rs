//! Commands on files with a few changes, as users make them.

use super::{Folder, exit_code, noli, stderr};
use noli_scenes::SplitMix64;
use serde_json::Value;

pub(crate) const WEDGE: &str =
    "o wedge\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Every quoted text of a line.
pub(crate) fn quoted(line: &str) -> Vec<&str> {
    line.split('"').skip(1).step_by(2).collect()
}

/// One to three changes that a user could make: lines lost, doubled or moved, names exchanged, numbers changed, lists emptied.
pub(crate) fn mutated(text: &str, new: &[&str], random: &mut SplitMix64) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut below = |count: usize| (random.unit() * count as f64) as usize;
    for _ in 0..=below(3) {
        if lines.is_empty() {
            break;
        }
        let at = below(lines.len());
        let names = quoted(&lines[at]).len();
        match below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = below(lines.len());
                lines.swap(at, other);
            }
            3 if names > 0 => {
                let old = quoted(&lines[at])[below(names)].to_owned();
                lines[at] =
                    lines[at].replacen(&format!("\"{old}\""), &format!("\"{}\"", new[below(new.len())]), 1);
            }
            4 => {
                lines[at] = lines[at].replace(|c: char| c.is_ascii_digit(), ["0", "1", "7", "1e9"][below(4)])
            }
            _ => {
                if let Some((key, _)) = lines[at].split_once(" = [") {
                    lines[at] = format!("{key} = []");
                }
            }
        }
    }
    lines.join("\n")
}

/// `NOLI_MUTATED` sets how many scenes there are.
pub(crate) fn how_often() -> usize {
    std::env::var("NOLI_MUTATED").ok().and_then(|text| text.parse().ok()).unwrap_or(120)
}

/// Asks the program something else about the same files.
pub(crate) type QueryContext<'a> = &'a dyn Fn(&[&str]) -> Value;

/// A command, and how much it looked at if it ends with 0, by its own report or by that of another command.
pub(crate) struct Command {
    /// `@name` is a file of the subject.
    pub(crate) words: &'static [&'static str],
    pub(crate) looked_at: fn(&Value, QueryContext<'_>) -> u64,
}

/// Files that belong together, what may be named in them, and commands that read them.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) names: &'static [&'static str],
    pub(crate) commands: &'static [Command],
    /// `true` if each command needs those before it.
    pub(crate) in_order: bool,
}

pub(crate) fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(value.as_array().map_or(0, Vec::len) as u64)
}

/// Runs the commands of each subject on its own files with a few changes: one that ends with 0 looked at something.
pub(crate) fn each_looked_at_something(subjects: &[Subject]) {
    for subject in subjects {
        let mut random = SplitMix64::new(15);
        let (mut done, mut refused) = (0, 0);
        let rounds = how_often() / 5;
        for round in 0..rounds {
            let folder = Folder::new(&format!("silence-{}-{round}", subject.name));
            let changed = (random.unit() * subject.files.len() as f64) as usize;
            let mut texts = String::new();
            for (number, (file, text)) in subject.files.iter().enumerate() {
                let is_changed = round > 0 && number == changed;
                let text =
                    if is_changed { mutated(text, subject.names, &mut random) } else { (*text).to_owned() };
                folder.file(file, &text);
                texts += &format!("{file}\n{text}\n");
            }
            let ask = |words: &[&str]| {
                let place = |word: &&str| match word.strip_prefix('@') {
                    Some(file) => folder.0.join(file).display().to_string(),
                    None => (*word).to_owned(),
                };
                let words: Vec<String> = words.iter().map(place).collect();
                noli(&words.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let other =
                |words: &[&str]| -> Value { serde_json::from_slice(&ask(words).stdout).unwrap_or_default() };
            for (number, command) in subject.commands.iter().enumerate() {
                // All of them on the files as they are; then one after the other, but where they need each other.
                if !subject.in_order && round > 0 && round % subject.commands.len() != number {
                    continue;
                }
                let output = ask(command.words);
                let (code, said) = (exit_code(&output), stderr(&output));
                let context = format!("{:?} {code} {said}\n{texts}", command.words);
                assert!((0..=3).contains(&code) && !said.contains("panicked"), "{context}");
                assert!(round > 0 || code == 0, "the files as they are: {context}");
                match code {
                    0 => {
                        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
                        assert!((command.looked_at)(&report, &other) > 0, "nothing was tested: {context}");
                        done += 1;
                    }
                    2 => {
                        assert!(said.len() > 20, "an error says what and how to mend it: {context}");
                        refused += 1;
                    }
                    _ => {}
                }
            }
        }
        assert!(
            done > rounds / 6 && refused > rounds / 8,
            "{}: {done} done, {refused} refused",
            subject.name
        );
    }
}
