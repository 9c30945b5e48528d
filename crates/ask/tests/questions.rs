//! Questions asked as a door asks them: from JSON, about files.

use noli_ask::{AskError, Check, CheckedPairs, Clearance, Context, Opened, Subject, Sweep, Touching, parse};
use noli_project::clash::Judgement;
use noli_project::report::{Outcome, PairRelation};
use noli_testing::Folder;
use serde_json::{Value, json};

/// Two boxes that overlap by half a millimetre, and more text.
fn boxes(folder: &Folder, more: &str) -> String {
    let text = format!(
        "units = \"mm\"\n\
         [[body]]\nname = \"a\"\nbox = [10, 10, 10]\n\
         [[body]]\nname = \"b\"\nbox = [10, 10, 10]\npose = {{ xyz = [9.5, 0, 0] }}\n{more}"
    );
    folder.file("scene.toml", text)
}

fn check(options: Value) -> Result<CheckedPairs, AskError> {
    parse::<Check>(options)?.answer(&Context::default())?.into_pairs()
}

/// Outcome and number of hits.
fn found(options: Value) -> (Outcome, usize) {
    let report = check(options).unwrap().report;
    (report.outcome, report.summary.hits)
}

#[test]
fn what_counts_is_that_of_the_scene_unless_the_question_replaces_it() {
    let folder = Folder::new("ask-counts");
    let plain = boxes(&folder, "");
    assert_eq!(found(json!({"files": [plain]})), (Outcome::Touching, 1));
    assert_eq!(found(json!({"files": [plain], "tolerance": "0.6 mm"})), (Outcome::Free, 0));
    assert_eq!(found(json!({"files": [plain], "tolerance": 0.4})), (Outcome::Touching, 1));
    assert_eq!(found(json!({"files": [plain], "exclude": ["a,b"]})), (Outcome::Free, 0));
    let tolerant = boxes(&folder, "[check]\ntolerance = 1.0\n");
    assert_eq!(found(json!({"files": [tolerant]})), (Outcome::Free, 0));
    assert_eq!(found(json!({"files": [tolerant], "tolerance": 0.4})), (Outcome::Touching, 1));
    // Depths are measured where they count, also if they are not asked for.
    assert_eq!(found(json!({"files": [tolerant], "measure": false})), (Outcome::Free, 0));
    let excluded = boxes(&folder, "[[check.exclude]]\npair = [\"a\", \"b\"]\n");
    assert_eq!(found(json!({"files": [excluded]})), (Outcome::Free, 0));
}

#[test]
fn contacts_count_or_are_ignored() {
    let folder = Folder::new("ask-touching");
    let text = boxes(&folder, "").replace("scene.toml", "touching.toml");
    let scene = std::fs::read_to_string(folder.0.join("scene.toml")).unwrap().replace("9.5", "10");
    folder.file("touching.toml", scene);
    let report = check(json!({"files": [text]})).unwrap().report;
    assert_eq!((report.pairs[0].relation, report.summary.hits), (PairRelation::Touching, 1));
    let report = check(json!({"files": [text], "touching": "ignore"})).unwrap().report;
    assert_eq!((report.outcome, report.summary.hits), (Outcome::Free, 0));
    assert_eq!(noli_project::clash::judge(&report.pairs[0]), Judgement::Free);
}

#[test]
fn options_that_are_none_are_refused_by_name() {
    let wrong = |options: Value| parse::<Check>(options).unwrap_err().to_string();
    assert!(wrong(json!({"margn": 1})).contains("there is no option `margn`; the options are "));
    assert!(wrong(json!({"margin": "2 miles"})).starts_with("option `margin`: a length is a number"));
    assert!(wrong(json!({"margin": -1})).contains("at least 0"));
    assert!(wrong(json!({"as": "cheese"})).starts_with("option `as`: "));
    assert!(wrong(json!(3)).contains("options are an object"));
    let folder = Folder::new("ask-options");
    let scene = boxes(&folder, "");
    let text = check(json!({"files": [scene], "only": ["c"]})).unwrap_err().to_string();
    assert_eq!(
        text,
        "no body is called \"c\"; use * for any characters, and A,B for a pair; bodies are a, b"
    );
    let text = check(json!({"files": [scene], "chord": 0})).unwrap_err().to_string();
    assert_eq!(text, "--chord: it must be greater than 0");
}

#[test]
fn the_defaults_of_a_question_are_those_of_its_options() {
    let options = serde_json::to_value(Check::default()).unwrap();
    assert_eq!(parse::<Check>(options).unwrap(), Check::default());
    assert_eq!(parse::<Sweep>(json!({})).unwrap(), Sweep::default());
}

#[test]
fn the_clearance_of_two_parts_has_their_nearest_points() {
    let folder = Folder::new("ask-clearance");
    let scene = boxes(&folder, "[[body]]\nname = \"c\"\nbox = [2, 2, 2]\npose = { xyz = [0, 9, 0] }\n");
    let question =
        Clearance { subject: Subject::files([scene]), a: "c".into(), b: "a".into(), ..Clearance::default() };
    let answer = question.answer(&Context::default()).unwrap();
    let (finding, pair) = answer.pair().unwrap();
    let clearance = pair.clearance;
    assert!(clearance.at_least <= 3.0 && 3.0 <= clearance.at_most && clearance.at_most < 3.0 + 1e-9);
    assert!(answer.is_swapped, "`a` comes before `c` in the scene");
    assert_eq!(finding.clearance.witness.unwrap().on_a.point.y, 5.0);
}

#[test]
fn a_part_is_moved_until_it_touches() {
    let folder = Folder::new("ask-sweep");
    let scene = boxes(&folder, "").clone();
    let text = std::fs::read_to_string(&scene).unwrap().replace("9.5", "30");
    folder.file("scene.toml", text);
    let sweep = |options: Value| parse::<Sweep>(options).unwrap().answer(&Context::default());
    let answer = sweep(json!({"files": [scene], "part": "b", "translate": [-40, 0, 0]})).unwrap();
    assert_eq!(answer.report.outcome, Outcome::Touching);
    let hit = &answer.report.impacts[0];
    assert!(hit.safe_until <= 0.5 && 0.5 <= hit.touching_by.unwrap(), "{hit:?}");
    let answer = sweep(json!({"files": [scene], "part": "b", "translate": [0, 40, 0]})).unwrap();
    assert_eq!(answer.verdict().unwrap().outcome(), Outcome::Free);
    let text = sweep(json!({"files": [scene]})).unwrap_err().to_string();
    assert!(text.contains("nothing moves"), "{text}");
}

#[test]
fn nothing_to_compare_is_an_error_with_the_title() {
    let folder = Folder::new("ask-nothing");
    let scene = folder.file("one.toml", "units = \"mm\"\n[[body]]\nname = \"a\"\nsphere = { radius = 1 }\n");
    let error = check(json!({"files": [scene]})).unwrap_err();
    assert!(matches!(&error, AskError::Nothing { .. }), "{error}");
    assert!(error.to_string().contains("a is the only body"), "{error}");
    let opened = Subject::files([scene]).open(&Context::default()).unwrap();
    let pairs = Check::default().compare(Opened { ..opened }, &Context::default()).unwrap();
    assert_eq!(pairs.report.outcome, Outcome::Free, "the studio shows a scene of one body");
    assert_eq!(Check::default().touching, Touching::Report);
}
