//! Draws the figures of the book with the library's own answers: `cargo run --release -p noli --example book_figures -- docs/figures`.
#![allow(clippy::print_stdout, reason = "an example: its output is its purpose")]

use glam::{DQuat, DVec3, dvec3};
use noli::motion::{RigidMotion, Still};
use noli::trace::Stats;
use noli::{
    Convex, Impact, Mesh, Model, Overlap, Pose, QueryContext, Scratch, Shape, clearance, overlap, relation,
    time_of_impact,
};
use std::fmt::Write as _;
use std::path::Path;

type Drawn = Result<String, Box<dyn std::error::Error>>;
/// A figure by its name.
type Figure = (&'static str, fn() -> Drawn);

const FREE: &str = "#dcefe3";
const HIT: &str = "#c0392b";
const OPEN: &str = "#f2c14e";
const INK: &str = "#1d2430";
const SOFT: &str = "#5b6675";
const BLUE: &str = "#2f6fb0";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "docs/figures".to_owned());
    let figures: [Figure; 5] = [
        ("relations", relations),
        ("exactness", exactness),
        ("cascade", cascade),
        ("motion", motion),
        ("configurations", configurations),
    ];
    std::fs::create_dir_all(&folder)?;
    for (name, draw) in figures {
        let file = Path::new(&folder).join(format!("{name}.svg"));
        std::fs::write(&file, draw()?)?;
        println!("{}", file.display());
    }
    Ok(())
}

/// A drawing of a given size, in pixels.
struct Svg(String);

impl Svg {
    fn new(width: f64, height: f64) -> Self {
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"13\">\n<style>rect{{shape-rendering:crispEdges}}</style>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        ))
    }

    fn rect(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], fill: &str) {
        let _ = writeln!(
            self.0,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\" />"
        );
    }

    fn circle(&mut self, [x, y]: [f64; 2], radius: f64, fill: &str) {
        let _ = writeln!(
            self.0,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"{fill}\" fill-opacity=\"0.75\"/>"
        );
    }

    fn line(&mut self, points: &[[f64; 2]], stroke: &str, width: f64) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
        let _ = writeln!(
            self.0,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
            points.join(" ")
        );
    }

    fn text(&mut self, [x, y]: [f64; 2], anchor: &str, fill: &str, text: &str) {
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
        );
    }

    fn done(self) -> String {
        self.0 + "</svg>\n"
    }
}

fn along_x(x: f64) -> Pose {
    Pose::from_translation(dvec3(x, 0.0, 0.0))
}

/// Two spheres at five distances, with the computed relation and number below each.
fn relations() -> Drawn {
    let mut svg = Svg::new(760.0, 190.0);
    let (large, small) = (Model::new(Convex::sphere(1.0)?)?, Model::new(Convex::sphere(0.5)?)?);
    for (place, x) in [2.0, 1.625, 1.5, 1.25, 0.25].into_iter().enumerate() {
        let (a, b) = (large.at(Pose::IDENTITY), small.at(along_x(x)));
        let centre = [70.0 + 152.0 * place as f64, 75.0];
        svg.circle(centre, 40.0, "#9fb8d6");
        svg.circle([centre[0] + 40.0 * x, centre[1]], 20.0, if x > 1.5 { "#8fc7a4" } else { "#e0897f" });
        let distance = clearance(&a, &b).distance;
        let found = format!("{:?}", relation(&a, &b)).to_lowercase();
        let word = if x == 1.625 { "closer than a margin".to_owned() } else { found };
        svg.text([centre[0] + 20.0, 150.0], "middle", INK, &word);
        let number = if distance.at_most > 0.0 {
            format!("clearance {:.3}", distance.at_least)
        } else {
            "collision".to_owned()
        };
        svg.text([centre[0] + 20.0, 170.0], "middle", SOFT, &number);
    }
    Ok(svg.done())
}

