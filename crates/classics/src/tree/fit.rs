//! Volumes fitted to points by the choices of a tree.

use super::options::{Fit, Rules, TreeOptions, VolumeChoice};
use glam::DVec3;
use noli_geom::{Aabb, AnyVolume, Kdop, Obb, Sphere, Volume, VolumeKind};

/// A volume that can be fitted by the choices of [`TreeOptions`].
pub trait FitVolume: Volume {
    /// A volume that holds these points, rounding included.
    fn fit(points: &[DVec3], options: &TreeOptions) -> Self;

    /// The same by other rules than usual; they concern mixed volumes alone.
    fn fit_by(points: &[DVec3], options: &TreeOptions, _: &Rules) -> Self {
        Self::fit(points, options)
    }

    /// The same as one of any kind.
    fn any(&self) -> AnyVolume;
}

impl FitVolume for Sphere {
    fn fit(points: &[DVec3], options: &TreeOptions) -> Self {
        match options.fit {
            Fit::Quick | Fit::Barequet(_) => Self::from_points(points),
            Fit::Best => Self::smallest(points),
            Fit::Descent => Self::by_descent(points, None),
        }
    }
    fn any(&self) -> AnyVolume {
        AnyVolume::Sphere(*self)
    }
}

impl FitVolume for Aabb {
    fn fit(points: &[DVec3], _: &TreeOptions) -> Self {
        Volume::from_points(points)
    }
    fn any(&self) -> AnyVolume {
        AnyVolume::Aabb(*self)
    }
}

impl FitVolume for Obb {
    fn fit(points: &[DVec3], options: &TreeOptions) -> Self {
        match options.fit {
            Fit::Quick => Self::from_points(points),
            Fit::Best => Self::small(points, options.measure, &[]),
            Fit::Descent => Self::by_descent(points, options.measure, &[]),
            Fit::Barequet(rule) => rule.fit(points),
        }
    }
    fn any(&self) -> AnyVolume {
        AnyVolume::Obb(*self)
    }
}

impl FitVolume for Kdop {
    fn fit(points: &[DVec3], _: &TreeOptions) -> Self {
        Volume::from_points(points)
    }
    fn any(&self) -> AnyVolume {
        AnyVolume::Kdop(*self)
    }
}

impl FitVolume for AnyVolume {
    fn fit(points: &[DVec3], options: &TreeOptions) -> Self {
        Self::fit_by(points, options, &Rules::USUAL)
    }
    fn fit_by(points: &[DVec3], options: &TreeOptions, rules: &Rules) -> Self {
        let of_kind = |kind| match kind {
            VolumeKind::Sphere => Sphere::fit(points, options).any(),
            VolumeKind::Aabb => Aabb::fit(points, options).any(),
            VolumeKind::Obb => Obb::fit(points, options).any(),
            VolumeKind::Kdop => Kdop::fit(points, options).any(),
        };
        match options.volume {
            VolumeChoice::Kind(kind) => of_kind(kind),
            VolumeChoice::Mixed => {
                // Not the k-DOP: its test costs more than it saves in every mixture tried.
                let kinds = [VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Obb].map(of_kind);
                let size = |v: &Self| v.measure(options.measure.fitted()) * rules.cost(v.kind());
                kinds.into_iter().min_by(|a, b| size(a).total_cmp(&size(b))).expect("three kinds")
            }
        }
    }
    fn any(&self) -> AnyVolume {
        *self
    }
}
