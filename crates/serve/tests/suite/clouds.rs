//! Point clouds in the studio: bodies like others, with the colliding points of a pair.

use crate::support::Studio;
use serde_json::json;

const SCENE: &str = "units = \"mm\"\n[[body]]\nname = \"scan\"\npoints = \"scan.xyz\"\nradius = 0.25\n\n\
                     [[body]]\nname = \"block\"\nbox = [3, 3, 3]\npose = { xyz = [10, 0, 0] }\n";

#[test]
fn the_colliding_points_of_a_pair_are_those_within_the_radius() {
    let along = |k: i32| 0.55 * f64::from(k);
    let points: Vec<[f64; 3]> = (0..729).map(|n| [n % 9, n / 9 % 9, n / 81].map(|k| along(k - 4))).collect();
    let text: String = points.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    let studio = Studio::start_with("clouds", &[("scene.toml", SCENE), ("scan.xyz", &text)]);
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    assert_eq!(hello["bodies"][0]["kind"], "point cloud", "{}", hello["bodies"][0]);
    tab.say(json!({ "do": "depth", "a": 0, "b": 1 }));
    let apart = tab.wait("depth");
    assert_eq!((&apart["colliding"], &apart["points"]), (&json!(0), &json!([])));
    tab.say(json!({ "do": "place", "body": 1, "xyz": [0, 0, 0], "quaternion": [0, 0, 0, 1] }));
    tab.say(json!({ "do": "depth", "a": 1, "b": 0 }));
    let found = tab.wait("depth");
    // From the faces of the block, one by one.
    let beyond =
        |point: &[f64; 3]| point.map(|x| (x.abs() - 1.5).max(0.0)).iter().map(|x| x * x).sum::<f64>();
    let near = points.iter().filter(|point| beyond(point).sqrt() <= 0.25).count();
    assert!(near > 125, "some points are outside of the block, within the radius");
    assert_eq!(found["colliding"], near, "{found}");
    assert_eq!(found["points"].as_array().map(Vec::len), Some(near));
}

/// A cloud is sent as points with their radius: no triangles, 12 bytes a point.
#[test]
fn a_cloud_is_sent_as_points_with_their_radius() {
    let text: String = (0..1000).map(|n| format!("{} {} 0\n", n % 40, n / 40)).collect();
    let studio = Studio::start_with("cloud-points", &[("scene.toml", SCENE), ("scan.xyz", &text)]);
    let hello = studio.tab().wait("hello");
    let bytes = studio.shapes();
    let count = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let shape = hello["bodies"][0]["shape"].as_u64().unwrap();
    let mut at = 0;
    (0..shape).for_each(|_| at += 20 + 12 * (count(at + 4) + count(at + 8)));
    assert_eq!([count(at), count(at + 4), count(at + 8)], [1, 1000, 0]);
    let radius = f32::from_bits(count(at + 16) as u32);
    let scale = hello["scale"].as_f64().unwrap();
    assert!((f64::from(radius) - 0.25 * scale).abs() < 1e-5 * scale, "{radius}");
}

/// A cloud in a cell is drawn as points, and the points that a link collides with are listed.
#[test]
fn a_cloud_in_a_cell_is_points_of_which_those_in_collision_are_listed() {
    // Around the base of the arm, 50 mm apart.
    let side = |k: usize| 50.0 * k as f64 - 250.0;
    let points: Vec<[f64; 3]> =
        (0..1331).map(|n| [side(n % 11), side(n / 11 % 11), side(n / 121) + 400.0]).collect();
    let text: String = points.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
    let cell = "units = \"mm\"\n[robot]\npuma560 = \"fu-gonzalez-lee\"\nstand_in = 45\nflange = \"link6\"\n\
                base = { xyz = [0, 0, 660] }\n\n[[body]]\nname = \"scan\"\npoints = \"scan.xyz\"\nradius = 5\n";
    let studio = Studio::start_with("cell-cloud", &[("cell.toml", cell), ("scan.xyz", &text)]);
    let mut tab = studio.tab();
    let hello = tab.wait("hello");
    let bodies = hello["bodies"].as_array().unwrap();
    let scan = bodies.iter().position(|body| body["name"] == "scan").unwrap();
    assert_eq!(bodies[scan]["kind"], "point cloud");
    let pairs = hello["results"]["pairs"].as_array().unwrap();
    let pair =
        pairs.iter().find(|pair| pair["a"] == scan || pair["b"] == scan).expect("the arm is in the cloud");
    tab.say(json!({ "do": "depth", "a": pair["a"], "b": pair["b"] }));
    let found = tab.wait("depth");
    let colliding = found["colliding"].as_u64().unwrap();
    assert!(0 < colliding && colliding < 1331, "{colliding}");
    assert_eq!(found["points"].as_array().unwrap().len() as u64, colliding);
}
