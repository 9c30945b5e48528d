//! Sectors of solids of revolution as STEP text, with their closed forms.
//!
//! A profile in the half plane of radius and height is turned about the z axis by less than a full turn. The text may
//! describe spheres from any axis, part its edges in the middle, and begin its loops at any vertex.

use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use std::fmt::Write;

/// A piece of a profile, counter-clockwise about its inside.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    /// From one point to another.
    Line(DVec2, DVec2),
    /// About a centre, with half axes along radius and height, between two angles.
    Arc { center: DVec2, half: DVec2, from: f64, to: f64 },
}

impl Piece {
    pub(crate) fn at(&self, share: f64) -> DVec2 {
        match *self {
            Self::Line(a, b) => a.lerp(b, share),
            Self::Arc { center, half, from, to } => {
                let p = center + half * DVec2::from_angle(from + (to - from) * share);
                // Points on the axis are exactly there.
                DVec2::new(if p.x.abs() < 1e-12 * half.x { 0.0 } else { p.x }, p.y)
            }
        }
    }

    fn is_on_axis(&self) -> bool {
        matches!(self, Self::Line(a, b) if a.x == 0.0 && b.x == 0.0)
    }
}

/// A profile that is turned about the axis, and how the text describes it.
#[derive(Clone, Debug)]
pub(crate) struct Sector {
    pub profile: Vec<Piece>,
    pub angle: f64,
    /// Axis and reference direction of spheres.
    pub axes: [DVec3; 2],
    /// Edges are parted in the middle.
    pub is_parted: bool,
    /// Edge that every loop begins with.
    pub first: usize,
    pub turn: DQuat,
}

impl Sector {
    pub(crate) fn new(profile: &[Piece], angle: f64) -> Self {
        let turn = DQuat::IDENTITY;
        Self {
            profile: profile.to_vec(),
            angle,
            axes: [DVec3::Z, DVec3::X],
            is_parted: false,
            first: 0,
            turn,
        }
    }

    fn outline(&self) -> Vec<DVec2> {
        let count = |piece: &Piece| if matches!(piece, Piece::Line(..)) { 1 } else { 600 };
        let points = |piece: &Piece| {
            let (piece, n) = (*piece, count(piece));
            (0..n).map(move |k| piece.at(f64::from(k) / f64::from(n)))
        };
        self.profile.iter().flat_map(points).collect()
    }

    /// Returns `true` if an outline is no circle, so that its face is a spline.
    pub(crate) fn has_splines(&self) -> bool {
        let is_round = |piece: &Piece| matches!(piece, Piece::Arc { half, .. } if half.x != half.y);
        self.profile.iter().any(is_round)
    }

    /// Its volume and its area (theorems of Pappus).
    pub(crate) fn volume_and_area(&self) -> [f64; 2] {
        let outline = self.outline();
        let (mut volume, mut lateral, mut flat) = (0.0, 0.0, 0.0);
        for (k, a) in outline.iter().enumerate() {
            let b = outline[(k + 1) % outline.len()];
            let rise = b.y - a.y;
            volume += rise * (a.x * a.x + a.x * b.x + b.x * b.x) / 6.0;
            flat += rise * 0.5 * (a.x + b.x);
            lateral += a.distance(b) * 0.5 * (a.x + b.x);
        }
        [volume * self.angle, lateral * self.angle + 2.0 * flat]
    }

