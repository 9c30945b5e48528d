//! Points, curves and surfaces.

use super::part21::{Exchange, Instance, Record, Value};
use super::{Units, Unread};
use crate::curve::Curve;
use crate::frame::Frame;
use crate::recognize::simpler_curve;
use crate::spline::{SplineCurve, SplineSurface};
use crate::surface::Surface;
use glam::DVec3;
use std::cell::Cell;

/// Longest chain of entities that define each other.
const MAX_DEPTH: usize = 32;

/// Why an entity was not read.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) unread: Unread,
}

impl Refusal {
    pub(super) fn at(instance: &Instance, reason: impl Into<String>) -> Self {
        let names: Vec<&str> = instance.records.iter().map(|record| record.keyword.as_str()).collect();
        let unread = Unread { entity: names.join("+"), line: instance.line, reason: reason.into() };
        Self { unread }
    }
}

impl Value {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Typed(record) => record.values.first().and_then(Self::number),
            _ => None,
        }
    }

    /// A whole number from 0 to 2^32 - 1.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and of 32 bits")]
    pub(super) fn whole(&self) -> Option<usize> {
        let is_whole = |n: &f64| n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(n);
        self.number().filter(is_whole).map(|n| n as usize)
    }

    pub(super) fn reference(&self) -> Option<u64> {
        if let Self::Reference(id) = self { Some(*id) } else { None }
    }

    pub(super) fn list(&self) -> Option<&[Value]> {
        if let Self::List(values) = self { Some(values) } else { None }
    }
}

/// Reads geometry in given units.
pub(super) struct Reader<'e> {
    pub(super) exchange: &'e Exchange,
    pub(super) units: Units,
    /// Greatest deviation of simpler curves and surfaces from those of the file.
    pub(super) deviation: Cell<f64>,
}

impl<'e> Reader<'e> {
    pub(super) fn new(exchange: &'e Exchange, units: Units) -> Self {
        Self { exchange, units, deviation: Cell::new(0.0) }
    }

    /// Takes over a deviation.
    pub(super) fn deviate(&self, deviation: f64) {
        self.deviation.set(self.deviation.get().max(deviation));
    }

