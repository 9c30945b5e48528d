//! Convex bodies: a core, and everything within a radius of it.

use super::{Mass, ShapeError};
use crate::number::round;
use crate::{Aabb, Hull, HullError, MAX_COORDINATE, Sphere, Triangle};
use glam::{DMat3, DVec3};
use std::fmt::Debug;
use std::sync::Arc;

/// A convex body known by how far it reaches in every direction: a door for users' own.
///
/// Answers about it are as good as this contract: for every direction, [`support_point`](Self::support_point) is a
/// point at most [`error`](Self::error) away from the body, and no point of the body is further in that
/// direction than that point by more than [`error`](Self::error).
pub trait Support: Debug + Send + Sync {
    /// The point furthest in a direction, which has any length but zero.
    fn support_point(&self, direction: DVec3) -> DVec3;
    /// A radius about the origin that holds the body.
    fn bounding_radius(&self) -> f64;
    /// Bound on the error of [`support_point`](Self::support_point).
    fn error(&self) -> f64;
}

/// A [`Support`], shared; equal only to itself.
#[derive(Clone, Debug)]
pub struct UserBody(pub Arc<dyn Support>);

impl PartialEq for UserBody {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Core of a [`Convex`], surrounded by its rounding radius. Round cores are centred on the z axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Core {
    /// The origin.
    Point,
    /// Along z.
    Segment {
        /// Half of its length.
        half_length: f64,
    },
    /// Axis-parallel.
    Box {
        /// Half of its edges.
        half_extents: DVec3,
    },
    /// A drum.
    Cylinder {
        /// Half of its height.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
    /// With its tip up.
    Cone {
        /// Half of its height.
        half_height: f64,
        /// The radius of its base.
        radius: f64,
    },
    /// An egg with three axes.
    Ellipsoid {
        /// Half of its axes.
        radii: DVec3,
    },
    /// Three vertices, which may coincide.
    Triangle(Triangle),
    /// A polyhedron.
    Hull(Arc<Hull>),
    /// User-defined core.
    User(UserBody),
}

/// A convex body: all points within `radius` of a [`Core`].
#[doc(alias("capsule", "cylinder", "cone", "cuboid", "ellipsoid", "ConvexPolyhedron"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Convex {
    core: Core,
    radius: f64,
}

impl Convex {
    /// A point.
    pub const POINT: Self = Self { core: Core::Point, radius: 0.0 };

    /// A sphere; a point where the radius is zero.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        Self { core: Core::Point, radius: 0.0 }.rounded(radius)
    }

    /// A box with these edges.
    pub fn cuboid(size: DVec3) -> Result<Self, ShapeError> {
        let edge = |k: usize| Ok::<f64, ShapeError>(length("edge of the box", size[k])? * 0.5);
        Ok(Self::sharp(Core::Box { half_extents: DVec3::new(edge(0)?, edge(1)?, edge(2)?) }))
    }

    /// A segment of this length along z, thickened.
    pub fn capsule(length_of_core: f64, radius: f64) -> Result<Self, ShapeError> {
        let half_length = length("length of the capsule", length_of_core)? * 0.5;
        Self::sharp(Core::Segment { half_length }).rounded(radius)
    }

    /// A cylinder about z.
    pub fn cylinder(height: f64, radius: f64) -> Result<Self, ShapeError> {
        let half_height = length("height of the cylinder", height)? * 0.5;
        Ok(Self::sharp(Core::Cylinder { half_height, radius: length("radius of the cylinder", radius)? }))
    }

    /// A cone about z with its tip up, centred at half its height.
    pub fn cone(height: f64, radius: f64) -> Result<Self, ShapeError> {
        let half_height = length("height of the cone", height)? * 0.5;
        Ok(Self::sharp(Core::Cone { half_height, radius: length("radius of the cone", radius)? }))
    }

    /// An ellipsoid with these half axes.
    pub fn ellipsoid(radii: DVec3) -> Result<Self, ShapeError> {
        for radius in radii.to_array() {
            length("half axis of the ellipsoid", radius)?;
        }
        Ok(Self::sharp(Core::Ellipsoid { radii }))
    }

