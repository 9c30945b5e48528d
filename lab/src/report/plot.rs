//! Plots as inline SVG.

use super::number;
use crate::record::{Plot, Shape};
use noli_robot::escaped;
use std::fmt::Write;

const COLOURS: [&str; 10] = [
    "#3572c6", "#d5762b", "#3d9a5f", "#b8468e", "#8463c9", "#a08a1d", "#2a9aa8", "#c24d4d", "#6b7a8f",
    "#86b83a",
];
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 62.0;

/// Mapping from numbers to the page.
struct Frame {
    x: [f64; 2],
    y: [f64; 2],
}

impl Frame {
    fn of(plot: &Plot) -> Self {
        let points = || {
            plot.series
                .iter()
                .flat_map(|series| &series.points)
                .filter(|p| p[0].is_finite() && p[1].is_finite())
        };
        let range = |k: usize| {
            points().fold([f64::INFINITY, f64::NEG_INFINITY], |r, p| [r[0].min(p[k]), r[1].max(p[k])])
        };
        let mut x = match plot.shape {
            Shape::Bars => [-0.5, plot.places.len().max(1) as f64 - 0.5],
            Shape::Lines => range(0),
        };
        if x[0] >= x[1] {
            x = [x[0] - 0.5, x[0] + 0.5];
        }
        let highest = range(1)[1];
        Self { x, y: [range(1)[0].min(0.0), if highest > 0.0 { highest * 1.05 } else { 1.0 }] }
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - (y - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)
    }

    /// Offset of the bars of a series from their places, and their width.
    fn bar(&self, series: usize, of: usize) -> [f64; 2] {
        let width = (self.x(1.0) - self.x(0.0)) * 0.8 / of as f64;
        [width * (series as f64 - of as f64 / 2.0), width]
    }
}

pub(super) fn draw(out: &mut String, plot: &Plot) {
    if plot.series.iter().all(|series| series.points.is_empty()) {
        return;
    }
    let frame = Frame::of(plot);
    let _ = write!(
        out,
        "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">",
        escaped(&plot.title)
    );
    axes(out, plot, &frame);
    for (i, series) in plot.series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        match plot.shape {
            Shape::Lines => line(out, &series.points, &frame, colour),
            Shape::Bars => bars(out, &series.points, &frame, colour, frame.bar(i, plot.series.len())),
        }
        let (x, y) = (WIDTH - RIGHT + 16.0, TOP + 12.0 + 18.0 * i as f64);
        let _ =
            write!(out, "<rect x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>", y - 9.0);
        let _ = write!(out, "<text x=\"{}\" y=\"{y}\">{}</text>", x + 16.0, escaped(&series.name));
    }
    out.push_str("</svg></figure>\n");
}

fn axes(out: &mut String, plot: &Plot, frame: &Frame) {
    let (x0, x1, y0, y1) = (frame.x(frame.x[0]), frame.x(frame.x[1]), HEIGHT - BOTTOM, TOP);
    for tick in ticks(frame.y) {
        let y = frame.y(tick);
        let _ = write!(out, "<line class=\"frame\" x1=\"{x0}\" x2=\"{x1:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            x0 - 8.0,
            y + 4.0,
            short(tick)
        );
    }
    // A letter is about seven units wide.
    let letters = ((x1 - x0) / (7.0 * plot.places.len().max(1) as f64)) as usize;
    let mut mark = |x: f64, text: &str| {
        let x = frame.x(x);
        for (line, text) in lines(text, letters).into_iter().enumerate() {
            let (y, text) = (y0 + 18.0 + 13.0 * line as f64, escaped(&text));
            let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{text}</text>");
        }
    };
    if plot.places.is_empty() {
        ticks(frame.x).into_iter().for_each(|tick| mark(tick, &short(tick)));
    } else {
        plot.places.iter().enumerate().for_each(|(i, place)| mark(i as f64, place));
    }
    let middle = (x0 + x1) / 2.0;
    let _ = write!(
        out,
        "<text x=\"{middle:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        HEIGHT - 8.0,
        escaped(&plot.x)
    );
    let across = (y0 + y1) / 2.0;
    let _ = write!(
        out,
        "<text x=\"14\" y=\"{across}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {across})\">{}</text>",
        escaped(&plot.y)
    );
}

fn line(out: &mut String, points: &[[f64; 2]], frame: &Frame, colour: &str) {
    let finite = points.iter().filter(|p| p[0].is_finite() && p[1].is_finite());
    let place: Vec<String> = finite.map(|p| format!("{:.1},{:.1}", frame.x(p[0]), frame.y(p[1]))).collect();
    let _ = write!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        place.join(" ")
    );
    if place.len() <= 40 {
        for point in &place {
            let (x, y) = point.split_once(',').unwrap_or(("0", "0"));
            let _ = write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>");
        }
    }
}

fn bars(out: &mut String, points: &[[f64; 2]], frame: &Frame, colour: &str, [offset, width]: [f64; 2]) {
    for [x, y] in points.iter().filter(|p| p[1].is_finite()) {
        let left = frame.x(*x) + offset;
        let (top, bottom) = (frame.y(y.max(0.0)), frame.y(y.min(0.0)));
        let _ = write!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"><title>{}</title></rect>",
            width * 0.9,
            bottom - top,
            number(*y)
        );
    }
}

/// A label in lines of at most so many letters, as far as its words allow.
fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_inclusive([' ', '-']) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.trim_end().chars().count() <= most => {
                line.push_str(word)
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// About five round numbers across a range.
fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let raw = (high - low) / 5.0;
    if raw.is_nan() || raw <= 0.0 || !raw.is_finite() {
        return vec![low];
    }
    let power = 10f64.powf(raw.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| *step >= raw * 0.999).unwrap_or(raw);
    let first = (low / step - 1e-9).ceil() as i64;
    (first..first + 12).map(|k| k as f64 * step).take_while(|tick| *tick <= high + 1e-9 * step).collect()
}

fn short(x: f64) -> String {
    let text = if x != 0.0 && x.abs() < 1e-3 { format!("{x:.0e}") } else { format!("{x:.3}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_broken_between_words() {
        assert_eq!(lines("modified Gottschalk", 14), ["modified", "Gottschalk"]);
        assert_eq!(lines("surface-area", 9), ["surface-", "area"]);
        assert_eq!(lines("Cubo – Cubo", 14), ["Cubo – Cubo"]);
    }

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!(ticks([0.0, 1.0]), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks([0.0, 50.0]).last(), Some(&50.0));
        assert_eq!(ticks([3.0, 3.0]), [3.0]);
    }
}