    pub(super) fn instance(&self, id: u64) -> Result<&'e Instance, Refusal> {
        self.exchange.get(id).ok_or_else(|| Refusal {
            unread: Unread {
                entity: format!("#{id}"),
                line: self.exchange.first_use(id),
                reason: "it is referred to but not defined".to_owned(),
            },
        })
    }

    /// The only record of an instance, or the one that says what it is.
    pub(super) fn record(&self, id: u64) -> Result<(&'e Instance, &'e Record), Refusal> {
        let instance = self.instance(id)?;
        match instance.records.first() {
            Some(record) => Ok((instance, record)),
            None => Err(Refusal::at(instance, "an instance without a record")),
        }
    }

    fn bad(&self, record: &Record, position: usize, wanted: &str) -> Refusal {
        let reason = format!("parameter {} is not {wanted}", position.saturating_add(1));
        match self.exchange.owner(record) {
            Some(instance) => Refusal::at(instance, reason),
            None => Refusal { unread: Unread { entity: record.keyword.clone(), line: 0, reason } },
        }
    }

    pub(super) fn reference(&self, record: &Record, position: usize) -> Result<u64, Refusal> {
        record
            .values
            .get(position)
            .and_then(Value::reference)
            .ok_or_else(|| self.bad(record, position, "a reference"))
    }

    pub(super) fn references(&self, record: &Record, position: usize) -> Result<Vec<u64>, Refusal> {
        let list = record.values.get(position).and_then(Value::list);
        let found = list.and_then(|values| values.iter().map(Value::reference).collect());
        found.ok_or_else(|| self.bad(record, position, "a list of references"))
    }

    fn number(&self, record: &Record, position: usize) -> Result<f64, Refusal> {
        record
            .values
            .get(position)
            .and_then(Value::number)
            .ok_or_else(|| self.bad(record, position, "a number"))
    }

    fn length(&self, record: &Record, position: usize) -> Result<f64, Refusal> {
        let length = self.number(record, position)? * self.units.length;
        if length > 0.0 { Ok(length) } else { Err(self.bad(record, position, "a positive length")) }
    }

    fn numbers(&self, record: &Record, position: usize) -> Result<Vec<f64>, Refusal> {
        let list = record.values.get(position).and_then(Value::list);
        let found = list.and_then(|values| values.iter().map(Value::number).collect());
        found.ok_or_else(|| self.bad(record, position, "a list of numbers"))
    }

    /// A degree or another count.
    fn count(&self, record: &Record, position: usize) -> Result<usize, Refusal> {
        let found = record.values.get(position).and_then(Value::whole);
        found.ok_or_else(|| self.bad(record, position, "a whole number"))
    }

    fn counts(&self, record: &Record, position: usize) -> Result<Vec<usize>, Refusal> {
        let list = record.values.get(position).and_then(Value::list);
        let found = list.and_then(|values| values.iter().map(Value::whole).collect());
        found.ok_or_else(|| self.bad(record, position, "a list of whole numbers"))
    }

    /// `true` for `.T.`.
    pub(super) fn truth(&self, record: &Record, position: usize) -> bool {
        !matches!(record.values.get(position), Some(Value::Enumeration(name)) if &**name == "F")
    }

    pub(super) fn name(&self, record: &Record, position: usize) -> String {
        match record.values.get(position) {
            Some(Value::Text(text)) => text.trim().to_owned(),
            _ => String::new(),
        }
    }

    fn triple(&self, id: u64, keyword: &str) -> Result<DVec3, Refusal> {
        let (instance, record) = self.record(id)?;
        if record.keyword != keyword {
            return Err(Refusal::at(instance, format!("it stands where {keyword} is expected")));
        }
        let numbers = self.numbers(record, 1)?;
        let at = |k: usize| numbers.get(k).copied().unwrap_or(0.0);
        Ok(DVec3::new(at(0), at(1), at(2)))
    }

    pub(super) fn point(&self, id: u64) -> Result<DVec3, Refusal> {
        let point = self.triple(id, "CARTESIAN_POINT")? * self.units.length;
        let most = noli_geom::MAX_COORDINATE;
        if point.abs().max_element() <= most {
            Ok(point)
        } else {
            Err(Refusal::at(self.instance(id)?, "too far from the origin"))
        }
    }

    pub(super) fn direction(&self, id: u64) -> Result<DVec3, Refusal> {
        self.triple(id, "DIRECTION")
    }

    /// The frame of an AXIS2_PLACEMENT_3D or AXIS1_PLACEMENT.
    pub(super) fn frame(&self, id: u64) -> Result<Frame, Refusal> {
        let (instance, record) = self.record(id)?;
        let origin = self.point(self.reference(record, 1)?)?;
        let direction = |position: usize| match record.values.get(position) {
            Some(Value::Reference(id)) => self.direction(*id).map(Some),
            _ => Ok(None),
        };
        let axis = direction(2)?.unwrap_or(DVec3::Z);
        let reference = if record.keyword == "AXIS2_PLACEMENT_3D" { direction(3)? } else { None };
        Frame::new(origin, axis, reference).ok_or_else(|| Refusal::at(instance, "its axis has no direction"))
    }

    /// A vector in millimetres.
    fn vector(&self, id: u64) -> Result<DVec3, Refusal> {
        let (instance, record) = self.record(id)?;
        let direction = self.direction(self.reference(record, 1)?)?;
        let unit = crate::frame::unit(direction)
            .ok_or_else(|| Refusal::at(instance, "a vector without direction"))?;
        let magnitude = self.number(record, 2)?;
        // The parameter of a line is not used, so that a vector of length zero keeps its direction.
        Ok(unit * if magnitude > 0.0 { magnitude * self.units.length } else { 1.0 })
    }

    pub(super) fn curve(&self, id: u64, depth: usize) -> Result<Curve, Refusal> {
        let instance = self.instance(id)?;
        if depth > MAX_DEPTH {
            return Err(Refusal::at(instance, "it is defined by itself"));
        }
        if let Some(curve) = self.spline_curve(instance)? {
            let Some((simpler, deviation)) = simpler_curve(&curve) else { return Ok(curve) };
            self.deviate(deviation);
            return Ok(simpler);
        }
        let (_, record) = self.record(id)?;
        let frame = || self.frame(self.reference(record, 1)?);
        Ok(match record.keyword.as_str() {
            "LINE" => Curve::Line {
                origin: self.point(self.reference(record, 1)?)?,
                direction: self.vector(self.reference(record, 2)?)?,
            },
            "CIRCLE" => Curve::Circle { frame: frame()?, radius: self.length(record, 2)? },
            "ELLIPSE" => Curve::Ellipse {
                frame: frame()?,
                major: self.length(record, 2)?,
                minor: self.length(record, 3)?,
            },
            "PARABOLA" => Curve::Parabola { frame: frame()?, focal: self.length(record, 2)? },
            "HYPERBOLA" => Curve::Hyperbola {
                frame: frame()?,
                major: self.length(record, 2)?,
                minor: self.length(record, 3)?,
            },
            "SURFACE_CURVE" | "SEAM_CURVE" | "INTERSECTION_CURVE" | "TRIMMED_CURVE" => {
                self.curve(self.reference(record, 1)?, depth.saturating_add(1))?
            }
            "POLYLINE" => self.polyline(instance, record)?,
            _ => return Err(Refusal::at(instance, "this curve is not supported")),
        })
    }

    fn polyline(&self, instance: &Instance, record: &Record) -> Result<Curve, Refusal> {
        let points = self.points(record, 1)?;
        let knots: Vec<f64> = (0..points.len()).map(|k| k as f64).collect();
        let mut multiplicities = vec![1; points.len()];
        if let (Some(first), true) = (multiplicities.first_mut(), points.len() > 1) {
            *first = 2;
        }
        if let Some(last) = multiplicities.last_mut() {
            *last = 2;
        }
        let spline = SplineCurve::new(1, &points, None, &knots, &multiplicities);
        spline.map(Curve::Spline).ok_or_else(|| Refusal::at(instance, "a polyline needs two points"))
    }

    fn points(&self, record: &Record, position: usize) -> Result<Vec<DVec3>, Refusal> {
        self.references(record, position)?.into_iter().map(|id| self.point(id)).collect()
    }

    /// The records of a spline with the positions of their first own parameters: complex instances have one record for
    /// each supertype, simple ones have all parameters after the name.
    fn spline_curve(&self, instance: &Instance) -> Result<Option<Curve>, Refusal> {
        let simple = instance.records.len() == 1;
        let find = |keyword: &str| instance.record(keyword);
        let named = ["B_SPLINE_CURVE_WITH_KNOTS", "BEZIER_CURVE", "QUASI_UNIFORM_CURVE", "UNIFORM_CURVE"];
        let Some(kind) = named.iter().find_map(|name| find(name)) else { return Ok(None) };
        let (base, at) = if simple { (kind, 1) } else { (find("B_SPLINE_CURVE").unwrap_or(kind), 0) };
        let degree = self.count(base, at)?;
        let points = self.points(base, at.saturating_add(1))?;
        let (knots, multiplicities) = match kind.keyword.as_str() {
            "B_SPLINE_CURVE_WITH_KNOTS" => {
                let [counts, values] = if simple { [6, 7] } else { [0, 1] };
                (self.numbers(kind, values)?, self.counts(kind, counts)?)
            }
            other => implied_knots(other, degree, points.len()),
        };
        let weights = find("RATIONAL_B_SPLINE_CURVE").map(|record| self.numbers(record, 0)).transpose()?;
        let spline = SplineCurve::new(degree, &points, weights.as_deref(), &knots, &multiplicities);
        let spline = spline.ok_or_else(|| {
            Refusal::at(instance, "its degree, knots, weights and points do not fit together")
        })?;
        Ok(Some(Curve::Spline(spline)))
    }

    pub(super) fn surface(&self, id: u64, depth: usize) -> Result<Surface, Refusal> {
        let instance = self.instance(id)?;
        if depth > MAX_DEPTH {
            return Err(Refusal::at(instance, "it is defined by itself"));
        }
        if let Some(surface) = self.spline_surface(instance)? {
            return Ok(surface);
        }
        let (_, record) = self.record(id)?;
        let frame = || self.frame(self.reference(record, 1)?);
        Ok(match record.keyword.as_str() {
            "PLANE" => Surface::Plane(frame()?),
            "CYLINDRICAL_SURFACE" => Surface::Cylinder { frame: frame()?, radius: self.length(record, 2)? },
            "CONICAL_SURFACE" => {
                let half_angle = self.number(record, 3)? * self.units.angle;
                let radius = self.number(record, 2)? * self.units.length;
                let right = std::f64::consts::FRAC_PI_2;
                if half_angle.is_nan() || half_angle.abs() > right + 1e-6 {
                    return Err(self.bad(record, 3, "an angle between 0 and a right one"));
                }
                let frame = frame()?;
                if half_angle.abs() <= 1e-12 {
                    self.deviate(half_angle.abs() * 1e3 * radius.abs());
                    Surface::Cylinder { frame, radius: radius.abs() }
                } else if half_angle.abs() >= right - 1e-6 {
                    // So flat that it is a plane; its normal points against the axis if it opens along it.
                    self.deviate((right - half_angle.abs()).abs() * 10.0 * radius.abs());
                    let turned = Frame { y: -frame.y, z: -frame.z, ..frame };
                    Surface::Plane(if half_angle > 0.0 { turned } else { frame })
                } else {
                    Surface::Cone { frame, radius, half_angle }
                }
            }
            "SPHERICAL_SURFACE" => Surface::Sphere { frame: frame()?, radius: self.length(record, 2)? },
            "TOROIDAL_SURFACE" | "DEGENERATE_TOROIDAL_SURFACE" => Surface::Torus {
                frame: frame()?,
                major: self.length(record, 2)?,
                minor: self.length(record, 3)?,
            },
            "SURFACE_OF_REVOLUTION" => Surface::Revolution {
                curve: self.curve(self.reference(record, 1)?, depth.saturating_add(1))?,
                frame: self.frame(self.reference(record, 2)?)?,
            },
            "SURFACE_OF_LINEAR_EXTRUSION" => Surface::Extrusion {
                curve: self.curve(self.reference(record, 1)?, depth.saturating_add(1))?,
                direction: self.vector(self.reference(record, 2)?)?,
            },
            "RECTANGULAR_TRIMMED_SURFACE" | "CURVE_BOUNDED_SURFACE" => {
                self.surface(self.reference(record, 1)?, depth.saturating_add(1))?
            }
            _ => return Err(Refusal::at(instance, "this surface is not supported")),
        })
    }

    fn spline_surface(&self, instance: &Instance) -> Result<Option<Surface>, Refusal> {
        let simple = instance.records.len() == 1;
        let find = |keyword: &str| instance.record(keyword);
        let named =
            ["B_SPLINE_SURFACE_WITH_KNOTS", "BEZIER_SURFACE", "QUASI_UNIFORM_SURFACE", "UNIFORM_SURFACE"];
        let Some(kind) = named.iter().find_map(|name| find(name)) else { return Ok(None) };
        let base = if simple { kind } else { find("B_SPLINE_SURFACE").unwrap_or(kind) };
        let [at_u, at_v, at_rows] = if simple { [1, 2, 3] } else { [0, 1, 2] };
        let degrees = [self.count(base, at_u)?, self.count(base, at_v)?];
        let none = || self.bad(base, at_rows, "rows of points");
        let rows = base.values.get(at_rows).and_then(Value::list).ok_or_else(none)?;
        let mut net: Vec<Vec<DVec3>> = Vec::with_capacity(rows.len());
        for row in rows {
            let ids: Option<Vec<u64>> =
                row.list().and_then(|values| values.iter().map(Value::reference).collect());
            net.push(ids.ok_or_else(none)?.into_iter().map(|id| self.point(id)).collect::<Result<_, _>>()?);
        }
        let columns = net.first().map_or(0, Vec::len);
        let [(u, mu), (v, mv)] = match kind.keyword.as_str() {
            "B_SPLINE_SURFACE_WITH_KNOTS" => {
                let [counts_u, counts_v, u, v] = if simple { [8, 9, 10, 11] } else { [0, 1, 2, 3] };
                [
                    (self.numbers(kind, u)?, self.counts(kind, counts_u)?),
                    (self.numbers(kind, v)?, self.counts(kind, counts_v)?),
                ]
            }
            other => [implied_knots(other, degrees[0], net.len()), implied_knots(other, degrees[1], columns)],
        };
        let weights = match find("RATIONAL_B_SPLINE_SURFACE") {
            None => None,
            Some(record) => {
                let rows = record.values.first().and_then(Value::list);
                let read =
                    |row: &Value| row.list().and_then(|values| values.iter().map(Value::number).collect());
                let weights: Option<Vec<Vec<f64>>> = rows.and_then(|rows| rows.iter().map(read).collect());
                Some(weights.ok_or_else(|| self.bad(record, 0, "rows of weights"))?)
            }
        };
        let made = SplineSurface::new(&net, weights.as_deref(), (degrees[0], &u, &mu), (degrees[1], &v, &mv));
        let made = made.ok_or_else(|| {
            Refusal::at(instance, "its degrees, knots, weights and points do not fit together")
        })?;
        Ok(Some(Surface::Spline(made)))
    }
}

/// Knots of splines that are given without.
#[allow(clippy::arithmetic_side_effects, reason = "the degree is not 0, and less than the number of points")]
fn implied_knots(keyword: &str, degree: usize, count: usize) -> (Vec<f64>, Vec<usize>) {
    if degree == 0 || count <= degree {
        return (Vec::new(), Vec::new());
    }
    if keyword.starts_with("UNIFORM") {
        let knots = (0..count + degree + 1).map(|k| k as f64 - degree as f64).collect();
        return (knots, vec![1; count + degree + 1]);
    }
    let bezier = keyword.starts_with("BEZIER");
    let spans = if bezier { (count - 1) / degree } else { count - degree };
    let inner = if bezier { degree } else { 1 };
    let knots = (0..=spans).map(|k| k as f64).collect();
    let multiplicities = (0..=spans).map(|k| if k == 0 || k == spans { degree + 1 } else { inner }).collect();
    (knots, multiplicities)
}