    /// A triangle.
    pub fn triangle(triangle: Triangle) -> Result<Self, ShapeError> {
        for (point, vertex) in triangle.vertices.iter().enumerate() {
            if !vertex.is_finite() {
                return Err(HullError::NotFinite { point }.into());
            }
            length("vertex of the triangle", vertex.abs().max_element())?;
        }
        Ok(Self::sharp(Core::Triangle(triangle)))
    }

    /// The hull of some points.
    pub fn hull(points: impl IntoIterator<Item = DVec3>) -> Result<Self, ShapeError> {
        Ok(Self::from(Hull::new(points)?))
    }

    /// A user's body.
    pub fn user(support: Arc<dyn Support>) -> Result<Self, ShapeError> {
        length("reach of the body", support.bounding_radius())?;
        length("error of the body", support.error())?;
        Ok(Self::sharp(Core::User(UserBody(support))))
    }

    fn sharp(core: Core) -> Self {
        Self { core, radius: 0.0 }
    }

    /// The same body, grown by `radius` on all sides.
    pub fn rounded(self, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { radius: length("radius", self.radius + length("radius", radius)?)?, core: self.core })
    }

    /// The same body, larger or smaller. Exact for powers of two.
    pub fn scaled(&self, factor: f64) -> Result<Self, ShapeError> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(ShapeError::BadScale { factor });
        }
        let times = |what, x: f64| length(what, x * factor);
        let core = match &self.core {
            Core::Point => Core::Point,
            Core::Segment { half_length } => Core::Segment { half_length: times("length", *half_length)? },
            Core::Box { half_extents } => {
                return Self::cuboid(*half_extents * 2.0 * factor)?.rounded(self.radius * factor);
            }
            Core::Cylinder { half_height, radius } => Core::Cylinder {
                half_height: times("height", *half_height)?,
                radius: times("radius", *radius)?,
            },
            Core::Cone { half_height, radius } => {
                Core::Cone { half_height: times("height", *half_height)?, radius: times("radius", *radius)? }
            }
            Core::Ellipsoid { radii } => {
                return Self::ellipsoid(*radii * factor)?.rounded(self.radius * factor);
            }
            Core::Hull(hull) => {
                return Self::hull(hull.vertices().iter().map(|&v| v * factor))?
                    .rounded(self.radius * factor);
            }
            Core::Triangle(t) => {
                return Self::triangle(Triangle { vertices: t.vertices.map(|p| p * factor) })?
                    .rounded(self.radius * factor);
            }
            Core::User(user) => Core::User(UserBody(Arc::new(Scaled { user: user.0.clone(), factor }))),
        };
        Ok(Self { core, radius: times("radius", self.radius)? })
    }

    /// Returns the core, without the rounding radius.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Returns the radius by which the body extends beyond its core.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// A radius about the origin that holds the body, rounded up.
    pub fn bounding_radius(&self) -> f64 {
        round::up(self.core.bounding_radius() + self.radius, 8)
    }

    /// A box around it, rounded outward.
    pub fn aabb(&self) -> Aabb {
        // Boxes and spheres are known without rounding.
        match (&self.core, self.radius) {
            (Core::Box { half_extents }, 0.0) => Aabb { min: -*half_extents, max: *half_extents },
            (Core::Hull(hull), 0.0) => hull.aabb(),
            (Core::Point, r) => Aabb { min: DVec3::splat(-r), max: DVec3::splat(r) },
            _ => {
                let error = self.core.error() + round::off(self.bounding_radius(), 4);
                let reach = |axis: DVec3| self.core.support_point(axis).dot(axis) + self.radius + error;
                let far = |sign: f64| DVec3::from_array(DVec3::AXES.map(|axis| reach(axis * sign)));
                Aabb { min: -far(-1.0), max: far(1.0) }
            }
        }
    }

    /// A sphere around it, rounded outward.
    pub fn bounding_sphere(&self) -> Sphere {
        let Core::Hull(hull) = &self.core else {
            return Sphere { center: DVec3::ZERO, radius: self.bounding_radius() };
        };
        let center = hull.aabb().center();
        let radius = hull.vertices().iter().map(|v| v.distance(center)).fold(0.0, f64::max);
        let rounding = round::off(radius + center.length(), 8);
        Sphere { center, radius: radius + self.radius + rounding }
    }

    /// The point furthest in a direction of any length but zero, rounded.
    pub fn support_point(&self, direction: DVec3) -> DVec3 {
        let along = direction / direction.abs().max_element();
        self.core.support_point(direction) + along.normalize_or_zero() * self.radius
    }

    /// Volume, centre and inertia at density 1; `None` for bodies with rounded edges other than spheres and
    /// capsules, and for users' own.
    pub fn mass(&self) -> Option<Mass> {
        match (&self.core, self.radius) {
            (Core::Point, radius) => Some(Mass::of_ellipsoid(DVec3::splat(radius))),
            (Core::Segment { half_length }, radius) => Some(Mass::of_capsule(*half_length, radius)),
            (Core::Box { half_extents }, 0.0) => {
                Some(Mass::of_box(&Aabb { min: -*half_extents, max: *half_extents }))
            }
            (Core::Cylinder { half_height, radius }, 0.0) => Some(Mass::of_cylinder(*half_height, *radius)),
            (Core::Cone { half_height, radius }, 0.0) => Some(Mass::of_cone(*half_height, *radius)),
            (Core::Ellipsoid { radii }, 0.0) => Some(Mass::of_ellipsoid(*radii)),
            (Core::Hull(hull), 0.0) => hull.to_mesh().ok().map(|mesh| Mass::of_mesh(&mesh)),
            _ => None,
        }
    }
}

