//! The page of several robots: a coordination diagram of every two, over the times of both programs.

use super::text::{classified, timed, wait};
use anyhow::Result;
use noli_plan::{InstructionOrder, TimedPath};
use noli_project::cell::RobotProgram;
use noli_project::report::{CoordinatedPairReport, CoordinationReport};
use noli_robot::escaped;
use serde::Serialize;
use std::fmt::Write as _;

/// Side of a diagram, and the room for its labels.
const SIDE: f64 = 480.0;
const ROOM: f64 = 64.0;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Renders the report; no file besides it. The diagrams are complete without the script, which adds the instructions
/// under the pointer and other timings.
pub(super) fn html(
    report: &CoordinationReport,
    programs: &[RobotProgram],
    order: Option<&InstructionOrder>,
) -> Result<String> {
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
            escaped(robot.program.as_deref().unwrap_or_default()),
            escaped(robot.cell.as_deref().unwrap_or_default()),
            robot.motions,
            robot.seconds
        );
    }
    text += "</ol>\n";
    for pair in &report.pairs {
        let _ = write!(text, "<h2>{}</h2><p>{}</p>", escaped(&classified(pair)), escaped(&timed(pair)));
        text += &Diagram::new(pair, programs, order).figure()?;
    }
    if let Some(waits) = report.waits.as_ref().filter(|waits| !waits.is_empty()) {
        text += "<h2>Waits</h2><p>Collision-free with any timing, without deadlock, if</p><ul>";
        waits.iter().for_each(|one| {
            let _ = write!(text, "<li>{}</li>", escaped(&wait(one)));
        });
        text += "</ul>";
    }
    Ok(text + "<script>" + SCRIPT + "</script></body></html>\n")
}

/// An instruction on an axis: its start in the time of its program, its line, and the text of that.
type Instruction = (f64, u32, String);

/// Two programs as axes, each in its own time.
#[derive(Serialize)]
struct Diagram {
    /// Robots, counted from 1.
    robots: [usize; 2],
    /// Durations in seconds.
    ends: [f64; 2],
    /// When both start as timed.
    starts: [f64; 2],
    instructions: [Vec<Instruction>; 2],
    /// Times of both that are not proven collision-free.
    blocked: Vec<[[f64; 2]; 2]>,
    /// The schedule with waits, as times of both.
    staircase: Vec<[f64; 2]>,
    #[serde(skip)]
    title: String,
}

impl Diagram {
    fn new(
        pair: &CoordinatedPairReport,
        programs: &[RobotProgram],
        order: Option<&InstructionOrder>,
    ) -> Self {
        let robots = pair.robots.map(|number| number - 1);
        let pair_of = robots.map(|robot| &programs[robot]);
        let own = |k: usize, share: f64| pair_of[k].time_at(share) - pair_of[k].start;
        let blocked =
            pair.blocked.iter().map(|[a, b]| [a.map(|share| own(0, share)), b.map(|share| own(1, share))]);
        Self {
            robots: pair.robots,
            ends: [own(0, 1.0), own(1, 1.0)],
            starts: pair_of.map(|program| program.start),
            instructions: pair_of.map(instructions),
            blocked: blocked.collect(),
            staircase: order
                .map_or_else(Vec::new, |order| staircase(pair_of, robots.map(|robot| &order.done[robot]))),
            title: classified(pair),
        }
    }

    fn x(&self, time: f64) -> f64 {
        ROOM + SIDE * time / self.ends[0]
    }

    fn y(&self, time: f64) -> f64 {
        SIDE * (1.0 - time / self.ends[1]) + 8.0
    }

