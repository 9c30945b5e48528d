//! Examples compile and run; C and C++ give the same answers.

use crate::compiler::{Dialect, compile, here, run};
use noli_testing::{Folder, skip_tool};
use std::path::Path;
use std::process::Command;

#[test]
fn arm_gives_the_same_in_c_and_in_cpp() {
    let folder = Folder::new("capi_examples");
    let said = [("arm.c", Dialect::C), ("arm.cpp", Dialect::Cpp)].map(|(name, dialect)| {
        let program = compile(&folder, &here().join("examples").join(name), dialect, &[])?;
        Some(run(&mut Command::new(program)))
    });
    let [Some(c), Some(cpp)] = said else { return };
    assert_eq!(c.lines().next(), cpp.lines().next());
    assert!(c.contains("of 500 configurations collide"), "{c}");
    assert!(!c.starts_with("0 of") && !c.starts_with("500 of"), "{c}");
    assert!(cpp.contains("give a length"), "the message of an error has its remedy: {cpp}");
}

/// Compiles and runs a program that includes `noli/fcl.hpp`; `None`, reported as skipped, without Eigen or a compiler.
fn fcl_output(name: &str, source: &Path) -> Option<String> {
    let eigen = ["/usr/include/eigen3", "/usr/local/include/eigen3", "/opt/homebrew/include/eigen3"];
    let Some(eigen) = eigen.into_iter().find(|folder| Path::new(folder).is_dir()) else {
        skip_tool("no Eigen 3 for noli/fcl.hpp");
        return None;
    };
    let folder = Folder::new(name);
    let include = format!("-isystem{eigen}");
    let program = compile(&folder, source, Dialect::Cpp, &[&include])?;
    Some(run(&mut Command::new(program)))
}

/// Runs where OMPL is installed (Debian: libompl-dev); it is not among the tools that `cargo xtask test` needs.
#[test]
fn ompl_plans_a_path_whose_edges_are_proven() {
    let headers = ["/usr/include/ompl-1.5", "/usr/include/ompl-1.6", "/usr/local/include/ompl-1.6"];
    let Some(headers) = headers.into_iter().find(|folder| Path::new(folder).is_dir()) else {
        return eprintln!("no OMPL for noli/ompl.hpp");
    };
    let folder = Folder::new("capi_ompl");
    let include = [format!("-isystem{headers}"), "-isystem/usr/include/eigen3".to_owned()];
    let options = [include[0].as_str(), include[1].as_str(), "-Wl,--no-as-needed", "-lompl"];
    let source = here().join("examples/ompl_arm.cpp");
    let Some(program) = compile(&folder, &source, Dialect::Cpp, &options) else { return };
    let said = run(&mut Command::new(program));
    assert!(said.contains("every edge proven; the straight edge is blocked"), "{said}");
}

#[test]
fn program_for_fcl_runs_with_another_include() {
    let Some(said) = fcl_output("capi_fcl", &here().join("examples/fcl_scene.cpp")) else { return };
    assert!(said.contains("time of contact 0.4"), "{said}");
}

#[test]
fn names_of_fcl_give_the_verdicts_of_plain_queries() {
    let source = here().join("tests/programs/fcl_random.cpp");
    let Some(said) = fcl_output("capi_fcl_random", &source) else { return };
    assert!(said.contains(" 0 wrong"), "{said}");
}
