//! Answers as lines of text: what doors are compared by.
//!
//! The first line is the outcome, the others are pairs or configurations in alphabetical order. A line that ends with
//! [`REST`] states less than others could: the door does not answer the rest.

use serde_json::Value;

/// The end of a line that leaves the rest open; alone, further lines are left open.
const REST: &str = "...";

/// An answer, or the reason for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply(Vec<String>);

impl Reply {
    fn new(first: String, mut rows: Vec<String>) -> Self {
        rows.sort();
        rows.insert(0, first);
        Self(rows)
    }

    /// Reads an answer that was written by hand.
    pub fn of_text(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
        Self::new(lines.next().unwrap_or_default(), lines.collect())
    }

    /// An error, without its last full stop.
    pub fn error(text: &str) -> Self {
        Self(vec![format!("error: {}", text.trim())])
    }

    /// Pairs alone, with nothing but the relation of each.
    pub fn of_relations(relations: impl Iterator<Item = String>) -> Self {
        Self::new(REST.to_owned(), relations.map(|row| format!("{row} {REST}")).collect())
    }

    /// An outcome, and the line of a program at which it stopped.
    pub fn of_outcome(outcome: &str, line: Option<u64>) -> Self {
        let line = line.map(|line| format!("line {line} {REST}"));
        Self::new(format!("{outcome} {REST}"), line.into_iter().chain([REST.to_owned()]).collect())
    }

    /// Returns `true` if it is an error.
    pub fn is_error(&self) -> bool {
        self.0[0].starts_with("error: ")
    }

    /// Returns `true` if it has a row about a pair.
    pub fn has_pair(&self, a: &str, b: &str) -> bool {
        self.0.iter().any(|row| row.starts_with(&format!("{a} {b}: ")))
    }

    /// Returns `true` if the answer is another one in nothing that both state.
    pub fn fits(&self, expected: &Self) -> bool {
        let is_open = self.0.iter().any(|line| line == REST);
        let states = |line: &str, whole: &str| match line.strip_suffix(REST) {
            None => line == whole,
            Some(start) => {
                let rest = whole.strip_prefix(start.trim_end());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':']))
            }
        };
        self.0
            .iter()
            .filter(|line| *line != REST)
            .all(|line| expected.0.iter().any(|whole| states(line, whole)))
            && (is_open || expected.0.len() == self.0.len())
    }

    /// The report of a check.
    pub fn of_check(report: &Value) -> Self {
        let state = |pair: &Value| {
            if pair["hit"] == true {
                "hit"
            } else if pair["within_tolerance"] == true {
                "tolerated"
            } else if pair["excluded_by"].is_u64() {
                "excluded"
            } else if pair["status"] == "approved" {
                "approved"
            } else {
                "-"
            }
        };
        let row = |pair: &Value| {
            let [a, b, relation, kind, guarantee] =
                ["a", "b", "relation", "kind", "guarantee"].map(|key| pair[key].as_str().unwrap_or("-"));
            format!("{a} {b}: {relation} {kind} {guarantee} {}", state(pair))
        };
        let hits = &report["summary"]["hits"];
        Self::new(format!("{}, {hits} hits", word(&report["outcome"])), rows(&report["pairs"], row))
    }

    /// The contacts of motions.
    pub fn of_sweep(report: &Value, contacts: &str) -> Self {
        let row =
            |pair: &Value| format!("{} {}: {}", word(&pair["a"]), word(&pair["b"]), word(&pair["impact"]));
        Self::new(word(&report["outcome"]).to_owned(), rows(&report[contacts], row))
    }

    /// The search of a removal path.
    pub fn of_removal(report: &Value) -> Self {
        let by = rows(&report["blocked_by"], |part| format!("by {}", word(part)));
        Self::new(word(&report["verdict"]).to_owned(), by)
    }

    /// The search of a path for a robot.
    pub fn of_plan(report: &Value) -> Self {
        let by = rows(&report["blocked_by"], |pair| format!("by {} {}", word(&pair[0]), word(&pair[1])));
        Self::new(if report["found"] == true { "found" } else { "none" }.to_owned(), by)
    }

    /// Colliding links of one configuration after the other.
    pub fn of_states(outcome: &Value, states: &[Value]) -> Self {
        let row = |(number, state): (usize, &Value)| {
            let mut links = rows(state, |pair| format!("{} {}", word(&pair[0]), word(&pair[1])));
            links.sort();
            let links = if links.is_empty() { "-".to_owned() } else { links.join(", ") };
            format!("{number}: {links}")
        };
        Self::new(word(outcome).to_owned(), states.iter().enumerate().map(row).collect())
    }

    /// A trajectory: the first contact of two links.
    pub fn of_trajectory(report: &Value) -> Self {
        let links = &report["contact"]["links"];
        let contact = links.is_array().then(|| format!("{} {}: contact", word(&links[0]), word(&links[1])));
        Self::new(word(&report["outcome"]).to_owned(), contact.into_iter().collect())
    }

    /// A program of a cell: the first line that cannot be executed.
    pub fn of_run(report: &Value) -> Self {
        let failure = &report["first_failure"];
        let failed = failure["line"].as_u64().map(|line| format!("line {line}: {}", word(&failure["kind"])));
        Self::new(word(&report["outcome"]).to_owned(), failed.into_iter().collect())
    }

    /// Which links can collide.
    pub fn of_reachability(pairs: &Value) -> Self {
        let row = |pair: &Value| format!("{} {}: {}", word(&pair[0]), word(&pair[1]), word(&pair[2]));
        Self::new("pairs".to_owned(), rows(pairs, row))
    }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

fn rows(list: &Value, row: impl FnMut(&Value) -> String) -> Vec<String> {
    list.as_array().into_iter().flatten().map(row).collect()
}

impl std::fmt::Display for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}
