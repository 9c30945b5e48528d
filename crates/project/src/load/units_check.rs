//! Sizes and places that are mostly a matter of units: metres, inches and millimetres among each other.

use noli_geom::Aabb;

/// Bodies smaller or larger than the median by this are mostly in metres or millimetres.
const THOUSAND: f64 = 500.0;
/// Millimetres of an inch.
const INCH: f64 = 25.4;
/// Largest difference of the ratios of two boxes that are those of one shape in two units.
const ALIKE: f64 = 0.005;
/// Distance from all others, as a multiple of their size, from which a body is far outside.
const FAR: f64 = 10.0;

/// For every box that is out of proportion its number and a sentence; `name` gives the names of others.
pub(super) fn out_of_proportion(boxes: &[Aabb], name: impl Fn(usize) -> String) -> Vec<(usize, String)> {
    let size = |k: usize| boxes[k].size().max_element();
    let mut order: Vec<usize> = (0..boxes.len()).filter(|&k| size(k) > 0.0).collect();
    order.sort_by(|&a, &b| size(a).total_cmp(&size(b)));
    let Some(&median) = order.get(order.len() / 2) else { return Vec::new() };
    let mut found = Vec::new();
    for &k in &order {
        let (own, other) = (size(k), size(median));
        if own * THOUSAND <= other {
            let ratio = other / own;
            found.push((
                k,
                format!(
                    "it is {ratio:.0} times smaller than {}: metres and millimetres? {REMEDY}",
                    name(median)
                ),
            ));
        } else if own >= THOUSAND * other {
            let ratio = own / other;
            found.push((
                k,
                format!(
                    "it is {ratio:.0} times as large as {}: metres and millimetres? {REMEDY}",
                    name(median)
                ),
            ));
        } else if let Some(&twin) = order.iter().find(|&&other| is_inch_of(&boxes[k], &boxes[other])) {
            found.push((
                k,
                format!(
                    "it has the shape of {}, 25.4 times smaller: inches and millimetres? {REMEDY}",
                    name(twin)
                ),
            ));
        }
    }
    found.extend(far_outside(boxes, &order).map(|(k, gap)| {
        (k, format!("it is {gap:.3e} away from all others, which is much more than their size: is its place in another unit?"))
    }));
    found
}

const REMEDY: &str = "A scene can say the `units` of each file";

/// Returns `true` if a box is another one whose millimetres are inches.
fn is_inch_of(own: &Aabb, other: &Aabb) -> bool {
    let ratio = other.size() / own.size();
    ratio.to_array().iter().all(|ratio| (ratio / INCH - 1.0).abs() <= ALIKE)
}

/// Boxes far outside of the box of all others, with their distance from it. Of two, neither is.
fn far_outside<'b>(boxes: &'b [Aabb], order: &'b [usize]) -> impl Iterator<Item = (usize, f64)> + 'b {
    let others = move |own: usize| {
        let rest = order.iter().filter(move |&&k| k != own);
        rest.fold(Aabb::EMPTY, |all, &k| all.union(boxes[k]))
    };
    let gap = |a: &Aabb, b: &Aabb| (a.min - b.max).max(b.min - a.max).max(glam::DVec3::ZERO).length();
    let distance = move |&k: &usize| {
        let (own, rest) = (&boxes[k], others(k));
        let gap = gap(own, &rest);
        (gap > FAR * rest.size().max_element().max(own.size().max_element())).then_some((k, gap))
    };
    // The others are compared with each other once for each body; more than this are not one slip of a unit.
    order.iter().filter(move |_| (3..=MOST).contains(&order.len())).filter_map(distance)
}

/// Most boxes whose distance from all others is compared.
const MOST: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn cube(at: f64, size: DVec3) -> Aabb {
        Aabb { min: DVec3::splat(at), max: DVec3::splat(at) + size }
    }

    fn found(boxes: &[Aabb]) -> Vec<(usize, String)> {
        out_of_proportion(boxes, |k| format!("body {k}"))
    }

    #[test]
    fn units_that_are_mixed_are_found() {
        let gear = DVec3::new(56.0, 56.0, 12.0);
        // A sensor of 10 mm saved in metres, and a part in micrometres among three.
        let sensor = found(&[cube(0.0, gear), cube(0.0, DVec3::splat(0.01))]);
        assert!(
            matches!(&sensor[..], [(1, text)] if text.contains("5600 times smaller than body 0")),
            "{sensor:?}"
        );
        let large = found(&[cube(0.0, gear), cube(0.0, gear * 1.1), cube(0.0, gear * 1000.0)]);
        assert!(matches!(&large[..], [(2, text)] if text.contains("times as large")), "{large:?}");
        // A gear in inches beside itself; a part that happens to be 25 times smaller.
        let inches = found(&[cube(0.0, gear), cube(1.0, gear / 25.4)]);
        assert!(matches!(&inches[..], [(1, text)] if text.contains("inches")), "{inches:?}");
        assert_eq!(found(&[cube(0.0, gear), cube(1.0, DVec3::new(56.0, 20.0, 12.0) / 25.4)]), []);
        // Far outside of the others; of two nobody knows which one is.
        let far = found(&[cube(0.0, gear), cube(60.0, gear), cube(25_400.0, gear)]);
        assert!(matches!(&far[..], [(2, text)] if text.contains("away from all others")), "{far:?}");
        assert_eq!(found(&[cube(0.0, gear), cube(25_400.0, gear)]), []);
        assert_eq!(found(&[]), []);
    }
}
