//! Every door answers the cases as they are written.

use noli_doors::{Agents, Cases, Door, Program, Python, Relations, Studio, program};
use noli_testing::skip_tool;
use std::collections::BTreeSet;
use std::env::var_os;
use std::path::PathBuf;

/// Compares a door with the answers that are written, and with the list of those that it is known to give otherwise.
fn compare(name: &str, cases: &Cases, least: usize, door: &mut dyn Door) {
    let (mut differences, mut differing, mut answered) = (String::new(), BTreeSet::new(), 0);
    let (awaiting, own_words) = (cases.listed("awaiting_ask", name), cases.listed("own_words", name));
    for case in &cases.all {
        let Some(reply) = door.answer(case) else { continue };
        answered += 1;
        let is_own = own_words.contains(&case.name) && reply.is_error() && case.expected.is_error();
        if !is_own && !reply.fits(&case.expected) {
            differing.insert(case.name.clone());
            if !awaiting.contains(&case.name) {
                differences += &format!("{}:\n{reply}  instead of\n{}", case.name, case.expected);
            }
        }
    }
    assert!(differences.is_empty(), "{name} answers otherwise:\n{differences}");
    let agreed: Vec<_> = awaiting.difference(&differing).collect();
    assert!(agreed.is_empty(), "{name} answers as written; take these off `awaiting_ask`: {agreed:#?}");
    assert!(answered >= least, "{name} answered {answered} cases, at least {least} are expected");
}

/// The program; tests that lack it are skipped.
fn noli(door: &str) -> Option<PathBuf> {
    let found = program();
    if found.is_none() {
        skip_tool(&format!("{door}: the program is not built; try: cargo build -p noli-cli"));
    }
    found
}

/// What the environment names; `none` if it cannot be built here, which was counted as skipped by who says so.
fn named(door: &str, variable: &str) -> Option<PathBuf> {
    let found = var_os(variable).map(PathBuf::from);
    if found.is_none() {
        skip_tool(&format!("{door}: {variable} names nothing; `cargo xtask doors` builds it"));
    }
    found.filter(|path| path.as_os_str() != "none")
}

#[test]
fn the_program_answers_as_written() {
    let Some(noli) = noli("program") else { return };
    let cases = Cases::open("program");
    compare("program", &cases, cases.all.len(), &mut Program { noli, folder: &cases.folder });
}

#[test]
fn tools_for_agents_answer_as_written() {
    let Some(noli) = noli("agents") else { return };
    let cases = Cases::open("agents");
    compare("agents", &cases, 60, &mut Agents::start(&noli, &cases.folder));
}

#[test]
fn the_studio_answers_as_written() {
    let Some(noli) = noli("studio") else { return };
    let cases = Cases::open("studio");
    compare("studio", &cases, 50, &mut Studio { noli, folder: &cases.folder });
}

#[test]
fn the_python_package_answers_as_written() {
    let Some(python) = named("python", "NOLI_DOOR_PYTHON") else { return };
    let cases = Cases::open("python");
    compare("python", &cases, 60, &mut Python::start(&python, &cases.folder));
}

/// Without a declaration, a closed mesh is a solid in every query as it is in `noli check`.
#[test]
fn queries_of_python_answer_as_written() {
    let Some(python) = named("python", "NOLI_DOOR_PYTHON") else { return };
    let cases = Cases::open("queries");
    compare("queries", &cases, 20, &mut Relations::python(&python, &cases.folder));
}

#[test]
fn the_c_interface_answers_as_written() {
    let cases = Cases::open("c");
    match Relations::c(&cases.folder) {
        Ok(mut relations) => compare("c", &cases, 18, &mut relations),
        Err(missing) => skip_tool(&format!("c: {missing}")),
    }
}

#[test]
fn the_npm_package_answers_as_written() {
    let Some(package) = named("npm", "NOLI_DOOR_NPM") else { return };
    let cases = Cases::open("npm");
    compare("npm", &cases, 18, &mut Relations::npm(&package, &cases.folder));
}

/// A case is no use if nothing is asked, and a list that names no case hides nothing.
#[test]
fn cases_have_names_of_their_own_and_lists_name_cases() {
    let cases = Cases::open("names");
    let names: BTreeSet<&str> = cases.all.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.all.len(), "two cases have one name");
    assert!(cases.all.len() >= 60, "{} cases", cases.all.len());
    for door in ["program", "agents", "studio", "python", "queries", "c", "npm"] {
        for case in cases.listed("awaiting_ask", door).union(&cases.listed("own_words", door)) {
            assert!(names.contains(case.as_str()), "{door} lists no case: {case}");
        }
    }
}
