//! Plain data comes back from JSON as it was.

use glam::{DMat3, DQuat, DVec3, dvec3};
use noli_geom::*;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) -> String {
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

#[test]
fn places_and_volumes() {
    let pose = Pose::new(DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9), dvec3(1.0, 2.0, 1.0 / 3.0));
    assert_eq!(
        comes_back(Pose::from_translation(DVec3::X)),
        r#"{"rotation":[0.0,0.0,0.0,1.0],"translation":[1.0,0.0,0.0]}"#
    );
    comes_back(pose);
    comes_back(Aabb { min: -DVec3::ONE, max: DVec3::ONE });
    comes_back(Sphere { center: DVec3::ONE, radius: 0.1 });
    comes_back(Obb { center: DVec3::ONE, axes: DMat3::IDENTITY, half_extents: DVec3::ONE });
    comes_back(Segment { start: DVec3::ZERO, end: DVec3::X });
    comes_back(Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y));
}

#[test]
fn answers() {
    assert_eq!(comes_back(Bracket::OPEN), r#"{"at_least":0.0,"at_most":null}"#);
    comes_back(Bracket { at_least: f64::INFINITY, at_most: f64::INFINITY });
    comes_back(Bracket { at_least: 0.1, at_most: 0.1f64.next_up() });
    let features = Features::EdgeEdge { a: [0, 1], b: [2, 3] };
    let time = TimeOfImpact { safe_until: 0.25, touching_by: 0.5 };
    assert_eq!(
        comes_back(Impact::At { time, touch: features }),
        r#"{"at":{"time":{"safe_until":0.25,"touching_by":0.5},"touch":{"edge_edge":{"a":[0,1],"b":[2,3]}}}}"#
    );
    comes_back(Impact::AtStart(Features::VertexFace { vertex: 1, face: 2 }));
    comes_back(Impact::<()>::Unknown { safe_until: 0.5 });
    assert_eq!(comes_back(Impact::<()>::Free), r#""free""#);
    assert_eq!(comes_back(Relation::Touching), r#""touching""#);
    comes_back(Distance { at_least: 0.0, at_most: 0.0, witness_a: DVec3::X, witness_b: DVec3::X });
    let cube = Mesh::cuboid(dvec3(1.0, 2.0, 3.0)).unwrap();
    comes_back(cube.report());
    comes_back(Convex::cuboid(DVec3::ONE).unwrap().mass());
    comes_back(MeshKind::Solid);
    comes_back(FeatureKind::EdgeEdge);
}