    /// The distance of a point from the solid, negative inside: that from the surface.
    pub(crate) fn distance(&self, point: DVec3) -> f64 {
        let p = self.turn.inverse() * point;
        let (outline, r) = (self.outline(), p.x.hypot(p.y));
        let angle = p.y.atan2(p.x).rem_euclid(TAU);
        let flat = |q: DVec2| {
            let mut nearest = f64::INFINITY;
            let mut is_inside = false;
            for (k, &a) in outline.iter().enumerate() {
                let b = outline[(k + 1) % outline.len()];
                let share = ((q - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                // The axis bounds the half plane, not the solid.
                let is_axis = a.x == 0.0 && b.x == 0.0;
                nearest = if is_axis { nearest } else { nearest.min(q.distance(a.lerp(b, share))) };
                is_inside ^=
                    (a.y > q.y) != (b.y > q.y) && q.x < a.x + (b.x - a.x) * (q.y - a.y) / (b.y - a.y);
            }
            (nearest, is_inside)
        };
        let side = |at: f64| {
            let (along, across) = (p.x * at.cos() + p.y * at.sin(), p.y * at.cos() - p.x * at.sin());
            let clamped = outline_distance(&outline, DVec2::new(along, p.z));
            clamped.hypot(across)
        };
        let sides = side(0.0).min(side(self.angle));
        let (nearest, is_inside) = flat(DVec2::new(r, p.z));
        match (angle <= self.angle, is_inside) {
            (true, true) => -nearest.min(sides),
            (true, false) => nearest.min(sides),
            (false, _) => sides,
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = Text { sector: self, data: String::new(), count: 0, vertices: Vec::new() };
        text.write()
    }
}

/// The distance of a point of the plane from the inside of an outline.
fn outline_distance(outline: &[DVec2], q: DVec2) -> f64 {
    let (mut nearest, mut is_inside) = (f64::INFINITY, false);
    for (k, &a) in outline.iter().enumerate() {
        let b = outline[(k + 1) % outline.len()];
        let share = ((q - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        nearest = nearest.min(q.distance(a.lerp(b, share)));
        is_inside ^= (a.y > q.y) != (b.y > q.y) && q.x < a.x + (b.x - a.x) * (q.y - a.y) / (b.y - a.y);
    }
    if is_inside { 0.0 } else { nearest }
}

/// Edges in the order of a walk, with their directions.
type Walk = Vec<(usize, bool)>;

fn back(walk: &Walk) -> Walk {
    walk.iter().rev().map(|&(edge, forward)| (edge, !forward)).collect()
}

struct Text<'s> {
    sector: &'s Sector,
    data: String,
    count: usize,
    vertices: Vec<(DVec3, usize)>,
}

impl Text<'_> {
    fn add(&mut self, text: &str) -> usize {
        self.count += 1;
        writeln!(self.data, "#{} = {text};", self.count).unwrap();
        self.count
    }

    fn direction(&mut self, v: DVec3) -> usize {
        let [x, y, z] = (self.sector.turn * v).to_array();
        self.add(&format!("DIRECTION('',({x:?},{y:?},{z:?}))"))
    }

    fn point(&mut self, p: DVec3) -> usize {
        let [x, y, z] = (self.sector.turn * p).to_array();
        self.add(&format!("CARTESIAN_POINT('',({x:?},{y:?},{z:?}))"))
    }

    fn frame(&mut self, origin: DVec3, axis: DVec3, reference: DVec3) -> usize {
        let (p, d, x) = (self.point(origin), self.direction(axis), self.direction(reference));
        self.add(&format!("AXIS2_PLACEMENT_3D('',#{p},#{d},#{x})"))
    }

    fn vertex(&mut self, p: DVec3) -> usize {
        if let Some(&(_, found)) = self.vertices.iter().find(|(q, _)| q.distance(p) < 1e-9) {
            return found;
        }
        let point = self.point(p);
        let made = self.add(&format!("VERTEX_POINT('',#{point})"));
        self.vertices.push((p, made));
        made
    }

    /// Edges along a curve through points.
    fn edges(&mut self, curve: &str, along: bool, at: impl Fn(f64) -> DVec3) -> Walk {
        let curve = self.add(curve);
        let ends = if self.sector.is_parted { vec![0.0, 0.5, 1.0] } else { vec![0.0, 1.0] };
        let mut walk = Walk::new();
        for pair in ends.windows(2) {
            let [a, b] = [at(pair[0]), at(pair[1])].map(|p| self.vertex(p));
            let flag = if along { "T" } else { "F" };
            walk.push((self.add(&format!("EDGE_CURVE('',#{a},#{b},#{curve},.{flag}.)")), true));
        }
        walk
    }

    /// A piece in the half plane at an angle.
    fn meridian(&mut self, piece: Piece, angle: f64) -> Walk {
        let out = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let place = move |p: DVec2| out * p.x + DVec3::Z * p.y;
        match piece {
            Piece::Line(a, b) => {
                let (p, d) = (self.point(place(a)), self.direction(place(b) - place(a)));
                let vector = self.add(&format!("VECTOR('',#{d},1.)"));
                self.edges(&format!("LINE('',#{p},#{vector})"), true, |s| place(a.lerp(b, s)))
            }
            Piece::Arc { center, half, from, to } => {
                let frame = self.frame(place(center), out.cross(DVec3::Z), out);
                let curve = if half.x == half.y {
                    format!("CIRCLE('',#{frame},{:?})", half.x)
                } else {
                    format!("ELLIPSE('',#{frame},{:?},{:?})", half.x, half.y)
                };
                self.edges(&curve, from < to, move |s| place(piece.at(s)))
            }
        }
    }

    /// The circle that a vertex of the profile is turned along; none on the axis.
    fn parallel(&mut self, p: DVec2) -> Walk {
        if p.x == 0.0 {
            return Walk::new();
        }
        let frame = self.frame(DVec3::Z * p.y, DVec3::Z, DVec3::X);
        let angle = self.sector.angle;
        self.edges(&format!("CIRCLE('',#{frame},{:?})", p.x), true, |s| {
            DVec3::new(p.x * (angle * s).cos(), p.x * (angle * s).sin(), p.y)
        })
    }

    fn face(&mut self, surface: usize, sense: bool, mut walk: Walk) -> usize {
        let first = self.sector.first % walk.len();
        walk.rotate_left(first);
        let oriented: Vec<String> = walk
            .iter()
            .map(|&(edge, forward)| {
                let flag = if forward { "T" } else { "F" };
                format!("#{}", self.add(&format!("ORIENTED_EDGE('',*,*,#{edge},.{flag}.)")))
            })
            .collect();
        let ring = self.add(&format!("EDGE_LOOP('',({}))", oriented.join(",")));
        let bound = self.add(&format!("FACE_BOUND('',#{ring},.T.)"));
        let flag = if sense { "T" } else { "F" };
        self.add(&format!("ADVANCED_FACE('',(#{bound}),#{surface},.{flag}.)"))
    }

    /// The surface of a turned piece, and whether its normal points outward.
    fn surface(&mut self, piece: Piece) -> (usize, bool) {
        match piece {
            Piece::Line(a, b) if a.y == b.y => {
                let up = if b.x < a.x { DVec3::Z } else { -DVec3::Z };
                let frame = self.frame(DVec3::Z * a.y, up, DVec3::X);
                (self.add(&format!("PLANE('',#{frame})")), true)
            }
            Piece::Line(a, b) if a.x == b.x => {
                let frame = self.frame(DVec3::ZERO, DVec3::Z, DVec3::X);
                (self.add(&format!("CYLINDRICAL_SURFACE('',#{frame},{:?})", a.x)), b.y > a.y)
            }
            Piece::Line(a, b) => {
                let wide = if a.x > b.x { a } else { b };
                let slope = (b.x - a.x) / (b.y - a.y);
                let frame = self.frame(DVec3::Z * wide.y, DVec3::Z * slope.signum(), DVec3::X);
                let (r, half) = (wide.x, slope.abs().atan());
                (self.add(&format!("CONICAL_SURFACE('',#{frame},{r:?},{half:?})")), b.y > a.y)
            }
            Piece::Arc { center, half, from, to } => {
                let made = if center.x > 0.0 {
                    let frame = self.frame(DVec3::Z * center.y, DVec3::Z, DVec3::X);
                    self.add(&format!("TOROIDAL_SURFACE('',#{frame},{:?},{:?})", center.x, half.x))
                } else if half.x == half.y {
                    let [axis, reference] = self.sector.axes;
                    let frame = self.frame(DVec3::Z * center.y, axis, reference);
                    self.add(&format!("SPHERICAL_SURFACE('',#{frame},{:?})", half.x))
                } else {
                    self.ellipsoid(center.y, half)
                };
                (made, to > from)
            }
        }
    }

    /// A rational spline of degree 2 in both parameters, from pole to pole; its seam is at the reference of spheres.
    fn ellipsoid(&mut self, height: f64, half: DVec2) -> usize {
        let arc = |k: usize, from: f64, step: f64| {
            let angle = from + step * k as f64;
            let out = if k % 2 == 1 { 1.0 / step.cos() } else { 1.0 };
            (DVec2::from_angle(angle) * out, if k % 2 == 1 { step.cos() } else { 1.0 })
        };
        let seam = self.sector.axes[1].y.atan2(self.sector.axes[1].x);
        let (mut rows, mut weights) = (Vec::new(), Vec::new());
        for i in 0..9 {
            let (out, wu) = arc(i, seam, PI / 4.0);
            let (mut row, mut own) = (Vec::new(), Vec::new());
            for j in 0..5 {
                let (p, wv) = arc(j, -PI / 2.0, PI / 4.0);
                let r = if j % 4 == 0 { 0.0 } else { half.x * p.x };
                let point = self.point(DVec3::new(out.x * r, out.y * r, height + half.y * p.y));
                row.push(format!("#{point}"));
                own.push(format!("{:?}", wu * wv));
            }
            rows.push(format!("({})", row.join(",")));
            weights.push(format!("({})", own.join(",")));
        }
        let (rows, weights) = (rows.join(","), weights.join(","));
        self.add(&format!(
            "(BOUNDED_SURFACE()B_SPLINE_SURFACE(2,2,({rows}),.UNSPECIFIED.,.T.,.F.,.F.)\
             B_SPLINE_SURFACE_WITH_KNOTS((3,2,2,2,3),(3,2,3),(0.,1.,2.,3.,4.),(0.,1.,2.),.UNSPECIFIED.)\
             GEOMETRIC_REPRESENTATION_ITEM()RATIONAL_B_SPLINE_SURFACE(({weights}))REPRESENTATION_ITEM('')SURFACE())"
        ))
    }

    fn write(&mut self) -> String {
        let Sector { profile, angle, .. } = self.sector;
        let mut faces = Vec::new();
        let n = profile.len();
        let parallels: Vec<Walk> = profile.iter().map(|piece| self.parallel(piece.at(0.0))).collect();
        let mut sides = [Walk::new(), Walk::new()];
        for (k, &piece) in profile.iter().enumerate() {
            if piece.is_on_axis() {
                let axis = self.meridian(piece, 0.0);
                sides.iter_mut().for_each(|side| side.extend(&axis));
                continue;
            }
            let [near, far] = [self.meridian(piece, 0.0), self.meridian(piece, *angle)];
            let walk =
                [parallels[k].clone(), far.clone(), back(&parallels[(k + 1) % n]), back(&near)].concat();
            let (surface, sense) = self.surface(piece);
            faces.push(self.face(surface, sense, walk));
            sides[0].extend(near);
            sides[1].extend(far);
        }
        let normals = [DVec3::NEG_Y, DVec3::new(-angle.sin(), angle.cos(), 0.0)];
        for (side, normal) in [0, 1].into_iter().zip(normals) {
            let walk = if side == 0 { sides[0].clone() } else { back(&sides[1]) };
            let frame = self.frame(DVec3::ZERO, normal, DVec3::Z);
            let plane = self.add(&format!("PLANE('',#{frame})"));
            faces.push(self.face(plane, true, walk));
        }
        let list: Vec<String> = faces.iter().map(|face| format!("#{face}")).collect();
        let shell = self.add(&format!("CLOSED_SHELL('',({}))", list.join(",")));
        let solid = self.add(&format!("MANIFOLD_SOLID_BREP('sector',#{shell})"));
        let length = self.add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))");
        let radian = self.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))");
        let context = self.add(&format!(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#{length},#{radian})) \
             REPRESENTATION_CONTEXT('',''))"
        ));
        self.add(&format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#{solid}),#{context})"));
        format!(
            "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n{}ENDSEC;\nEND-ISO-10303-21;\n",
            self.data
        )
    }
}
