//! Unbounded lengths in formats without infinity, such as JSON: they are written as `null`. For
//! `#[serde(with = "noli_geom::unbounded")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The number, or `None` if it is infinite.
pub fn serialize<S: Serializer>(length: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    length.is_finite().then_some(*length).serialize(serializer)
}

/// The number, infinite for `None`.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}
