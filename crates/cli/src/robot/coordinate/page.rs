//! The page of several robots: a coordination diagram of every two.

use super::program::Program;
use super::text::{classified, timed, wait};
use super::{PairReport, Report};
use noli_robot::escaped;
use std::fmt::Write as _;

/// Side of a diagram, and the room for its labels.
const SIDE: f64 = 480.0;
const ROOM: f64 = 64.0;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;\
    color:#1b1f24;background:#fff}svg{max-width:100%;height:auto}text{font-size:11px;fill:#444}\
    @media(prefers-color-scheme:dark){body{background:#15181c;color:#e6e8ea}text{fill:#bbb}}";

/// Renders the report; no script, no file besides it.
pub(super) fn html(report: &Report, programs: &[Program]) -> String {
    let mut text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>Coordination of {} robots</title><style>{STYLE}</style></head><body>\
         <h1>Coordination of {} robots</h1>\n",
        programs.len(),
        programs.len()
    );
    text += "<ol>";
    for robot in &report.robots {
        let _ = write!(
            text,
            "<li>{}: program {} of {}, {} motions, {:.2} s</li>",
            escaped(&robot.robot),
            escaped(&robot.program),
            escaped(&robot.cell),
            robot.motions,
            robot.seconds
        );
    }
    text += "</ol>\n";
    for pair in &report.pairs {
        let _ = write!(text, "<h2>{}</h2><p>{}</p>", escaped(&classified(pair)), escaped(&timed(pair)));
        text += &diagram(pair, pair.robots.map(|number| &programs[number - 1]));
    }
    if let Some(waits) = report.waits.as_ref().filter(|waits| !waits.is_empty()) {
        text += "<h2>Waits</h2><p>Collision-free with any timing, without deadlock, if</p><ul>";
        waits.iter().for_each(|one| {
            let _ = write!(text, "<li>{}</li>", escaped(&wait(one)));
        });
        text += "</ul>";
    }
    text + "</body></html>\n"
}

/// Both programs as axes: filled times are not proven collision-free, the line is the motion as timed.
fn diagram(pair: &PairReport, programs: [&Program; 2]) -> String {
    let x = |share: f64| ROOM + SIDE * share;
    let y = |share: f64| SIDE * (1.0 - share) + 8.0;
    let (width, height) = (ROOM + SIDE + 16.0, SIDE + ROOM + 8.0);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\
         <rect x=\"{}\" y=\"{}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#888\"/>",
        escaped(&classified(pair)),
        x(0.0),
        y(1.0)
    );
    for (axis, program) in programs.into_iter().enumerate() {
        let shares = program.axis().shares;
        let label = (shares.len() / 24).max(1);
        for (number, share) in shares.iter().take(program.motions()).enumerate() {
            let [from, to] = match axis {
                0 => [[x(*share), y(0.0)], [x(*share), y(1.0)]],
                _ => [[x(0.0), y(*share)], [x(1.0), y(*share)]],
            };
            let _ = write!(
                svg,
                "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#8884\"/>",
                from[0], from[1], to[0], to[1]
            );
            if number % label == 0 {
                let (dx, dy, anchor) = if axis == 0 { (2.0, 14.0, "start") } else { (-4.0, -2.0, "end") };
                let line = program.line(number);
                let _ = write!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{line}</text>",
                    from[0] + dx,
                    from[1] + dy
                );
            }
        }
    }
    for [a, b] in &pair.blocked {
        let _ = write!(
            svg,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#c62828\"/>",
            x(a[0]),
            y(b[1]),
            SIDE * (a[1] - a[0]),
            SIDE * (b[1] - b[0])
        );
    }
    let _ = write!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#1565c0\" stroke-width=\"2\"/>",
        path(programs)
    );
    let [a, b] = pair.robots;
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">robot {a}, by program line</text>\
         <text x=\"12\" y=\"{:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 12 {:.1})\">robot {b}, by program line</text></svg>",
        x(0.5),
        y(0.0) + 36.0,
        y(0.5),
        y(0.5)
    );
    svg
}

/// The motion as timed, as points of the diagram.
fn path(programs: [&Program; 2]) -> String {
    const STEPS: usize = 400;
    let end = programs.map(|program| program.time_at(1.0)).into_iter().fold(0.0, f64::max);
    let share = |program: &Program, time: f64| {
        // Times grow with shares.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            if program.time_at(middle) <= time { low = middle } else { high = middle }
        }
        low
    };
    let point = |k: usize| {
        let time = end * k as f64 / STEPS as f64;
        let [a, b] = programs.map(|program| share(program, time));
        format!("{:.1},{:.1}", ROOM + SIDE * a, SIDE * (1.0 - b) + 8.0)
    };
    (0..=STEPS).map(point).collect::<Vec<_>>().join(" ")
}