impl From<Hull> for Convex {
    fn from(hull: Hull) -> Self {
        Self::sharp(Core::Hull(Arc::new(hull)))
    }
}

impl Core {
    /// Returns `true` if it is the hull of finitely many points.
    pub fn is_polyhedral(&self) -> bool {
        !matches!(self, Self::Cylinder { .. } | Self::Cone { .. } | Self::Ellipsoid { .. } | Self::User(_))
    }

    /// The polyhedron, if it is one: its vertices, edges and faces.
    pub fn to_hull(&self) -> Option<Hull> {
        match self {
            Self::Point => Hull::new([DVec3::ZERO]).ok(),
            Self::Segment { half_length } => {
                Hull::new([DVec3::Z, DVec3::NEG_Z].map(|z| z * *half_length)).ok()
            }
            Self::Box { half_extents } => Hull::cuboid(*half_extents).ok(),
            Self::Triangle(triangle) => Hull::new(triangle.vertices).ok(),
            Self::Hull(hull) => Some(Hull::clone(hull)),
            _ => None,
        }
    }

    /// The point furthest in a direction of any length but zero, up to [`error`](Self::error).
    #[inline]
    pub fn support_point(&self, direction: DVec3) -> DVec3 {
        let d = direction;
        match self {
            Self::Point => DVec3::ZERO,
            Self::Segment { half_length } => DVec3::new(0.0, 0.0, half_length.copysign(d.z)),
            Self::Box { half_extents } => half_extents.copysign(d),
            Self::Cylinder { half_height, radius } => rim(d, *radius).with_z(half_height.copysign(d.z)),
            Self::Cone { half_height, radius } => {
                let (tip, base) = (DVec3::new(0.0, 0.0, *half_height), rim(d, *radius).with_z(-half_height));
                if d.dot(tip) > d.dot(base) { tip } else { base }
            }
            Self::Ellipsoid { radii } => support_point_of_ellipsoid(*radii, d),
            Self::Triangle(Triangle { vertices: [p, q, r] }) => {
                let first = if p.dot(d) > q.dot(d) { *p } else { *q };
                if first.dot(d) > r.dot(d) { first } else { *r }
            }
            Self::Hull(hull) => hull.vertices()[hull.support_point(d) as usize],
            Self::User(user) => user.0.support_point(d),
        }
    }

