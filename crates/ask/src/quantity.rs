//! Lengths, angles and times with units, as people give them: `2mm`, `0.5in`, `30deg`, `2ms`.

use crate::AskError;
use noli_formats::Units;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::time::Duration;

/// A length, with its unit if one was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    value: f64,
    unit: Option<Units>,
}

impl Length {
    /// Creates a length without a unit.
    pub const fn plain(value: f64) -> Self {
        Self { value, unit: None }
    }

    /// Returns the number, in the unit of the length.
    pub const fn value(self) -> f64 {
        self.value
    }

    /// Returns the length in a unit. A length without a unit is in the unit of the files; one with a unit needs theirs.
    pub fn of(self, option: &str, units: Option<Units>) -> Result<f64, AskError> {
        match (self.unit, units) {
            (None, _) => Ok(self.value),
            (Some(own), Some(units)) => Ok(own.convert(self.value, units)),
            (Some(_), None) => Err(AskError::option(format!(
                "{option} {self}: the files declare no unit; give it with --units, or the number alone"
            ))),
        }
    }

    /// Returns the length in a unit that the option has by itself.
    pub fn of_unit(self, units: Units) -> f64 {
        self.unit.map_or(self.value, |own| own.convert(self.value, units))
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, self.unit.map_or("", Units::sign))
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.unit {
            None => serializer.serialize_f64(self.value),
            Some(_) => serializer.collect_str(self),
        }
    }
}

/// A number, or a text with a unit. Options are lengths of at least 0.
impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a length is a number, or a text with a unit, such as \"2mm\"")]
        enum Given {
            Number(f64),
            Text(String),
        }
        let text = match Given::deserialize(deserializer)? {
            Given::Number(value) => value.to_string(),
            Given::Text(text) => text,
        };
        length(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Length {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Length".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": ["number", "string"]})
    }
}

/// Splits `2.5e-3mm` into its number and its unit.
fn number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    // The longest beginning that is a number: `1e3` is one, `1in` is 1 and a unit.
    let ends = text.char_indices().map(|(place, _)| place).chain([text.len()]);
    let mut found = ends.filter_map(|end| Some((text.get(..end)?.trim_end().parse::<f64>().ok()?, end)));
    // `in` and `inf` begin alike; a length is finite.
    let (value, end) = found.rfind(|(value, _)| value.is_finite())?;
    Some((value, text.get(end..)?.trim_start()))
}

/// Parses a length of at least 0: a number, with a unit or without.
pub fn length(text: &str) -> Result<Length, String> {
    let length = signed_length(text)?;
    if length.value >= 0.0 { Ok(length) } else { Err("a length is at least 0".to_owned()) }
}

/// Parses a length above 0.
pub fn positive_length(text: &str) -> Result<Length, String> {
    let length = length(text)?;
    if length.value > 0.0 { Ok(length) } else { Err("it must be greater than 0".to_owned()) }
}

/// Parses a length that may be negative: a coordinate.
pub fn signed_length(text: &str) -> Result<Length, String> {
    let units = || Units::ALL.map(Units::sign).join(", ");
    let wrong = || format!("a length is a number, such as 0.5, with a unit or without: {}", units());
    let (value, unit) = number(text).ok_or_else(wrong)?;
    let unit = match unit {
        "" => None,
        sign => Some(Units::ALL.into_iter().find(|unit| unit.sign() == sign).ok_or_else(wrong)?),
    };
    Ok(Length { value, unit })
}

/// Parses the sign of a unit of length.
pub fn units(text: &str) -> Result<Units, String> {
    let found = Units::ALL.into_iter().find(|unit| unit.sign() == text);
    found.ok_or_else(|| format!("a unit is one of {}", Units::ALL.map(Units::sign).join(", ")))
}

/// Parses a time with its unit.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a time with its unit: 500us, 2ms, 0.1s, 5min, 2h".to_owned();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(end);
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" => number,
        "ms" => number * 1e-3,
        "us" => number * 1e-6,
        "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// Unit of the value of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointUnit {
    /// Of a joint that turns: radians.
    Angle,
    /// Of a joint that slides: metres.
    Length,
}

/// Parses a deviation of joints, or a radius in joint space: `0.01`, `0.5deg`.
pub fn joint_distance(text: &str) -> Result<f64, String> {
    let (value, _) = joint_value(text)?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(format!("`{text}`: give at least 0")) }
}

/// Parses the value of a joint, in radians or metres: `0.5`, `30deg`, `12mm`. Returns what its unit measures, if it has one.
pub fn joint_value(text: &str) -> Result<(f64, Option<JointUnit>), String> {
    let wrong =
        || format!("`{}` is no value; give a number, or one with deg, rad or a unit of length", text.trim());
    let (value, unit) = number(text).ok_or_else(wrong)?;
    match unit {
        "" => Ok((value, None)),
        "rad" => Ok((value, Some(JointUnit::Angle))),
        "deg" | "°" => Ok((value.to_radians(), Some(JointUnit::Angle))),
        _ => {
            let length = signed_length(text).map_err(|_| wrong())?;
            Ok((length.of_unit(Units::Metre), Some(JointUnit::Length)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        let metres = |text: &str| length(text).unwrap().of("--margin", Some(Units::Metre)).unwrap();
        assert_eq!(metres("2mm"), 0.002);
        assert_eq!(metres("0.5 in"), 0.0127);
        assert_eq!(metres("1e-3"), 0.001);
        assert_eq!(metres("1e3um"), 0.001);
        assert_eq!(metres("1ft"), 0.3048);
        assert_eq!(signed_length("-3cm").unwrap().of_unit(Units::Millimetre), -30.0);
        for wrong in ["", "mm", "2 miles", "nan", "inf", "-1", "2mmm", "1,5mm"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
        assert!(positive_length("0mm").is_err());
        let unknown = length("2mm").unwrap().of("--margin", None).unwrap_err().to_string();
        assert!(unknown.contains("--margin 2mm") && unknown.contains("--units"), "{unknown}");
        assert_eq!(length("2").unwrap().of("--margin", None).unwrap(), 2.0);
    }

    #[test]
    fn joints_take_angles_and_lengths() {
        assert_eq!(joint_value("90deg").unwrap(), (std::f64::consts::FRAC_PI_2, Some(JointUnit::Angle)));
        assert_eq!(joint_value("-0.5 rad").unwrap(), (-0.5, Some(JointUnit::Angle)));
        assert_eq!(joint_value("12mm").unwrap(), (0.012, Some(JointUnit::Length)));
        assert_eq!(joint_value("0.25").unwrap(), (0.25, None));
        assert!(joint_value("fast").is_err() && joint_value("3 kg").is_err());
    }
}
