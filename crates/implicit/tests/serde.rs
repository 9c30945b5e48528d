//! Answers come back from JSON as they were.

use glam::DVec3;
use noli_geom::Aabb;
use noli_implicit::{FieldClearance, FieldOverlap, FieldVerdict, Filling, LineIntersection};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) -> String {
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

#[test]
fn answers() {
    let open = FieldClearance { at_least: 0.5, at_most: f64::INFINITY, witness: None, pairs: 7 };
    assert_eq!(comes_back(open), r#"{"at_least":0.5,"at_most":null,"witness":null,"pairs":7}"#);
    comes_back(FieldOverlap { verdict: FieldVerdict::Hit { point: DVec3::X }, cells: 8 });
    comes_back(FieldVerdict::Unknown { within: Aabb { min: DVec3::ZERO, max: DVec3::ONE } });
    assert_eq!(comes_back(FieldVerdict::Free), r#""free""#);
    comes_back(LineIntersection { t: [0.25, 0.5], inside: [false, true] });
    comes_back(Filling::Mixed);
}
