//! Rays against sampled functions.

use glam::DVec3;
use noli_brep::Brep;
use noli_testing::Random;

/// The first distance at which a ray enters or leaves a function's zero set, by dense samples and bisection.
fn sampled(origin: DVec3, direction: DVec3, inside: impl Fn(DVec3) -> f64) -> Option<f64> {
    let at = |t: f64| inside(origin + direction * t);
    let step = 1e-3;
    let start = at(0.0);
    let mut t = 0.0;
    while t < 12.0 {
        if (at(t + step) > 0.0) != (start > 0.0) {
            let (mut low, mut high) = (t, t + step);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if (at(middle) > 0.0) == (start > 0.0) { low = middle } else { high = middle }
            }
            return Some(high);
        }
        t += step;
    }
    None
}

#[test]
fn rays_hit_where_the_closed_form_says() {
    let mut random = Random::new(12);
    type Distance = fn(DVec3) -> f64;
    let bodies: [(Brep, Distance); 3] = [
        (Brep::sphere(1.3), |p| 1.3 - p.length()),
        (Brep::torus(2.0, 0.5), |p| 0.5 - (p.x.hypot(p.y) - 2.0).hypot(p.z)),
        (Brep::bush(1.0, 2.0, 3.0), |p| {
            let r = p.x.hypot(p.y);
            (r - 1.0).min(2.0 - r).min(p.z).min(3.0 - p.z)
        }),
    ];
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..150 {
        for (body, inside) in &bodies {
            let origin = random.vector() * 4.0;
            let direction = (random.vector() * 2.5 - origin).normalize();
            let expected = sampled(origin, direction, inside);
            let found = body.ray_cast(origin, direction, 1e-6, 20_000);
            match (expected, found) {
                (Some(distance), Some(hit)) => {
                    hits += 1;
                    let bracket = hit.distance;
                    assert!(bracket.at_least <= distance + 1e-6, "{}: {hit:?} {distance}", body.name());
                    assert!(bracket.at_most >= distance - 1e-6, "{}: {hit:?} {distance}", body.name());
                }
                (None, None) => misses += 1,
                // A ray that grazes the surface between two samples.
                (None, Some(hit)) => {
                    let point = origin + direction * hit.distance.at_least;
                    assert!(inside(point).abs() < 1e-2, "{}: {hit:?} {point}", body.name());
                }
                (Some(distance), None) => panic!("{}: missed at {distance}", body.name()),
            }
        }
    }
    assert!(hits > 100 && misses > 50, "{hits} {misses}");
}
