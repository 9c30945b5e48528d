//! Numbers and verdicts as people read them.

use noli::world::PairStatus;
use noli_project::report::{CheckReport, PairReport, ToleranceBy, WhichInside};
use std::time::Duration;

/// `1 pair`, `2 pairs`.
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A number with six digits that matter.
pub fn short(x: f64) -> String {
    if x == 0.0 || (1e-4..1e7).contains(&x.abs()) {
        let whole = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
        let text = format!("{x:.*}", (5 - whole).max(0) as usize);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        // Rounding may leave a minus before nothing.
        if text == "-0" { "0".into() } else { text.to_owned() }
    } else {
        let text = format!("{x:.5e}");
        match text.split_once('e') {
            Some((digits, power)) if digits.contains('.') => {
                format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            _ => text,
        }
    }
}

/// A lower bound with six digits that matter: never more than `x`.
pub fn short_below(x: f64) -> String {
    let text = short(x);
    if text.parse::<f64>().is_ok_and(|shown| shown <= x) || !x.is_normal() {
        return text;
    }
    let unit = 10f64.powi(x.abs().log10().floor() as i32 - 5);
    short((x / unit).floor() * unit)
}

/// A point among bodies of a size, to a hundred-thousandth of it wherever the origin is.
pub fn place(point: [f64; 3], size: f64) -> String {
    let coordinate = |x: f64| {
        if !(x.abs() < 1e15 && (1e-6..1e15).contains(&size)) {
            return short(x);
        }
        let text = format!("{x:.*}", (5 - size.log10().floor() as i32).max(0) as usize);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    point.map(coordinate).join(", ")
}

/// Returns the relation of two bodies, in one word.
pub fn word(status: PairStatus) -> &'static str {
    match status {
        PairStatus::Intersecting => "intersecting",
        PairStatus::Inside => "inside",
        PairStatus::Touching => "touching",
        PairStatus::Closer => "closer",
        PairStatus::Undecided => "undecided",
        PairStatus::Separated => "separated",
    }
}

/// A bracket as one number where both ends look alike.
pub fn bracket(at_least: f64, at_most: f64) -> String {
    let [low, high] = [at_least, at_most].map(short);
    match (low == high, high.as_str()) {
        (true, _) => low,
        (false, "inf") => format!(">= {low}"),
        (false, _) => format!("{low} .. {high}"),
    }
}

/// A length as a person reads it: three decimals of a millimetre, one number where both ends of the bracket agree
/// that far, and a lower bound where they differ by more than half. The exact bracket is [`bracket`].
pub fn reading(at_least: f64, at_most: f64, unit: &str) -> String {
    let step = match unit {
        "mm" => 1e-3,
        "m" => 1e-6,
        "cm" => 1e-4,
        "in" => 1e-4,
        _ => return format!("{} {unit}", bracket(at_least, at_most)).trim().to_owned(),
    };
    if at_most < step {
        return if at_most == 0.0 { format!("0 {unit}") } else { format!("< {} {unit}", short(step)) };
    }
    let decimals = if unit == "mm" {
        3
    } else if unit == "m" {
        6
    } else {
        4
    };
    let rounded = |x: f64| {
        let text = format!("{x:.decimals$}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let [low, high] = [at_least, at_most].map(rounded);
    if low == high || at_most - at_least < step {
        format!("{high} {unit}")
    } else if at_most.is_finite() && at_most <= 1.5 * at_least {
        format!("{low} .. {high} {unit}")
    } else {
        format!("at least {low} {unit}")
    }
}

/// Formats the number of pairs of each kind, and the cost.
pub fn summary(report: &CheckReport, touching_ignored: bool, took: Duration) -> String {
    let mut parts = Vec::new();
    for status in PairStatus::ALL {
        let (count, boxes) = (report.count(status), report.summary.separated_by_boxes);
        let note = match status {
            PairStatus::Separated if boxes > 0 => format!(" ({boxes} by their boxes, not listed)"),
            PairStatus::Closer => " than the margin".to_owned(),
            PairStatus::Touching if touching_ignored => " (ignored)".to_owned(),
            _ => String::new(),
        };
        if count > 0 {
            parts.push(format!("{count} {}{note}", word(status)));
        }
    }
    if report.summary.duplicates > 0 {
        let copies = plural(report.summary.duplicates, "duplicate", "duplicates");
        parts.insert(0, format!("{copies} (the same mesh at the same place, also counted below)"));
    }
    let megabytes = report.summary.model_bytes as f64 / 1e6;
    let memory = if megabytes < 0.1 { String::new() } else { format!("; models take {megabytes:.1} MB") };
    format!(
        "\n{}: {}\nchecked in {:.2} s{memory}",
        plural(report.summary.pairs, "pair", "pairs"),
        parts.join(", "),
        took.as_secs_f64(),
    )
}

/// The share of a simulation that was not proven collision-free, and therefore not executed.
pub fn time_lost(share: f64) -> String {
    match share {
        0.0 => "all motion proven collision-free".to_owned(),
        lost => format!("{} % of the motion not proven, and not executed", short(100.0 * lost)),
    }
}

/// The clearance of a pair.
pub fn clearance(pair: &PairReport) -> String {
    bracket(pair.clearance.at_least, pair.clearance.at_most)
}

/// Returns the status of a clash; `by design` if an exclusion covers it.
pub fn status(pair: &PairReport) -> &'static str {
    match pair.status {
        None => "-",
        Some(_) if pair.within_tolerance => "within tolerance",
        Some(_) if pair.excluded_by.is_some() => "by design",
        Some(_) if pair.reopened => "reopened",
        Some(status) => status.word(),
    }
}

/// Formats the penetration depth of a pair; empty for separated bodies.
pub fn depth(pair: &PairReport) -> String {
    pair.depth.map_or("-".to_owned(), |depth| bracket(depth.at_least, depth.at_most))
}

/// Formats the interference of a pair; empty where it is unknown.
pub fn interference(pair: &PairReport) -> String {
    let fit = pair.interference.filter(|_| pair.is_fit());
    fit.map_or(String::new(), |found| bracket(found.at_least, found.at_most))
}

/// Returns the relation of a pair in one word; copies at one place are duplicates.
pub fn relation(pair: &PairReport) -> &'static str {
    if pair.duplicate { "duplicate" } else { word(pair.status()) }
}

/// Describes the permitted overlap; empty if there is none to mention.
pub fn tolerance(report: &CheckReport) -> String {
    let unit = report.units.map_or(String::new(), |unit| format!(" {}", unit.sign()));
    let length = short(report.tolerance.length);
    match report.tolerance.by {
        ToleranceBy::Tessellation => format!(
            "tolerance {length}{unit}, the error of tessellation and rounding of two bodies: a smaller overlap is no hit \
             (--tolerance 0 for the bare triangles)"
        ),
        ToleranceBy::Request if report.tolerance.length > 0.0 => format!("tolerance {length}{unit}"),
        ToleranceBy::Request => String::new(),
    }
}

/// Describes the result for a pair, in a sentence. `unit` is the symbol of the unit of lengths, or empty.
pub fn sentence(pair: &PairReport, unit: &str) -> String {
    let [a, b] = [&pair.a, &pair.b];
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let clearance = clearance(pair);
    match pair.status() {
        PairStatus::Intersecting if pair.within_tolerance => {
            let tolerance = short(pair.tolerance);
            format!("{a} and {b} overlap by no more than the tolerance of {tolerance}{unit}.")
        }
        PairStatus::Intersecting => format!("{a} and {b} pass through each other."),
        PairStatus::Inside => match pair.which_inside {
            Some(WhichInside::AInB) => format!("{a} lies inside {b}."),
            Some(WhichInside::BInA) => format!("{b} lies inside {a}."),
            Some(WhichInside::Same) => format!("{a} and {b} fill the same space."),
            Some(WhichInside::Parts) => format!("Parts of {a} and {b} lie inside the other."),
            None => format!("One of {a} and {b} lies inside the other."),
        },
        PairStatus::Touching => format!("{a} and {b} touch, and neither passes through the other."),
        PairStatus::Closer => {
            let margin = short(pair.margin);
            format!("{a} and {b} are {clearance}{unit} apart, no more than the margin of {margin}{unit}.")
        }
        PairStatus::Undecided => {
            format!("The relation of {a} and {b} was not decided within the steps allowed.")
        }
        PairStatus::Separated => format!("{a} and {b} are {clearance}{unit} apart."),
    }
}

/// The result of a check in a few words.
pub fn outcome(hits: usize, undecided: usize) -> String {
    match (hits, undecided) {
        (0, 0) => "Nothing touches".to_owned(),
        (0, open) => format!("{} undecided", plural(open, "pair", "pairs")),
        (hits, _) => format!("{} to review", plural(hits, "pair", "pairs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits() {
        for (x, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (-0.25, "-0.25"),
            (123456.7, "123457"),
            (1.0 / 3.0, "0.333333"),
            (1e-7, "1e-7"),
            (-1.5e300, "-1.5e300"),
            (100.0, "100"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn lower_bounds_are_rounded_down() {
        for (x, text) in [
            (46.0 / 97.0, "0.474226"),
            (0.5, "0.5"),
            (0.0, "0"),
            (1.000_005_1, "1"),
            (123_456.7, "123456"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short_below(x), text);
        }
    }

    #[test]
    fn places_far_from_the_origin_keep_their_digits() {
        let far = [499_985.217_314, 5_400_006.151_7, 123.0];
        assert_eq!(place(far, 30.0), "499985.2173, 5400006.1517, 123");
        assert_eq!(place([5.4e9, -1e-9, 0.25], 40.0), "5400000000, 0, 0.25");
        assert_eq!(place([1e-7, 0.0, 1.0], 1e-9), "1e-7, 0, 1");
    }
}
