//! Units of length.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A unit of length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Units {
    /// Metre.
    Metre,
    /// Centimetre.
    Centimetre,
    /// Millimetre: what CAD files usually mean.
    #[default]
    Millimetre,
    /// Micrometre.
    Micrometre,
    /// Inch, 25.4 mm.
    Inch,
    /// Foot, 304.8 mm.
    Foot,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Units {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Units".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "enum": Self::ALL.map(Self::sign)})
    }
}

impl Units {
    /// Its sign: `m`, `cm`, `mm`, `um`, `in` or `ft`.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Metre => "m",
            Self::Centimetre => "cm",
            Self::Millimetre => "mm",
            Self::Micrometre => "um",
            Self::Inch => "in",
            Self::Foot => "ft",
        }
    }

    /// A length in this unit, in another. Rounded once between metric units, not at all for the same.
    pub fn convert(self, length: f64, other: Self) -> f64 {
        let (own, other) = (self.tenths_of_micrometres(), other.tenths_of_micrometres());
        if own % other == 0.0 {
            length * (own / other)
        } else if other % own == 0.0 {
            length / (other / own)
        } else {
            length * own / other
        }
    }

    /// Returns its size in tenths of a micrometre: whole numbers.
    fn tenths_of_micrometres(self) -> f64 {
        match self {
            Self::Metre => 1e7,
            Self::Centimetre => 1e5,
            Self::Millimetre => 1e4,
            Self::Micrometre => 10.0,
            Self::Inch => 254_000.0,
            Self::Foot => 3_048_000.0,
        }
    }

    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Metre, Self::Centimetre, Self::Millimetre, Self::Micrometre, Self::Inch, Self::Foot];
}

/// By its sign.
impl Serialize for Units {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.sign())
    }
}

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sign = String::deserialize(deserializer)?;
        let found = Self::ALL.into_iter().find(|unit| unit.sign() == sign);
        found.ok_or_else(|| serde::de::Error::custom(format!("{sign:?} is no unit of length")))
    }
}

#[cfg(test)]
mod tests {
    use super::Units::*;

    #[test]
    fn lengths_are_converted_with_one_rounding() {
        assert_eq!(Millimetre.convert(96.0, Centimetre), 9.6);
        assert_eq!(Metre.convert(0.3, Millimetre), 300.0);
        assert_eq!(Inch.convert(3.0, Millimetre), 76.2);
        assert_eq!(Foot.convert(1.0, Inch), 12.0);
        assert_eq!(Micrometre.convert(0.1, Micrometre), 0.1);
        assert_eq!(Millimetre.convert(25.4, Inch), 1.0);
    }
}