/// A vertex moves by single roundoffs about a face: a rounded plane equation on the left, `overlap` on the right.
fn exactness() -> Drawn {
    let (cells, size) = (48_i32, 6.0);
    let mut svg = Svg::new(680.0, 350.0);
    // Coordinates of 37 bits, so that differences are exact and the products of the plane equation are not.
    let a =
        dvec3(100.0, 101.0, 103.0) + dvec3(357_913_941.0, 613_566_757.0, 119_304_647.0) / f64::from(1 << 30);
    let [b, c] = [dvec3(24.0, 0.0, -1.0), dvec3(0.0, 24.0, -0.5)].map(|edge| a + edge);
    let face = Model::new(Mesh::from_triangles(vec![a, b, c], vec![[0, 1, 2]], &Default::default())?)?;
    let normal = (b - a).cross(c - a);
    let on_face = a + ((b - a) + (c - a)) * 0.25;
    let above = on_face + normal * 0.05;
    let mut wrong = 0;
    for row in 0..cells {
        let mut verdicts = [Vec::new(), Vec::new()];
        for column in 0..cells {
            let steps = dvec3(f64::from(column - cells / 2), f64::from(row - cells / 2), 0.0);
            let tip = on_face + steps * (f64::EPSILON * 64.0);
            let needle = vec![tip, above, above + dvec3(0.5, 0.0, 0.0)];
            let needle = Model::new(Mesh::from_triangles(needle, vec![[0, 1, 2]], &Default::default())?)?;
            verdicts[0].push(normal.dot(tip) - normal.dot(a) <= 0.0);
            verdicts[1].push(overlap(&face.at(Pose::IDENTITY), &needle.at(Pose::IDENTITY)) == Overlap::Hit);
        }
        wrong += verdicts[0].iter().zip(&verdicts[1]).filter(|(rounded, exact)| rounded != exact).count();
        for (left, verdicts) in [20.0, 370.0].into_iter().zip(&verdicts) {
            let mut column = 0;
            for run in verdicts.chunk_by(|a, b| a == b) {
                let place = [left + size * column as f64, 20.0 + size * f64::from(row)];
                svg.rect(place, [size * run.len() as f64, size], if run[0] { HIT } else { FREE });
                column += run.len();
            }
        }
    }
    svg.text(
        [20.0, 330.0],
        "start",
        INK,
        &format!("rounded plane equation: {wrong} of {} wrong", cells * cells),
    );
    svg.text([370.0, 330.0], "start", INK, "noli: the verdict of real arithmetic");
    Ok(svg.done())
}

/// Tests of one overlap query at shrinking clearances, by stage, on a logarithmic scale.
fn cascade() -> Drawn {
    let mesh = noli_scenes::bumpy_sphere(59, 0.3);
    let body = Model::new(Mesh::from_triangles(mesh.vertices, mesh.triangles, &Default::default())?)?;
    let mut svg = Svg::new(720.0, 300.0);
    let all = 69_620.0_f64 * 69_620.0;
    let width = |count: f64| 440.0 * (count.max(1.0).log10() / all.log10());
    let mut scratch = Scratch::default();
    let mut stats = Stats::default();
    for pose in noli_scenes::w1_poses(noli_scenes::W1_SEED, 1000) {
        let _ = QueryContext::new(&mut scratch)
            .with_trace(&mut stats)
            .overlap(&body.at(Pose::IDENTITY), &body.at(pose));
    }
    let stages = [
        ("pairs of triangles", all * 1000.0, SOFT),
        ("boxes: pairs tested", stats.blocks as f64 * 16.0, BLUE),
        ("boxes: pairs left", stats.survivors as f64, BLUE),
        ("triangles: blocks of pairs tested", stats.leaf_pairs as f64, "#2e8b57"),
        ("triangles: pairs left for f64 and exact tests", stats.unsure as f64, HIT),
    ];
    svg.text(
        [20.0, 30.0],
        "start",
        INK,
        "Tests per overlap query, mean of 1000 poses of two meshes of 69,620 triangles",
    );
    for (row, (label, count, fill)) in stages.into_iter().enumerate() {
        let y = 60.0 + 45.0 * row as f64;
        let mean = count / 1000.0;
        svg.text([20.0, y], "start", SOFT, label);
        svg.rect([20.0, y + 6.0], [width(mean).max(1.0), 16.0], fill);
        let number = if mean >= 10.0 { format!("{mean:.0}") } else { format!("{mean:.3}") };
        svg.text([30.0 + width(mean).max(1.0), y + 19.0], "start", INK, &number);
    }
    Ok(svg.done())
}

