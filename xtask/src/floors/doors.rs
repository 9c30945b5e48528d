//! Doors put questions: they do not answer them. The program, the tools of agents, the studio and the bindings fill in a
//! question of `noli-ask` and deliver its answer; what makes an answer is refused in them by name.

/// Folders of doors.
pub(super) const DOORS: [&str; 5] =
    ["crates/cli", "crates/mcp", "crates/serve", "crates/capi", "bindings/python"];

/// Functions that compute the answers of `noli-ask`.
const ANSWERS: [&str; 6] = [
    "CheckReport::new",
    "SweepReport::new",
    "SweepReport::on_surfaces",
    "RemoveReport::new",
    "DisassemblyReport::new",
    "removal_on_surfaces",
];

/// A world that Python holds in memory is no scene: nothing of it is read from files, and no body has curved surfaces.
const IN_MEMORY: (&str, &str) = ("bindings/python/src/world.rs", "RemoveReport::new");

/// Answers that a file of a door makes by itself.
pub(super) fn own_answers(file: &str, text: &str) -> Vec<String> {
    let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let found = code.flat_map(|(number, line)| {
        let named = ANSWERS.iter().filter(move |name| line.contains(**name) && (file, **name) != IN_MEMORY);
        named.map(move |name| (number + 1, *name))
    });
    found
        .map(|(line, name)| format!("{file}:{line}: {name}: a door puts a question of noli-ask instead"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_that_answers_is_named_with_its_line() {
        let text = "use a::b;\n// CheckReport::new\nlet report = CheckReport::new(&staged, &result);\n";
        let found = own_answers("crates/cli/src/check.rs", text);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/cli/src/check.rs:3: CheckReport::new"), "{found:?}");
    }
}
