//! The lemmas behind the rules, checked by Coq.

use noli_testing::Folder;
use std::process::Command;

const RULES: &str = include_str!("../../../../checkers/coq/Rules.v");

#[test]
fn the_lemmas_behind_the_rules_are_proven() {
    for word in ["Admitted.", "admit.", "Axiom ", "Parameter ", "Conjecture "] {
        assert!(!RULES.contains(word), "{word}");
    }
    let folder = Folder::new("rules");
    let file = folder.file("Rules.v", RULES);
    let run = match Command::new("coqc").arg("-q").arg(&file).output() {
        Ok(run) => run,
        Err(error) => {
            return noli_testing::skip_tool(&format!("no coqc for the lemmas of certificates ({error})"));
        }
    };
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{err}");
    // Each axiom is one of Coq's library of real numbers.
    let known = ["sig_not_dec", "sig_forall_dec", "functional_extensionality_dep", "Classical_Prop.classic"];
    let named = out.lines().filter(|line| !line.starts_with(' ') && *line != "Axioms:" && !line.is_empty());
    for line in named {
        assert!(known.iter().any(|axiom| line.contains(axiom)) || line.starts_with("Closed under"), "{line}");
    }
    assert!(out.matches("Axioms:").count() >= 5);
}