/// Clearance of a swinging bar and a thin plate over time: samples miss the contact, the proof does not.
fn motion() -> Drawn {
    let bar = Model::new(Mesh::cuboid(dvec3(2.0, 0.1, 0.1))?.into_solid())?;
    let plate = Model::new(Mesh::cuboid(dvec3(0.02, 0.02, 0.4))?.into_solid())?;
    let swing = RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::ZERO, DVec3::Z * 3.0, DVec3::ZERO);
    let place = Pose::from_translation(dvec3(0.0, 0.98, 0.0));
    let still = Still(place);
    let at = |time: f64| {
        let pose = Pose::new(DQuat::from_rotation_z(3.0 * time), DVec3::ZERO);
        clearance(&bar.at(pose), &plate.at(place)).distance.at_least
    };
    let mut svg = Svg::new(720.0, 330.0);
    let spot = |time: f64, distance: f64| [60.0 + 620.0 * time, 260.0 - 210.0 * distance];
    let curve: Vec<[f64; 2]> =
        (0..=400).map(|k| f64::from(k) / 400.0).map(|time| spot(time, at(time))).collect();
    svg.line(&[spot(0.0, 0.0), spot(1.0, 0.0)], SOFT, 1.0);
    svg.line(&curve, BLUE, 2.5);
    for sample in 0..=9 {
        let time = f64::from(sample) / 9.0;
        svg.circle(spot(time, at(time)), 5.0, if at(time) > 0.0 { "#2e8b57" } else { HIT });
    }
    let impact = time_of_impact(&bar.moving(&swing), &plate.moving(&still));
    if let Impact::At { time, .. } = impact {
        svg.line(&[spot(time.safe_until, 0.0), spot(time.safe_until, 0.95)], HIT, 1.5);
        let label =
            format!("noli: no contact before {:.6}, contact by {:.6}", time.safe_until, time.touching_by);
        svg.text([spot(time.safe_until, 0.0)[0] + 8.0, 66.0], "start", HIT, &label);
    }
    svg.text([60.0, 30.0], "start", INK, "Clearance of a turning bar and a thin post over the motion");
    svg.text([60.0, 290.0], "start", "#2e8b57", "dots: ten samples, all collision-free");
    svg.text([680.0, 290.0], "end", SOFT, "time from 0 to 1");
    Ok(svg.done())
}

/// Two links in a plane, and an obstacle: cells of the configuration space that are proven free or in collision.
struct PlanarArm {
    link: Model,
    post: Model,
}

impl PlanarArm {
    const LENGTH: f64 = 1.0;

    /// Returns the smallest clearance of both links, and the penetration that is certain, 0 if none.
    fn clearance(&self, q: [f64; 2]) -> f64 {
        let post = self.post.at(Pose::from_translation(dvec3(1.1, 0.7, 0.0)));
        let along = |angle: f64| dvec3(angle.cos(), angle.sin(), 0.0);
        let elbow = along(q[0]) * Self::LENGTH;
        let link = |from: DVec3, angle: f64| {
            let pose = Pose::new(DQuat::from_rotation_z(angle), from + along(angle) * (Self::LENGTH / 2.0));
            clearance(&self.link.at(pose), &post).distance.at_least
        };
        link(DVec3::ZERO, q[0]).min(link(elbow, q[0] + q[1]))
    }

    /// Divides a cell until it is proven free, or too small.
    fn prove(
        &self,
        centre: [f64; 2],
        half: f64,
        depth: u32,
        paint: &mut impl FnMut([f64; 2], f64, &'static str),
    ) {
        let distance = self.clearance(centre);
        // The tip moves by at most twice the length for the first joint and once for the second.
        if distance > half * 3.0 * Self::LENGTH + half * 0.3 {
            return paint(centre, half, FREE);
        }
        if depth == 0 {
            return paint(centre, half, if distance == 0.0 { HIT } else { OPEN });
        }
        let quarter = half / 2.0;
        for [x, y] in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
            let inner = [centre[0] + x * quarter, centre[1] + y * quarter];
            self.prove(inner, quarter, depth - 1, paint);
        }
    }
}

fn configurations() -> Drawn {
    let size = dvec3(PlanarArm::LENGTH, 0.08, 0.08);
    let arm = PlanarArm {
        link: Model::new(Shape::from(Convex::cuboid(size)?))?,
        post: Model::new(Shape::from(Convex::sphere(0.25)?))?,
    };
    let mut svg = Svg::new(640.0, 430.0);
    let half = std::f64::consts::PI;
    let scale = 380.0 / (2.0 * half);
    let mut counts = [0; 3];
    arm.prove([0.0, 0.0], half, 6, &mut |centre, half, fill| {
        counts[[FREE, HIT, OPEN].iter().position(|known| *known == fill).unwrap_or(0)] += 1;
        let corner = centre.map(|angle| (angle - half + std::f64::consts::PI) * scale);
        svg.rect([20.0 + corner[0], 20.0 + corner[1]], [2.0 * half * scale; 2], fill);
    });
    let legend = [
        (FREE, "proven free", 0),
        (HIT, "in collision at its centre", 1),
        (OPEN, "not decided at this size", 2),
    ];
    for (fill, label, at) in legend {
        let y = 40.0 + 50.0 * f64::from(at);
        svg.rect([420.0, y], [16.0, 16.0], fill);
        svg.text([445.0, y + 13.0], "start", INK, label);
        svg.text([445.0, y + 30.0], "start", SOFT, &format!("{} cells", counts[at as usize]));
    }
    svg.text([20.0, 420.0], "start", SOFT, "joint 1 from -180 to 180 degrees, joint 2 downwards the same");
    Ok(svg.done())
}
