//! Certificates of false claims, by a grammar of lies and attacks: none is accepted.

#[path = "../../examples/forgeries/forge.rs"]
mod forge;

use forge::{Draw, Tally, bases, forge, rules};
use noli_testing::Folder;
use std::path::Path;
use std::process::Command;

const FORGERIES: usize = 4_000;
/// One in so many goes to the checker in Python too.
const PYTHON_EACH: usize = 16;

#[test]
fn no_forgery_is_accepted() {
    let folder = Folder::new("forgeries");
    let (all, mut tally, mut draw) = (bases().unwrap(), Tally::default(), Draw::new(7));
    for base in &all {
        let mut bytes = Vec::new();
        base.write(&mut bytes);
        assert_eq!(noli_verify::check(&bytes, &noli_verify::Options::default()).error, None, "{}", base.name);
        folder.file(&format!("true {}.cert", base.name), &bytes);
    }
    while tally.judged < FORGERIES {
        let Some(forgery) = forge(&all, &mut draw) else { continue };
        tally.add(&forgery);
        if tally.judged.is_multiple_of(PYTHON_EACH) {
            folder.file(&format!("forged {}.cert", tally.judged), &forgery.bytes);
        }
    }
    assert!(tally.accepted.is_empty(), "{:?}", tally.accepted);
    let untried: Vec<_> = rules().into_iter().filter(|rule| !tally.tried.contains_key(rule)).collect();
    assert!(untried.is_empty() && rules().len() > 50, "{untried:?}");
    // Lies are refused for many reasons, not for one that makes all others vain.
    assert!(tally.codes.len() > 10, "{:?}", tally.codes);

    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/forgeries/judge.py");
    let run = match Command::new("python3").arg(judge).arg(folder.join("")).output() {
        Ok(run) => run,
        Err(error) => {
            return noli_testing::skip_tool(&format!("no python3 for the second checker ({error})"));
        }
    };
    let [out, err] = [&run.stdout, &run.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(run.status.success() && out.contains(&format!("true {}", all.len())), "{out}{err}");
}
