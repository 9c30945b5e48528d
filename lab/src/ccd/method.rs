//! All methods of answering a feature query.

use noli_geom::{ApproximateQuery, FeaturePair, FeatureQuery, Finder, Impact, approximate_impact};

/// Methods by name. The first four never miss; `exact` gives no false alarm either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Exact decision: neither a miss nor a false alarm.
    #[default]
    Exact,
    /// Conservative: contraction of the time span along separating directions.
    Inclusion,
    /// Conservative and coarse: additive CCD (Li, Kaufman & Jiang 2021).
    Additive,
    /// Conservative: steps of distance over speed (Mirtich 1996).
    Advancement,
    /// Approximate: roots of the coplanarity cubic (Provot 1997).
    Provot,
    /// Approximate: linear interpolation of the distance (Eckstein 1998).
    ThesisLinear,
    /// Approximate: regula falsi (Eckstein 1998).
    ThesisRegulaFalsi,
    /// Approximate: a parabola through three distances (Eckstein 1998).
    ThesisQuadratic,
    /// Approximate: five samples, linear between them (Eckstein 1998).
    ThesisSampling,
    /// Approximate: five samples, regula falsi between them (Eckstein 1998).
    ThesisSamplingRegulaFalsi,
}

impl Method {
    /// Every method, its name, and what it is.
    pub const ALL: [(Self, &str, &str); 10] = [
        (Self::Exact, "exact", "Exact decision: neither a miss nor a false alarm"),
        (
            Self::Inclusion,
            "inclusion",
            "Conservative: contraction of the time span along separating directions",
        ),
        (Self::Additive, "additive", "Conservative and coarse: additive CCD (Li, Kaufman & Jiang 2021)"),
        (Self::Advancement, "advancement", "Conservative: steps of distance over speed (Mirtich 1996)"),
        (Self::Provot, "provot", "Approximate: roots of the coplanarity cubic (Provot 1997)"),
        (
            Self::ThesisLinear,
            "thesis-linear",
            "Approximate: linear interpolation of the distance (Eckstein 1998)",
        ),
        (Self::ThesisRegulaFalsi, "thesis-regula-falsi", "Approximate: regula falsi (Eckstein 1998)"),
        (
            Self::ThesisQuadratic,
            "thesis-quadratic",
            "Approximate: a parabola through three distances (Eckstein 1998)",
        ),
        (
            Self::ThesisSampling,
            "thesis-sampling",
            "Approximate: five samples, linear between them (Eckstein 1998)",
        ),
        (
            Self::ThesisSamplingRegulaFalsi,
            "thesis-sampling-regula-falsi",
            "Approximate: five samples, regula falsi between them (Eckstein 1998)",
        ),
    ];

    /// Returns its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(method, ..)| *method == self).map_or("", |(_, name, _)| name)
    }

    /// `"exact"`, `"conservative"` or `"approximate"`.
    pub fn guarantee(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Inclusion | Method::Additive | Method::Advancement => "conservative",
            _ => "approximate",
        }
    }

    fn finder(self) -> Finder {
        match self {
            Method::ThesisRegulaFalsi => Finder::RegulaFalsi,
            Method::ThesisQuadratic => Finder::Quadratic,
            Method::ThesisSampling => Finder::Sampling { cells: 4 },
            Method::ThesisSamplingRegulaFalsi => Finder::SamplingRegulaFalsi { cells: 4 },
            _ => Finder::Linear,
        }
    }
}

/// A method with its settings.
pub(super) struct Asker {
    method: Method,
    query: FeatureQuery,
    approximate: ApproximateQuery,
}

/// Value compared with the truth: no answer counts as a contact, the conservative interpretation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) hit: bool,
    pub(super) safe_until: f64,
    pub(super) touching_by: f64,
}

impl Answer {
    pub(super) const FREE: Self = Self { hit: false, safe_until: 1.0, touching_by: 1.0 };

    pub(super) fn at(time: f64) -> Self {
        Self { hit: true, safe_until: time, touching_by: time }
    }
}

impl From<Impact> for Answer {
    fn from(impact: Impact) -> Self {
        match impact {
            Impact::Free => Self::FREE,
            Impact::AtStart(()) => Self::at(0.0),
            Impact::At { time, .. } => {
                Self { hit: true, safe_until: time.safe_until, touching_by: time.touching_by }
            }
            Impact::Unknown { safe_until } => Self { hit: true, safe_until, touching_by: 1.0 },
        }
    }
}

impl Asker {
    pub(super) fn new(method: Method, tolerance: f64, margin: f64, steps: u32) -> Self {
        let approximate = ApproximateQuery { finder: method.finder(), ..Default::default() };
        Self { method, query: FeatureQuery { margin, tolerance, steps }, approximate }
    }

    #[inline]
    pub(super) fn ask(&self, pair: &FeaturePair) -> Answer {
        let found = |time: Option<f64>| time.map_or(Answer::FREE, Answer::at);
        match self.method {
            Method::Exact => pair.impact().into(),
            Method::Inclusion => pair.impact_by_inclusion(&self.query).into(),
            Method::Additive => pair.impact_by_additive(&self.query).into(),
            Method::Advancement => pair.impact_by_advancement(&self.query).into(),
            Method::Provot => found(pair.impact_by_provot()),
            _ => found(approximate_impact(pair.kind, &|t| pair.at(t), &self.approximate)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_name_of_its_own() {
        for (i, (method, name, _)) in Method::ALL.iter().enumerate() {
            assert_eq!(method.name(), *name);
            assert!(Method::ALL[..i].iter().all(|(other, taken, _)| other != method && taken != name));
        }
    }
}
