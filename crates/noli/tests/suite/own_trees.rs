//! Trees by rules of one's own: packed, walked and refused like any other.

use crate::common::{mesh, model, shift};
use noli::model::Triangle;
use noli::tree::{Faces, Tree, TreeError, TreeNode};
use noli::{Model, Pose, clearance, relation};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, torus};

/// Parts dealt out like GPUs, leaves of many faces, nodes of many children, a chain, one leaf: answers are the same.
#[test]
fn any_tree_gives_the_same_answers() {
    let bodies = [mesh(bumpy_sphere(6, 0.3)), mesh(torus(1.0, 0.35, 16, 12)).into_solid()];
    let plain = bodies.each_ref().map(model);
    let mut random = SplitMix64::new(14);
    let poses: Vec<Pose> =
        (0..40).map(|k| Pose::new(random.rotation(), random.direction() * (0.1 * f64::from(k)))).collect();
    let dealt = |faces: &[u32], hands: usize| -> Vec<Vec<u32>> {
        (0..hands).map(|hand| faces.iter().copied().skip(hand).step_by(hands).collect()).collect()
    };
    for (leaf_faces, children) in [(1, 2), (4, 4), (9, 3), (50, 7), (3, 16), (usize::MAX, 2)] {
        let built = bodies.each_ref().map(|body| {
            let triangles: Vec<Triangle> = body.iter_triangles().collect();
            let tree =
                Tree::top_down(&Faces::new(&triangles), leaf_faces, |part| Some(dealt(part, children)));
            tree.check(triangles.len()).unwrap();
            Model::with_tree(body, tree).unwrap()
        });
        for pose in &poses {
            let here = Pose::IDENTITY;
            let ask = |[a, b]: &[Model; 2]| {
                let (a, b) = (a.at(here), b.at(*pose));
                (relation(&a, &b), clearance(&a, &b).distance)
            };
            let ((ours, gap), (theirs, plain_clearance)) = (ask(&built), ask(&plain));
            assert_eq!(ours, theirs, "{leaf_faces} {children}");
            assert!(gap.at_least <= plain_clearance.at_most && plain_clearance.at_least <= gap.at_most);
        }
    }
}

/// Rules that know no way, or lose faces, end in halves by count; rules that give up end in one leaf.
#[test]
fn rules_that_fail_are_not_followed() {
    let body = mesh(torus(1.0, 0.35, 16, 12));
    let triangles: Vec<Triangle> = body.iter_triangles().collect();
    let faces = Faces::new(&triangles);
    let all_in_one = Tree::top_down(&faces, 4, |part| Some(vec![part.to_vec(), Vec::new()]));
    let lossy =
        Tree::top_down(&faces, 4, |part| Some(vec![part[1..].to_vec(), Vec::new(), vec![part[0], part[0]]]));
    let halves = Tree::top_down(&faces, 4, |part| Some(faces.halves(part)));
    assert_eq!((&all_in_one, &lossy), (&halves, &halves));
    let one = Tree::top_down(&faces, 4, |_| None);
    assert_eq!((one.nodes.len(), one.check(triangles.len())), (1, Ok(())));
    assert_eq!(Tree::top_down(&Faces::new(&[]), 1, |_| None), Tree::default());
}

#[test]
fn what_is_no_tree_of_these_faces_is_refused() {
    let (body, other) = (mesh(bumpy_sphere(3, 0.3)), mesh(bumpy_sphere(4, 0.3)));
    let triangles: Vec<Triangle> = body.iter_triangles().collect();
    let tree = Tree::top_down(&Faces::new(&triangles), 2, |_| Some(Vec::new()));
    assert!(Model::with_tree(&other, tree.clone()).is_err());
    let mut twice = tree.clone();
    twice.faces[1] = twice.faces[0];
    assert!(matches!(Model::with_tree(&body, twice), Err(TreeError::Face(_))));
    let nothing = mesh(TriangleSet::default());
    let bare = Tree { nodes: vec![TreeNode { faces: 0..0, children: 0..0 }], faces: Vec::new() };
    assert!(Model::with_tree(&nothing, bare).is_ok_and(|model| model.is_empty()));
    let mut circle = tree.clone();
    circle.nodes[1].children = 0..1;
    assert!(matches!(Model::with_tree(&body, circle), Err(TreeError::Node(_))));
    assert!(
        Model::with_tree(&body, tree)
            .is_ok_and(|model| model.at(shift(0.0, 0.0, 0.0)).model.tree_bytes() > 0)
    );
}