    /// About how far it spreads about its middle, squared: the mean of `x xᵀ` of its vertices, or of rims and
    /// the like. A guess is made from it in which direction two bodies part.
    pub fn spread(&self) -> DMat3 {
        let along = |x: f64, y: f64, z: f64| DMat3::from_diagonal(DVec3::new(x * x, y * y, z * z));
        match self {
            Self::Point | Self::Triangle(_) | Self::User(_) => DMat3::ZERO,
            Self::Segment { half_length } => along(0.0, 0.0, *half_length),
            Self::Box { half_extents: h } => along(h.x, h.y, h.z),
            Self::Cylinder { half_height, radius } | Self::Cone { half_height, radius } => {
                let across = radius * std::f64::consts::FRAC_1_SQRT_2;
                along(across, across, *half_height)
            }
            Self::Ellipsoid { radii: r } => along(r.x, r.y, r.z),
            Self::Hull(hull) => hull.spread(),
        }
    }

    /// Bound on how far [`support_point`](Self::support_point) may be off the core, and on how much further
    /// another point of it may be; the rounding of a product with the direction comes on top.
    pub fn error(&self) -> f64 {
        match self {
            Self::Point | Self::Segment { .. } | Self::Box { .. } => 0.0,
            // Which end of a cone is further is known up to the rounding of two products.
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Ellipsoid { .. } => {
                round::off(self.bounding_radius(), 16)
            }
            Self::Triangle(_) => round::off(self.bounding_radius(), 8),
            Self::Hull(hull) => hull.support_rounding(),
            Self::User(user) => user.0.error(),
        }
    }

    /// A radius about the origin that holds it.
    pub fn bounding_radius(&self) -> f64 {
        let up = |x: f64| round::up(x, 4);
        match self {
            Self::Point => 0.0,
            Self::Segment { half_length } => *half_length,
            Self::Box { half_extents } => up(half_extents.length()),
            Self::Cylinder { half_height, radius } | Self::Cone { half_height, radius } => {
                up(half_height.hypot(*radius))
            }
            Self::Ellipsoid { radii } => radii.max_element(),
            Self::Triangle(t) => up(t.vertices.iter().map(|p| p.length()).fold(0.0, f64::max)),
            Self::Hull(hull) => hull.bounding_radius(),
            Self::User(user) => user.0.bounding_radius(),
        }
    }
}

/// The point of a circle about z that is furthest in a direction; its centre where all are alike.
#[inline]
fn rim(d: DVec3, radius: f64) -> DVec3 {
    let length = d.x.hypot(d.y);
    if length > 0.0 { DVec3::new(d.x / length * radius, d.y / length * radius, 0.0) } else { DVec3::ZERO }
}

/// `r²d / |r d|`, with both scaled so that no square underflows where it matters.
fn support_point_of_ellipsoid(radii: DVec3, d: DVec3) -> DVec3 {
    let (largest, longest) = (radii.max_element(), d.abs().max_element());
    if largest == 0.0 {
        return DVec3::ZERO;
    }
    let (shape, mut d) = (radii / largest, d / longest);
    let mut image = shape * d;
    let size = image.abs().max_element();
    if size == 0.0 {
        return DVec3::ZERO;
    }
    // The direction may see only axes without extent.
    (image, d) = (image / size, d / size);
    radii * shape * d / image.length()
}

/// A user's body at another size.
#[derive(Debug)]
struct Scaled {
    user: Arc<dyn Support>,
    factor: f64,
}

impl Support for Scaled {
    fn support_point(&self, direction: DVec3) -> DVec3 {
        self.user.support_point(direction) * self.factor
    }
    fn bounding_radius(&self) -> f64 {
        self.user.bounding_radius() * self.factor
    }
    fn error(&self) -> f64 {
        self.user.error() * self.factor + round::off(self.bounding_radius(), 1)
    }
}

fn length(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    let good = (0.0..=MAX_COORDINATE).contains(&value);
    // Without the sign of zero.
    if good { Ok(value + 0.0) } else { Err(ShapeError::BadLength { what, value }) }
}