    fn points(&self, points: &[[f64; 2]]) -> String {
        let one = |[a, b]: &[f64; 2]| format!("{:.1},{:.1}", self.x(*a), self.y(*b));
        points.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// The diagram with its legend, the instructions under the pointer, and a timing to try.
    fn figure(&self) -> Result<String> {
        let [a, b] = self.robots;
        // A text of a program may end a script.
        let data = serde_json::to_string(self)?.replace('<', "\\u003c");
        let waits = if self.staircase.is_empty() { "" } else { "<li class=\"waits\">with waits</li>" };
        Ok(format!(
            "<figure data-side=\"{SIDE}\" data-room=\"{ROOM}\">{}<ul class=\"legend\"><li class=\"blocked\">not proven \
             collision-free</li><li class=\"timed\">as timed</li>{waits}<li class=\"tried\">as set below</li></ul>\
             <p class=\"at\" role=\"status\">Point at the diagram to read the instructions of both robots.</p>\
             <label>Robot {b} starts <input type=\"range\" step=\"any\" min=\"{:.3}\" max=\"{:.3}\" value=\"{:.3}\"> \
             <output></output> after robot {a}</label>\
             <script type=\"application/json\">{data}</script></figure>\n",
            self.svg(),
            -self.ends[1],
            self.ends[0],
            self.starts[1] - self.starts[0],
        ))
    }

    fn svg(&self) -> String {
        let (width, height) = (ROOM + SIDE + 16.0, SIDE + ROOM + 8.0);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\
             <rect x=\"{ROOM}\" y=\"8\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#888\"/>",
            escaped(&self.title)
        );
        for axis in 0..2 {
            svg += &self.grid(axis);
        }
        for [a, b] in &self.blocked {
            let _ = write!(
                svg,
                "<rect class=\"blocked\" x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\"/>",
                self.x(a[0]),
                self.y(b[1]),
                self.x(a[1]) - self.x(a[0]),
                self.y(b[0]) - self.y(b[1])
            );
        }
        let _ = write!(svg, "<polyline class=\"timed\" points=\"{}\"/>", self.points(&self.as_timed()));
        if !self.staircase.is_empty() {
            let _ = write!(svg, "<polyline class=\"waits\" points=\"{}\"/>", self.points(&self.staircase));
        }
        let ([a, b], bottom, middle) = (self.robots, SIDE + 44.0, ROOM + 0.5 * SIDE);
        let side = 8.0 + 0.5 * SIDE;
        let _ = write!(
            svg,
            "<polyline class=\"tried\"/><path class=\"cross\"/>\
             <text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">robot {a}: {:.2} s, by program line</text>\
             <text x=\"12\" y=\"{side}\" text-anchor=\"middle\" transform=\"rotate(-90 12 {side})\">robot {b}: {:.2} s, \
             by program line</text></svg>",
            self.ends[0], self.ends[1]
        );
        svg
    }

    /// Lines at the starts of instructions; some have their numbers.
    fn grid(&self, axis: usize) -> String {
        let mut svg = String::new();
        let mut labelled = f64::NEG_INFINITY;
        for (time, line, _) in &self.instructions[axis] {
            let [from, to] = match axis {
                0 => [[*time, 0.0], [*time, self.ends[1]]],
                _ => [[0.0, *time], [self.ends[0], *time]],
            };
            let [[x1, y1], [x2, y2]] = [from, to].map(|[a, b]| [self.x(a), self.y(b)]);
            let _ = write!(
                svg,
                "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#8884\"/>"
            );
            let place = if axis == 0 { x1 } else { -y1 };
            if place < labelled + 18.0 {
                continue;
            }
            labelled = place;
            let (dx, dy, anchor) = if axis == 0 { (2.0, 14.0, "start") } else { (-4.0, -2.0, "end") };
            let (x, y) = (x1 + dx, y1 + dy);
            let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{line}</text>");
        }
        svg
    }

    /// The motion as timed: robots rest before their start and after their end.
    fn as_timed(&self) -> Vec<[f64; 2]> {
        let ends = [0, 1].map(|k| self.starts[k] + self.ends[k]);
        let mut times = [self.starts, ends].concat();
        times.sort_by(f64::total_cmp);
        let at = |time: f64| [0, 1].map(|k| (time - self.starts[k]).clamp(0.0, self.ends[k]));
        times.into_iter().map(at).collect()
    }
}

fn instructions(program: &RobotProgram) -> Vec<Instruction> {
    let one = |(motion, time): (usize, f64)| {
        let line = program.line(motion);
        (time - program.start, line, program.source.line(line).chars().take(80).collect())
    };
    program.axis().times.into_iter().take(program.motions()).enumerate().map(one).collect()
}

/// The times of both programs while both keep the waits.
fn staircase(programs: [&RobotProgram; 2], done: [&Vec<[f64; 2]>; 2]) -> Vec<[f64; 2]> {
    // Pairs of a common time and that of the program; the first instruction is the time before it starts.
    let progress = [0, 1].map(|k| {
        let times = programs[k].axis().times;
        let moves = done[k].iter().skip(1).zip(times.windows(2));
        moves
            .flat_map(|(span, own)| [0, 1].map(|end| [span[end], own[end] - programs[k].start]))
            .collect::<Vec<[f64; 2]>>()
    });
    let mut times: Vec<f64> = progress.iter().flatten().map(|point| point[0]).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times.into_iter().map(|time| [0, 1].map(|k| at(&progress[k], time))).collect()
}

/// Interpolates points in order of their first number; constant beyond them.
fn at(points: &[[f64; 2]], time: f64) -> f64 {
    let next = points.partition_point(|point| point[0] <= time);
    match (next.checked_sub(1).map(|last| points[last]), points.get(next)) {
        (Some([from, a]), Some(&[to, b])) => a + (b - a) * (time - from) / (to - from),
        (Some([_, a]), None) => a,
        (None, first) => first.map_or(0.0, |first| first[1]),
    }
}
